import { printableJson, withoutCommands } from '../text/printable.ts';

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

/** How text may look: what a table is cut to, and what it may contain. */
export type Look = Pick<Terminal, 'width' | 'hasColor' | 'hasUnicode'>;

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

/** The output of a command: text for people, one line of JSON for programs, and a log. */
export interface Output {
  /** Prints a line for people; nothing with --json. */
  say(line: string): void;
  /** Prints a line of JSON with --json; nothing without. */
  json(value: object): void;
  /** Prints a log line to stderr. */
  log(entry: object | string): void;
}

/** Creates the output on this process's streams. */
export function createOutput(options: { json: boolean }): Output {
  const printable = (text: string): string => withoutCommands(documentWithoutControls(text));
  return {
    say: (line) => void (options.json || process.stdout.write(`${printable(line)}\n`)),
    json: (value) => void (options.json && process.stdout.write(`${printableJson(value)}\n`)),
    log: (entry) =>
      void process.stderr.write(`${typeof entry === 'string' ? printable(entry) : printableJson(entry)}\n`),
  };
}

/** Columns that a text takes in a terminal: East Asian letters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a text to a number of columns; the last one shows that something is missing. */
export function cutTo(text: string, width: number, mark = '…'): string {
  if (displayWidth(text) <= width) return text;
  if (width <= 0) return '';
  let cut = '';
  let left = width - 1;
  for (const { segment } of GRAPHEMES.segment(text)) {
    left -= graphemeWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return cut.trimEnd() + mark;
}

/** Makes text from the network safe for a terminal: no escape sequences, no reordering, one line. */
export function safeText(text: string): string {
  return withoutControls(text.replace(/\s+/gu, ' ')).trim();
}

/** Removes what would control a terminal, line breaks and tabs included. */
export function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu, '');
}

/** Removes the same from a document of several lines. What follows a single carriage return would hide what is before it. */
export function documentWithoutControls(text: string): string {
  return text.replace(/\r(?!\n)/g, '').replace(/[^\r\n\t]+/gu, withoutControls);
}

const GRAPHEMES = new Intl.Segmenter();
const WIDE =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2;
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

/** Returns a text as lines of at most `width` characters, broken at spaces. A longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
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
