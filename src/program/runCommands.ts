import { readFileSync } from 'node:fs';
import { suggest } from '../text/didYouMean.ts';
import { ERRORS_URL } from '../wire/errors.ts';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type Option,
  type Options,
  enterSubcommand,
  environmentVariable,
  isPlain,
} from './command.ts';
import { describeEnd, wantsJson } from './describeEnd.ts';
import { EXIT, UsageError } from './ExitError.ts';
import { wrap } from './terminal.ts';

type Commands = Readonly<Record<string, Command | CommandGroup>>;

/** A program with commands. */
export interface Program {
  readonly name: 'offerlet' | 'offerlet-operator';
  /** What its help says after its name. */
  readonly about: string;
  readonly commands: Commands;
  /** Commands of other packages, which `load` finds where they are installed. */
  readonly elsewhere?: Readonly<Record<string, { readonly summary: string }>> | undefined;
  readonly load?: ((name: string) => Promise<Command | CommandGroup>) | undefined;
  /** The last lines of the help. */
  readonly foot?: string | undefined;
}

/** Runs the command that the words name, or prints its help. Throws a `UsageError` for an unknown one. */
export async function runCommands(program: Program, [name = 'help', ...argv]: readonly string[]): Promise<void> {
  const { commands, elsewhere = {}, load } = program;
  if (['help', '--help', '-h'].includes(name)) return print(helpText(program));
  if (name === '--version' || name === '-v') return print(`${installedVersion(program.name)}\n`);
  const here = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = here ?? (Object.hasOwn(elsewhere, name) ? await load?.(name) : undefined);
  const called = `${program.name} ${name}`;
  if (!command)
    throw new UsageError(
      name.startsWith('-')
        ? `${name.split('=')[0] ?? ''} comes after the command. "${program.name} --help" describes all.`
        : `${unknown(name, [...Object.keys(commands), ...Object.keys(elsewhere)])} "${program.name} --help" describes all.`,
    );
  if (!isGroup(command)) {
    const call = enterSubcommand({ name, command, argv });
    if (isHelp(argv)) return print(helpFor(`${program.name} ${call.name}`, call.command));
    return call.command.run({ argv: call.argv, env: process.env });
  }
  const [word, ...rest] = argv;
  const known = Object.keys(command.commands);
  const one = word !== undefined && Object.hasOwn(command.commands, word) ? command.commands[word] : undefined;
  if (one && isHelp(rest)) return print(helpFor(`${called} ${word ?? ''}`, one));
  if (one) return one.run({ argv: rest, env: process.env });
  if (isHelp(argv)) return print(helpForGroup(called, command));
  throw new UsageError(
    word === undefined
      ? `"${called}" is not complete. Add one of ${known.join(', ')}, such as "${called} ${known[0] ?? ''}".`
      : unknown(word, known, `${name} `),
  );
}

function unknown(word: string, known: readonly string[], before = ''): string {
  return `Unknown command${isPlain(word) ? ` "${before}${word}"` : ''}.${suggest(word, known)}`;
}

function helpText({ name, about, commands, elsewhere = {}, foot = '' }: Program): string {
  const all = Object.entries<{ readonly summary: string }>({ ...commands, ...elsewhere });
  return `${name}: ${about}

Usage: ${name} COMMAND [options]

Commands:
${describeAll(all.map(([word, { summary }]) => ({ call: `${name} ${word}`, about: summary })))}

Use "${name} COMMAND --help" for the options of a command, "${name} --version" for the version.
${foot}`;
}

function print(text: string): void {
  process.stdout.write(text);
}

function isHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}

/** Runs a program to its end, then exits: 0 on success, otherwise as `describeEnd` says. */
export function runProgram(main: (argv: readonly string[]) => Promise<void>): void {
  process.stdout.on('error', (error) => exitWithoutOutput(error));
  // Nobody reads about the progress any more, or the log's disk is full; what was begun is done all the same.
  process.stderr.on('error', () => undefined);
  const argv = process.argv.slice(2);
  main(argv).then(
    () => exitAfterWriting(0),
    (error: unknown) => {
      const { text, exit } = describeEnd(error, { json: wantsJson(argv) });
      if (text !== '') process.stderr.write(text);
      exitAfterWriting(exit);
    },
  );
}

