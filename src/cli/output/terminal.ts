import { withoutControls } from './displayWidth.ts';
import { withoutCommands } from '../../http/printable.ts';

/** The streams of a command, and what they can show. */
export interface Terminal {
  /** Columns of the terminal that shows stdout; undefined when stdout is a file or a pipe, which is never cut. */
  readonly width: number | undefined;
  readonly hasColor: boolean;
  /** Whether block characters, arrows and an ellipsis can be shown. */
  readonly hasUnicode: boolean;
  /** Whether a line on stderr can be overwritten, to show progress. */
  readonly isLive: boolean;
  /** Columns of the terminal that shows stderr. */
  readonly noteWidth: number;
  /** Whether a person can be asked: stdin and stderr are a terminal. */
  readonly canAsk: boolean;
  /** Writes text to stdout. No line of it is a command of a CI system. */
  write(text: string): void;
  /** Writes a line for people to stderr. */
  note(line: string): void;
  /** Writes text to stderr unchanged, for progress and questions. */
  raw(text: string): void;
}

/** The parts of a stream that a terminal needs. */
interface OutputStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** What `openTerminal` reads. */
export interface TerminalOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout?: OutputStream | undefined;
  readonly stderr?: OutputStream | undefined;
  readonly stdin?: { readonly isTTY?: boolean | undefined } | undefined;
}

/** Columns assumed when the terminal does not report its width. */
const USUAL_WIDTH = 80;
/** Below this, a table is cut to this width: narrower, nothing useful would remain. */
const MIN_WIDTH = 20;

/** Opens this process's terminal. NO_COLOR, CI and TERM=dumb are obeyed. */
export function openTerminal({
  env,
  stdout = process.stdout,
  stderr = process.stderr,
  stdin = process.stdin,
}: TerminalOptions): Terminal {
  const isDumb = env['TERM'] === 'dumb';
  const isCi = isSet(env['CI']);
  const isTty = stdout.isTTY === true;
  return {
    width: isTty ? Math.max(MIN_WIDTH, stdout.columns || USUAL_WIDTH) : undefined,
    hasColor: isTty && !isDumb && !isCi && !isSet(env['NO_COLOR']),
    hasUnicode: !isDumb && !/^(C|POSIX)$|\.(?!utf-?8$)/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''),
    isLive: stderr.isTTY === true && !isDumb && !isCi,
    noteWidth: stderr.columns || USUAL_WIDTH,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    write: (text) => void stdout.write(withoutCommands(text)),
    note: (line) => void stderr.write(`${withoutCommands(withoutControls(line))}\n`),
    raw: (text) => void stderr.write(text),
  };
}

/** NO_COLOR and CI count whatever their value, unless it is empty; `CI=false` is how some turn it off. */
function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== 'false';
}

/** How a text stands out. */
export type Tone = 'strong' | 'dim' | 'good' | 'bad' | 'accent';

const CODES: Readonly<Record<Tone, readonly [on: number, off: number]>> = {
  strong: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  accent: [36, 39],
};

/** Returns a text in a tone, where the terminal has colour. */
export function inTone(text: string, tone: Tone | undefined, hasColor: boolean): string {
  if (!hasColor || tone === undefined || text === '') return text;
  const [on, off] = CODES[tone];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}
