import { nodeModule } from '../../http/nodeModule.ts';
import { isCount, isObject, parseJson } from '../../wire/json.ts';
import { DEDUPE_MAX_AGE_MS, QUEUE_MAX_AGE_MS } from '../../wire/limits.ts';
import { addCount, rowsOf, type LedgerCounts } from '../ledger/ledger.ts';
import { hashOf } from './keyTable.ts';

// The file of accepted events and of their counts. Its first line has the version of the format. Each other line is one
// record: `<checksum> <run> <number> <JSON>`, and a carriage return. It holds that
//
// 1. a record is whole or is not there: a line whose checksum is wrong is skipped, and the next one begins anew;
// 2. a record counts once: a run (one process) numbers its records, and a number that was read before is skipped, so what
//    may have been written is simply written again. 0 is of a file that was written anew in one go;
// 3. an event is known exactly if it counts: both are one record;
// 4. everything that a relay knows after a start, and every count, follows from the records in their order.

/** The file of accepted events in a relay's directory. */
export const ACCEPTED_LOG = 'accepted-events.log';

/** What was written at once. */
export interface LogRecord {
  /** By the clock of its run, in milliseconds. */
  readonly at: number;
  /** The number of the client that events and sessions came from. */
  readonly from?: number;
  /** Keys of accepted events, by the cell that each counts in; `''` for those that are counted already. */
  readonly events?: Readonly<Record<string, readonly string[]>>;
  /** What is remembered of sessions, by their hash. */
  readonly sessions?: Readonly<Record<string, string>>;
  /** What was counted besides events, by cell. */
  readonly counts?: Readonly<Record<string, number>>;
}

export interface LogLine extends LogRecord {
  readonly run: string;
}

const VERSION = 'offerlet accepted events 2';
const FIRST_LINE = new RegExp(`^${VERSION} salt ([0-9a-f]{8}) of (\\d{4}-\\d\\d-\\d\\d)$`);

/** The first line: the salt of the senders' numbers, and the UTC date on which the file was written anew. */
export interface LogHead {
  readonly salt: number;
  readonly day: string;
}

export function headLine({ salt, day }: LogHead): string {
  return `${VERSION} salt ${salt.toString(16).padStart(8, '0')} of ${day}`;
}

/** A line begins with its line break, so that it never continues one that was cut off. */
export function recordLine(run: string, number: number, record: LogRecord): string {
  const text = `${run} ${number} ${JSON.stringify(record)}`;
  return `\n${checksum(text)} ${text}${WHOLE}`;
}

/** An id that no other run of the directory has. */
export function newRun(): string {
  return crypto.randomUUID().slice(0, 8);
}

function checksum(text: string): string {
  return hashOf(text).toString(16).padStart(8, '0');
}

