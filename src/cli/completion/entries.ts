import { isGroup, type Command, type CommandGroup } from '../command.ts';
import type { Option } from '../options.ts';

/** One option, as a shell completes it. */
export interface CompletedOption {
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  /** Whether several values can be given, separated by commas. */
  readonly isList: boolean;
  /** Its possible values. */
  readonly values: readonly string[];
  readonly isFile: boolean;
}

/** What may follow a command, such as `publishers list`. */
export interface CompletedCommand {
  /** Empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
}

/** Returns what a shell needs to know about all commands. */
export function completedCommands(commands: Readonly<Record<string, Command | CommandGroup>>): CompletedCommand[] {
  const named = (some: Readonly<Record<string, { readonly summary: string }>>): CompletedCommand['words'] =>
    Object.entries(some).map(([name, { summary }]) => ({ name, about: summary }));
  const of = (path: string, command: Command): CompletedCommand => ({
    path,
    words: path === 'completion' ? ['bash', 'zsh', 'fish'].map((name) => ({ name, about: `For ${name}.` })) : [],
    options: [...Object.entries(command.options).map(([name, option]) => completed(name, option)), HELP],
  });
  const version = { ...HELP, name: 'version', about: 'Prints the version.' };
  return [
    { path: '', words: named(commands), options: [HELP, version] },
    ...Object.entries(commands).flatMap(([name, command]) =>
      isGroup(command)
        ? [
            { path: name, words: named(command.commands), options: [HELP] },
            ...Object.entries(command.commands).map(([sub, one]) => of(`${name} ${sub}`, one)),
          ]
        : [of(name, command)],
    ),
  ];
}

const HELP: CompletedOption = {
  name: 'help',
  about: 'Prints the options of a command.',
  takesValue: false,
  values: [],
  isFile: false,
  isList: false,
};

function completed(name: string, option: Option): CompletedOption {
  const { about, kind, completes } = option;
  const isList = kind === 'text' && option.value.includes('[,');
  const values = kind === 'choice' ? option.choices : Array.isArray(completes) ? completes : [];
  return { name, about, takesValue: kind !== 'flag', values, isFile: completes === 'file', isList };
}