/** Exits when stdout has taken everything: a pipe may take a large report slowly. */
function exitAfterWriting(code: number): void {
  process.stdout.write('', () => {
    // Known here before its event comes.
    if (process.stdout.errored) return exitWithoutOutput(process.stdout.errored, code);
    process.stderr.write('', () => process.exit(code));
  });
}

function exitWithoutOutput({ code, message }: NodeJS.ErrnoException, ended?: number): void {
  // The reader of a pipe, such as `head`, has seen enough. A command that ends now, with its output, still says how.
  if (code === 'EPIPE' && ended === undefined)
    return void setImmediate(() => process.emit('SIGPIPE') || process.exit(0));
  if (code === 'EPIPE') process.exit(ended);
  // As with a file of --output that cannot be written; 1 may have another meaning for the command.
  const error = new UsageError(`The output cannot be written (${code ?? message}).`);
  process.stderr.write(describeEnd(error, { json: wantsJson(process.argv) }).text);
  process.exit(EXIT.usage);
}

/** Columns of a help text. */
const WIDTH = 100;

/** Returns what `--help` prints for one command; `program` is how it is called, such as `offerlet relay`. */
export function helpFor(program: string, command: Omit<Command, 'run'>): string {
  const { summary, usage = '[options]', options, subcommands = {}, examples = [] } = command;
  const more = Object.entries(subcommands).map(([name, { summary: about }]) => ({ call: `${program} ${name}`, about }));
  const rows = Object.entries(options).map(([name, option]) => ({
    call: `--${name}${placeholderOf(option)}`,
    about: [option.about, ...notesOn(option)].join(' '),
  }));
  rows.push({ call: '--help', about: 'Prints this text.' });
  return `${summary}

Usage: ${program} ${usage}

Options:
${describeAll(rows)}
${examples.length === 0 ? '' : `\nExamples:\n${examples.map(({ call, does }) => `  # ${does}\n  ${call}\n`).join('\n')}`}
${more.length === 0 ? '' : `More commands:\n${describeAll(more)}\n\n`}${command.environment ?? variablesText(options)}
Errors and exit codes: ${ERRORS_URL}#commands
`;
}

/** Returns what `--help` prints for a group of commands. */
function helpForGroup(program: string, { summary, commands }: CommandGroup): string {
  const rows = Object.entries(commands).map(([name, command]) => ({
    call: `${program} ${name}`,
    about: command.summary,
  }));
  return `${summary}

Usage: ${program} COMMAND [options]

Commands:
${describeAll(rows)}

Use "${program} COMMAND --help" for the options of a command.
`;
}

/** Says how to set the options in the environment, by the example of one that has a hyphen if there is one. */
function variablesText(options: Options): string {
  const names = Object.keys(options);
  const name = names.find((one) => one.includes('-')) ?? names[0];
  if (name === undefined) return '';
  return `Each option is also an environment variable: --${name} is ${environmentVariable(name)}.`;
}

/** Returns calls and what they do as two columns. */
function describeAll(rows: readonly { call: string; about: string }[]): string {
  const indent = Math.min(30, 4 + Math.max(...rows.map(({ call }) => call.length)));
  return rows.map(({ call, about }) => describe({ call, about, indent })).join('\n');
}

function placeholderOf(option: Option): string {
  switch (option.kind) {
    case 'flag':
      return '';
    case 'list':
    case 'text':
      return ` ${option.value}`;
    case 'choice':
      return ` ${option.choices.join('|')}`;
    case 'port':
      return ' PORT';
  }
}

function notesOn(option: Option): string[] {
  if (option.kind === 'list') return ['Can be repeated.'];
  return 'default' in option && option.default !== undefined ? [`Default: ${option.default}.`] : [];
}

function describe({ call, about, indent }: { call: string; about: string; indent: number }): string {
  const lines = wrap(about, WIDTH - indent);
  const first = `  ${call}`;
  const isLong = first.length + 2 > indent;
  const head = isLong ? `${first}\n${' '.repeat(indent)}` : first.padEnd(indent);
  return head + lines.join(`\n${' '.repeat(indent)}`);
}

/** Returns a file of an installed package, such as `package.json`; undefined when it is not there. */
export function readInstalled(path: string, from = 'offerlet'): string | undefined {
  try {
    return readFileSync(new URL(import.meta.resolve(`${from}/${path}`)), 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the version of an installed package. */
export function installedVersion(from = 'offerlet'): string {
  const { version } = JSON.parse(readInstalled('package.json', from) ?? '{}') as { version?: string };
  return version ?? 'unknown';
}
