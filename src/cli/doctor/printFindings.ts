import { safeText } from '../output/displayWidth.ts';
import type { Terminal } from '../output/terminal.ts';
import { inTone, type Tone } from '../output/tone.ts';
import { wrap } from '../output/wrap.ts';
import type { Finding } from './finding.ts';

const MARKS: Readonly<Record<Finding['state'], readonly [mark: string, tone: Tone]>> = {
  good: ['✓', 'good'],
  bad: ['✗', 'bad'],
  note: ['!', 'accent'],
};
/** Columns of a line in a file or a pipe, and the most that are easy to read. */
const WIDTH = { usual: 100, max: 120 };
/** Characters of a finding: a page may write what it likes to its console. */
const MAX_LENGTH = 600;

/** Prints findings for people: a mark, what was checked, and what to do, wrapped to the width of the terminal. */
export function printFindings(
  { findings, page, browser }: { findings: readonly Finding[]; page: string; browser: string | null },
  terminal: Pick<Terminal, 'width' | 'hasColor' | 'write'>,
): void {
  const width = Math.min(terminal.width ?? WIDTH.usual, WIDTH.max);
  const indent = 4 + Math.max(...findings.map(({ title }) => title.length));
  const lines = findings.map(({ state, title, text }) => {
    const [mark, tone] = MARKS[state];
    const wrapped = wrap(safeText(text).slice(0, MAX_LENGTH), Math.max(30, width - indent));
    return `${inTone(mark, tone, terminal.hasColor)} ${title.padEnd(indent - 2)}${wrapped.join(`\n${' '.repeat(indent)}`)}`;
  });
  const how = browser === null ? 'by HTTP alone' : `in ${browser}, as a bot, which production does not count`;
  terminal.write(`${page}\nexamined ${how}\n\n${lines.join('\n')}\n`);
}
