import { parseArgs } from 'node:util';
import { didYouMean } from '../text/didYouMean.ts';
import { SEE_HELP, UsageError } from './ExitError.ts';

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
export function enterSubcommand(call: Call): Call {
  const [word = '', ...argv] = call.argv;
  const { subcommands = {} } = call.command;
  const command = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  return command ? { name: `${call.name} ${word}`, command, argv } : call;
}

interface Described {
  /** One sentence for `--help`. */
  readonly about: string;
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

/** The option of each command that prints a table. */
export const OUTPUT = {
  kind: 'text',
  value: 'FILE',
  about: 'Writes to a file. A name that ends in .csv or .json sets the format.',
} as const satisfies Option;

/** The options of each operator command: for programs, and for spreadsheets. */
export const FORMAT = {
  json: { kind: 'flag', about: 'Prints one JSON document.' },
  csv: { kind: 'flag', about: 'Prints CSV (RFC 4180).' },
} as const satisfies Options;

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
export function environmentVariable(name: string): string {
  return `OFFERLET_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** Where the settings of a command come from. */
export interface SettingsSource {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of a command: each option from the command line, otherwise from its `OFFERLET_…` variable, otherwise
 * its default. Throws a `UsageError` that says what to write.
 */
export function readSettings<const All extends Options>(options: All, source: SettingsSource): SettingsOf<All> {
  return readCall(options, source).settings;
}

/** Reads the settings of a command, and the words that are not options. */
export function readCall<const All extends Options>(
  options: All,
  { argv, env }: SettingsSource,
  maxWords = 0,
): { readonly settings: SettingsOf<All>; readonly words: readonly string[] } {
  const { given, rest } = readArguments(options, argv);
  const extra = rest[maxWords];
  if (extra !== undefined)
    throw new UsageError(`Unexpected argument${isPlain(extra) ? ` "${extra}"` : ' after the command'}.`, SEE_HELP);
  const settings: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const values = given.get(name);
    const variable = environmentVariable(name);
    settings[name] = values
      ? readValue(option, { values, source: `--${name}` })
      : readValue(option, { values: readVariable(option, env[variable]), source: variable });
  }
  return { settings: settings as SettingsOf<All>, words: rest };
}

/** Returns the values of each option on the command line; a flag has the value `true`. */
function readArguments(options: Options, argv: readonly string[]): { given: Map<string, string[]>; rest: string[] } {
  const given = new Map<string, string[]>();
  const rest: string[] = [];
  // Not strict: its messages are written for developers, and it does not suggest the nearest option.
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { kind }]) => [name, { type: kind === 'flag' ? 'boolean' : 'string' }]),
    ),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') rest.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option || !rawName.startsWith('--'))
      throw new UsageError(
        `Unknown option${isPlain(rawName) ? ` ${rawName}` : ''}.${didYouMean(rawName, Object.keys(options).map(dashed))}`,
        SEE_HELP,
      );
    if (option.kind === 'flag') {
      if (value !== undefined) throw new UsageError(`${rawName} does not take a value.`);
      given.set(name, ['true']);
    } else {
      // A hyphen alone is stdin.
      if (value === undefined || (/^-./.test(value) && !inlineValue && !('isSigned' in option)))
        throw new UsageError(`${rawName} requires a value, such as ${rawName}=VALUE.`);
      given.set(name, option.kind === 'list' ? [...(given.get(name) ?? []), value] : [value]);
    }
  }
  return { given, rest };
}

/** Whether a message may repeat a word: what is long, or has more than letters and hyphens, could be a key. */
export function isPlain(word: string): boolean {
  return /^[a-z-]{1,30}$/i.test(word);
}

function dashed(name: string): string {
  return `--${name}`;
}

/** An empty variable counts as not set. */
function readVariable({ kind }: Option, variable = ''): readonly string[] {
  if (kind === 'list') return variable.split(/[\s,]+/).filter(Boolean);
  return variable === '' ? [] : [variable];
}

function readValue(option: Option, { values, source }: { values: readonly string[]; source: string }): unknown {
  const [value] = values;
  switch (option.kind) {
    case 'flag':
      return value !== undefined && !/^(0|false|no)$/i.test(value);
    case 'list':
      return values;
    case 'text':
      return value ?? option.default;
    case 'choice':
      if (value === undefined || option.choices.includes(value)) return value ?? option.default;
      throw new UsageError(
        `${source} is not a valid value: "${value}".${didYouMean(value, option.choices)} Use ${joinChoices(option.choices)}.`,
      );
    case 'port':
      if (value === undefined) return option.default;
      if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
      throw new UsageError(`${source} is not a valid port: "${value}". Use a number from 0 (any free port) to 65535.`);
  }
}

function joinChoices(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
