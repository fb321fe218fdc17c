import { ERRORS_URL } from '../wire/errors.ts';
import type { Command, CommandGroup, Option, Options } from './command.ts';
import { wrap } from './output/displayWidth.ts';

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
${more.length === 0 ? '' : `More commands:\n${describeAll(more)}\n\n`}${command.environment ?? variablesOf(options)}
Exit codes: ${ERRORS_URL}#commands
`;
}

/** Returns what `--help` prints for a group of commands. */
export function helpForGroup(program: string, { summary, commands }: CommandGroup): string {
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
function variablesOf(options: Options): string {
  const names = Object.keys(options);
  const name = names.find((one) => one.includes('-')) ?? names[0];
  if (name === undefined) return '';
  return `Each option is also an environment variable: --${name} is OFFERLET_${name.toUpperCase().replaceAll('-', '_')}.`;
}

/** Returns calls and what they do as two columns. */
export function describeAll(rows: readonly { call: string; about: string }[]): string {
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
