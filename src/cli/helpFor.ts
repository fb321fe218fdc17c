import type { Command } from './command.ts';
import type { Option } from './options.ts';

/** Columns of a help text. */
const WIDTH = 100;

/** Returns what `--help` prints for one command; `program` is how it is called, such as `offerlet relay`. */
export function helpFor(program: string, { summary, options }: Pick<Command, 'summary' | 'options'>): string {
  const rows = Object.entries(options).map(([name, option]) => ({
    call: `--${name}${placeholderOf(option)}`,
    about: [option.about, ...notesOn(option)].join(' '),
  }));
  rows.push({ call: '--help', about: 'Prints this text.' });
  const indent = Math.min(28, 4 + Math.max(...rows.map(({ call }) => call.length)));
  return `${summary}

Usage: ${program} [options]

Options:
${rows.map(({ call, about }) => describe({ call, about, indent })).join('\n')}

Each option is also an environment variable: --api-key is OFFERLET_API_KEY.
`;
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

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
