import { parseArgs } from 'node:util';

/** A command that was called wrongly: one clear line, exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** What an option takes: a word, a number between 0 and 65535, nothing at all, or several words. */
export type OptionKind = 'text' | 'port' | 'flag' | 'list';
export type OptionTable = Readonly<Record<string, OptionKind>>;

type ValueOf<Kind extends OptionKind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'list'
    ? readonly string[]
    : Kind extends 'port'
      ? number | undefined
      : string | undefined;
export type Settings<Table extends OptionTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

export interface SettingsSource {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** The settings of a command: each option from the command line, else from its `OFFERLET_…` variable. */
export function readSettings<const Table extends OptionTable>(
  table: Table,
  { argv, env }: SettingsSource,
): Settings<Table> {
  const given = parse(table, argv);
  const settings: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(table))
    settings[name] = valueOf({ name, kind, given: given[name], variable: env[variableOf(name)] });
  return settings as Settings<Table>;
}

/** The environment variable of an option: `api-key` is read from `OFFERLET_API_KEY`. */
export function variableOf(name: string): string {
  return `OFFERLET_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** Fails with what to write instead when a setting is none of the allowed words. */
export function oneOf<const Word extends string>(
  name: string,
  value: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  const word = words.find((candidate) => candidate === (value ?? words[0]));
  if (word === undefined) throw new UsageError(`--${name} is '${value}': write ${words.join(' or ')}.`);
  return word;
}

function parse(table: OptionTable, argv: readonly string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  );
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/[.\n]/)[0] ?? '') : String(error);
    throw new UsageError(
      `${reason}. This command takes ${Object.keys(table)
        .map((name) => `--${name}`)
        .join(' ')}.`,
      { cause: error },
    );
  }
}

function valueOf(option: { name: string; kind: OptionKind; given: unknown; variable: string | undefined }): unknown {
  const { name, kind, given } = option;
  const variable = option.variable === '' ? undefined : option.variable;
  switch (kind) {
    case 'flag':
      return given === true || (given === undefined && variable !== undefined && !/^(0|false|no)$/i.test(variable));
    case 'list':
      return Array.isArray(given) ? given : (variable?.split(/[\s,]+/).filter(Boolean) ?? []);
    case 'text':
      return given ?? variable;
    case 'port':
      return portOf(name, typeof given === 'string' ? given : variable);
  }
}

function portOf(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (!(port <= 65_535))
    throw new UsageError(`--${name} is '${value}': write a number between 0 (any free port) and 65535.`);
  return port;
}