const LINE = /^([0-9a-f]{8}) (([0-9a-f]{8}) (\d{1,15}) (\{.*))\r$/;
/** What JSON never contains ends a line, so that one that was cut off is not taken for one that was changed. */
const WHOLE = '\r';

/** What is found while a file is read. */
export interface Found {
  /** `undefined` for a file that is not one of this version's; its records are not read. */
  head?: LogHead | undefined;
  /** Whether a first line that says nothing is one of this version's that was cut off, as by a crash at the first start. */
  isNew: boolean;
  /** Lines that are not as they were written. */
  damaged: number;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a file in chunks of lines. Nothing of a chunk is kept. What a write that failed, or a crash, cut off is left out
 * without a word: whoever wrote it knew, or gave nobody a response.
 */
export async function* readRecords(file: string, found: Found): AsyncGenerator<readonly LogLine[]> {
  const numbers = new Map<string, number>();
  let rest = '';
  let isFirst = true;
  const takeLine = (line: string): LogLine | undefined => {
    const [, sum, text, run = '', digits, json] = LINE.exec(line) ?? [];
    const record = text !== undefined && sum === checksum(text) ? parseJson(json ?? '') : undefined;
    if (!isObject(record)) {
      if (line.endsWith(WHOLE)) found.damaged += 1;
      return undefined;
    }
    const number = Number(digits);
    if (number !== 0 && number <= (numbers.get(run) ?? 0)) return undefined;
    numbers.set(run, Math.max(number, numbers.get(run) ?? 0));
    return { ...(record as unknown as LogRecord), run };
  };
  const takeLines = (lines: readonly string[]): readonly LogLine[] =>
    lines.flatMap((line) => {
      if (!isFirst && line === '') return [];
      if (!isFirst) found.isNew = false;
      if (!isFirst) return takeLine(line) ?? [];
      isFirst = false;
      const [, salt = '', day = ''] = FIRST_LINE.exec(line) ?? [];
      found.head = day === '' ? undefined : { salt: Number.parseInt(salt, 16), day };
      found.isNew = line.length < headLine({ salt: 0, day: '2026-01-01' }).length && isStart(line);
      return [];
    });
  const stream = nodeModule('node:fs').createReadStream(file, { encoding: 'latin1', highWaterMark: CHUNK_BYTES });
  for await (const chunk of stream as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield takeLines(lines);
    if (!isFirst && !found.head) return;
  }
  yield takeLines([rest]);
}

/** Whether a text is the beginning of a first line. */
function isStart(line: string): boolean {
  return VERSION.startsWith(line.slice(0, VERSION.length)) && /^[\w -]*$/.test(line);
}

/**
 * Milliseconds that a relay was stopped that count for the age of its events. More than that may be a wrong clock. Events
 * are remembered this much longer than any sender stores them, so a clock that is wrong at a start costs nothing.
 */
const STOP_MAX_MS = DEDUPE_MAX_AGE_MS - QUEUE_MAX_AGE_MS;

/** The time of records, over all runs: between two of them pass from nothing to a day, whatever the machine's clock says. */
export class RunClock {
  /** By how much the latest run's clock is behind the time. */
  offset: number;
  #run = '';
  #last: number | undefined;

  constructor(offset = 0) {
    this.offset = offset;
  }

  /** The time at which a run's clock showed `at`. */
  read(run: string, at: number): number {
    if (run !== this.#run && this.#last !== undefined) {
      const gap = at - this.#last;
      this.offset += Math.min(Math.max(gap, 0), STOP_MAX_MS) - gap;
    }
    this.#run = run;
    this.#last = at;
    return at + this.offset;
  }

  /** What the clock of the latest run showed at a time. */
  shown(time: number): number {
    return time - this.offset;
  }
}

/** Adds what a record counts, of the days that are wanted. */
export function addCounts(counts: Map<string, number>, record: LogRecord, isWanted: (day: string) => boolean): void {
  const add = (cell: string, count: number): void => {
    if (cell !== '' && isWanted(cell.slice(0, 10)) && isCount(count)) addCount(counts, cell, count);
  };
  for (const [cell, keys] of Object.entries(record.events ?? {})) add(cell, keys.length);
  for (const [cell, count] of Object.entries(record.counts ?? {})) add(cell, count);
}

/**
 * Reads what the relay with this `--data` directory counted, from one UTC date to another, both included. The relay may be
 * running.
 */
export async function readLedger(
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<LedgerCounts> {
  const file = nodeModule('node:path').join(directory, ACCEPTED_LOG);
  const counts = new Map<string, number>();
  const found: Found = { isNew: true, damaged: 0 };
  try {
    for await (const records of readRecords(file, found))
      for (const record of records) addCounts(counts, record, (day) => day >= from && day <= to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { rows: [], problems: [] };
    // What fails after opening, as of a directory, does not name the file.
    throw Object.assign(error as Error, { path: file });
  }
  const problems: string[] = [];
  if (!found.head && !found.isNew) problems.push(`${file} is of another version or damaged, and was skipped.`);
  if (found.damaged > 0) problems.push(`${file}: lines that are damaged and were skipped: ${found.damaged}.`);
  return { rows: rowsOf(counts), problems };
}
