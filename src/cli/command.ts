import type { Options } from './options.ts';
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
