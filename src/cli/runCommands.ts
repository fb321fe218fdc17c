import { suggest } from '../wire/didYouMean.ts';
import { isGroup, type Command, type CommandGroup, subcommandOf } from './command.ts';
import { describeAll, helpFor, helpForGroup } from './helpFor.ts';
import { installedVersion } from './readInstalled.ts';
import { UsageError } from './UsageError.ts';

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
