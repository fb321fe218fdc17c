import type { Finding } from './finding.ts';

/** Where findings are printed. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const MARKS = { good: '✓', bad: '✗', note: '!' } as const;
const COLORS = { good: '32', bad: '31', note: '33' } as const;
/** Columns of a line where nobody says how wide it is. */
const WIDTH = 100;

/** Prints findings for people: a mark, what was checked, and what to do, wrapped to the width of the terminal. */
export function printFindings(
  { findings, page, browser }: { findings: readonly Finding[]; page: string; browser: string | null },
  output: Output,
): void {
  const { TERM, NO_COLOR, CI } = process.env;
  const hasColor = output.isTTY === true && !NO_COLOR && !CI && TERM !== 'dumb';
  const width = Math.min(output.isTTY ? (output.columns ?? WIDTH) : WIDTH, 120);
  const indent = 4 + Math.max(...findings.map(({ title }) => title.length));
  const lines = findings.map(({ state, title, text }) => {
    const mark = hasColor ? `\u001B[${COLORS[state]}m${MARKS[state]}\u001B[0m` : MARKS[state];
    return `${mark} ${title.padEnd(indent - 2)}${wrap(text, Math.max(30, width - indent)).join(`\n${' '.repeat(indent)}`)}`;
  });
  const how = browser === null ? 'by HTTP alone' : `in ${browser}, as a bot, which production does not count`;
  output.write(`${page}\nexamined ${how}\n\n${lines.join('\n')}\n`);
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of clean(text).split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A page may write what it likes to its console: no control characters reach the terminal. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that a terminal obeys
  return text.replace(/[\u0000-\u001F\u007F-\u009F]+/g, ' ').slice(0, 600);
}
