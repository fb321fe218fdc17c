import type { SettingsSource } from './readSettings.ts';

/** One command of a program. */
export interface Command {
  /** One sentence for `--help`. */
  readonly summary: string;
  /** What follows the name, such as `ID [options]`. */
  readonly usage?: string | undefined;
  readonly options: Options;
  /** Calls for `--help`, each with what it does. */
  readonly examples?: readonly { readonly call: string; readonly does: string }[] | undefined;
  /** Replaces the last line of `--help`, on the environment variables. */
  readonly environment?: string | undefined;
  /** Commands with this one's name as their first word, such as `network distribute`. */
  readonly subcommands?: Readonly<Record<string, Command>> | undefined;
  /** Runs until the command is done or stopped. Throws a `UsageError` when it was called wrongly. */
  run(source: SettingsSource): Promise<void>;
}

/** Commands that share a first word, such as `publishers list` and `publishers show`. */
export interface CommandGroup {
  readonly summary: string;
  readonly commands: Readonly<Record<string, Command>>;
}

/** Whether it is a group. */
export function isGroup(command: Command | CommandGroup): command is CommandGroup {
  return 'commands' in command;
}

/** A command as it was called. */
export interface Call {
  readonly name: string;
  readonly command: Command;
  readonly argv: readonly string[];
}

/** Returns the call of the command that the first word names, such as `distribute` after `network`; else the call itself. */
export function subcommandOf(call: Call): Call {
  const [word = '', ...argv] = call.argv;
  const { subcommands = {} } = call.command;
  const command = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  return command ? { name: `${call.name} ${word}`, command, argv } : call;
}

interface Described {
  /** One sentence for `--help`. */
  readonly about: string;
  /** What a shell may complete as its value. */
  readonly completes?: 'file' | readonly string[];
}

/** One option of a command: how it is read, and what `--help` says about it. */
export type Option =
  | (Described & { readonly kind: 'flag' })
  /** Can be repeated; separated by commas or spaces in the environment. `value` is the placeholder in `--help`. */
  | (Described & { readonly kind: 'list'; readonly value: string })
  | (Described & {
      readonly kind: 'text';
      readonly value: string;
      readonly default?: string;
      /** The value may begin with a hyphen, such as `-clicks`. */
      readonly isSigned?: boolean;
    })
  | (Described & { readonly kind: 'port'; readonly default?: number })
  | (Described & { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string });

/** The options of a command by name, in the order of `--help`. */
export type Options = Readonly<Record<string, Option>>;

type WordOf<One extends Option> = One extends { kind: 'choice'; choices: readonly (infer Word)[] } ? Word : string;
type UnsetOf<One extends Option> = One extends { default: string } ? never : undefined;
type ValueOf<One extends Option> = One extends { kind: 'flag' }
  ? boolean
  : One extends { kind: 'list' }
    ? readonly string[]
    : One extends { kind: 'port' }
      ? number | (One extends { default: number } ? never : undefined)
      : WordOf<One> | UnsetOf<One>;

/** The settings that a command runs with. */
export type SettingsOf<All extends Options> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** Returns the environment variable of an option: `OFFERLET_API_KEY` for `api-key`. */
export function variableOf(name: string): string {
  return `OFFERLET_${name.toUpperCase().replaceAll('-', '_')}`;
}
