import { suggest } from '../wire/didYouMean.ts';
import { type Command, type CommandGroup, isGroup, subcommandOf } from './command.ts';
import { describeAll, helpFor, helpForGroup } from './helpFor.ts';
import { installedVersion } from './readInstalled.ts';
import { EXIT, ExitError, UsageError } from './ExitError.ts';
import { documentWithoutControls } from './output/displayWidth.ts';
import { withoutCommands } from '../http/printable.ts';

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
  if (['help', '--help', '-h'].includes(name)) return print(helpOf(program));
  if (name === '--version' || name === '-v') return print(`${installedVersion(program.name)}\n`);
  const here = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const command = here ?? (Object.hasOwn(elsewhere, name) ? await load?.(name) : undefined);
  const called = `${program.name} ${name}`;
  if (!command)
    throw new UsageError(
      `Unknown command "${name}".${suggest(name, [...Object.keys(commands), ...Object.keys(elsewhere)])} "${program.name} --help" describes all.`,
    );
  if (!isGroup(command)) {
    const call = subcommandOf({ name, command, argv });
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
      : `Unknown command "${name} ${word}".${suggest(word, known)}`,
  );
}

function helpOf({ name, about, commands, elsewhere = {}, foot = '' }: Program): string {
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

/** Errors whose message says everything that the caller needs: one line, exit code 2. */
const EXPECTED: ReadonlySet<string> = new Set(['UsageError', 'RelayConfigError', 'NetworkStartError']);

/** Runs a program to its end, then exits: 0 on success, 2 for a mistake of the caller, 1 for anything else. */
export function runProgram(main: (argv: readonly string[]) => Promise<void>): void {
  process.stdout.on('error', (error) => exitWithoutOutput(error));
  // Nobody reads about the progress any more, or the log's disk is full; what was begun is done all the same.
  process.stderr.on('error', () => undefined);
  main(process.argv.slice(2)).then(
    () => exitAfterWriting(0),
    (error: unknown) => {
      const isExpected = error instanceof Error && (EXPECTED.has(error.name) || error instanceof ExitError);
      const text = documentWithoutControls(isExpected ? error.message : stackOf(error));
      if (text !== '') process.stderr.write(withoutCommands(`offerlet: ${text}\n`));
      exitAfterWriting(error instanceof ExitError ? error.exitCode : isExpected ? EXIT.usage : EXIT.failed);
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
  if (code === 'EPIPE' && ended === undefined) return void setImmediate(() => process.exit(0));
  if (code === 'EPIPE') process.exit(ended);
  process.stderr.write(`offerlet: The output cannot be written (${code ?? message}).\n`);
  // As with a file of --output that cannot be written; 1 may have a meaning of its own.
  process.exit(EXIT.usage);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
