import { nodeModule } from '../../http/nodeModule.ts';
import { hash32 } from '../../wire/hash.ts';
import { isCount, isObject, parseJson } from '../../wire/json.ts';
import { DEDUPE_MAX_AGE_MS, QUEUE_MAX_AGE_MS } from '../../wire/limits.ts';
import { dateOf } from '../../wire/utcDates.ts';
import { addCount, ledgerRows, type LedgerCounts } from '../ledger.ts';

// The files of accepted events and of their counts. `accepted-events.1.log`, `.2.log`, … are segments: each takes what is
// accepted in an hour, and is dropped whole. `accepted-counts.log` has the sums of those that were dropped. Each line is
// one record: `<checksum> <run> <JSON>`, and a carriage return. It holds that
//
// 1. a record is whole or is not there: what has no right checksum is skipped, whatever stands before and after it. The
//    checksum says the version of the format, too;
// 2. a record counts once: what a failed write may have left is cut off before anything else is written;
// 3. an event is known exactly if it counts: both are one record;
// 4. a segment counts exactly if its number is above that in the sums, which replace the earlier ones in one step.

/** The sums of segments that were dropped, in a relay's directory. */
export const COUNTS_LOG = 'accepted-counts.log';
const SEGMENT = /^accepted-events\.([1-9]\d{0,14})\.log$/;
/** What a file is called that was damaged, or of which something was cut off. */
const ASIDE = /^accepted-(?:events\.\d+|counts)\.log\.damaged-(\d{1,15})$/;

export function segmentName(number: number): string {
  return `accepted-events.${number}.log`;
}

export function asidePath(file: string): string {
  return `${file}.damaged-${Date.now()}`;
}

/** What was written at once. */
export interface LogRecord {
  /** By the clock of its run, in milliseconds. */
  readonly at: number;
  /** The number of the client that events and sessions came from. */
  readonly from?: number;
  /** Keys of accepted events, by the cell that each counts in; `''` for those that are counted already. */
  readonly events?: Readonly<Record<string, readonly string[]>>;
  /** Keys that are forwarded from now on: until they are accepted or released, the network may have them. */
  readonly claimed?: readonly string[];
  /** Keys that were claimed, and that the network has certainly not. */
  readonly released?: readonly string[];
  /** What is remembered of sessions, by their hash. */
  readonly sessions?: Readonly<Record<string, string>>;
  /** What was counted besides events, by cell. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly head?: LogHead;
}

/** In the first and the last record of the sums. */
export interface LogHead {
  /** The latest segment that is in them. */
  readonly through: number;
  /** The salt of the senders' numbers. */
  readonly salt: number;
}

export interface LogLine extends LogRecord {
  readonly run: string;
}

/** A line begins with its line break, so that it never continues one that was cut off. */
export function recordLine(run: string, record: LogRecord): string {
  const text = `${run} ${JSON.stringify(record)}`;
  return `\n${checksum(text)} ${text}${WHOLE}`;
}

/** An id that no other run of the directory has. */
export function newRun(): string {
  return crypto.randomUUID().slice(0, 8);
}

function checksum(text: string): string {
  return hash32(text).toString(16).padStart(8, '0');
}

/** A record, even between characters that do not belong to it. */
const RECORD = /([0-9a-f]{8}) (([0-9a-f]{8}) (\{.*\}))/;
/** The beginning of one that was cut off. */
const TORN = /^[0-9a-f]{0,8}($| )/;
/** What JSON never contains ends a record, so that one that was cut off is not taken for one that was changed. */
const WHOLE = '\r';
const CHUNK_BYTES = 256 * 1024;

/** What is found while a file is read: how many lines are damaged. */
export interface Found {
  damaged: number;
}

/**
 * Reads a file in chunks of records. Nothing of a chunk is kept. What a write that failed, or a crash, cut off is left out
 * without a word: whoever wrote it knew, or gave nobody a response. A file that does not exist is empty.
 */
export async function* readRecords(
  file: string,
  found: Found = { damaged: 0 },
): AsyncGenerator<readonly LogLine[], void> {
  const take = (text: string): LogLine | undefined => {
    const [, sum, signed = '', run = '', json = ''] = RECORD.exec(text) ?? [];
    const record = sum === checksum(signed) ? parseJson(json) : undefined;
    if (isObject(record)) return { ...(record as unknown as LogRecord), run };
    found.damaged += 1;
    return undefined;
  };
  const takeLine = (line: string): readonly LogLine[] => {
    const parts = line.split(WHOLE);
    // The last part is empty, or was cut off.
    if (!TORN.test(parts.pop() ?? '') && parts.length === 0) found.damaged += 1;
    return parts.flatMap((part) => take(part) ?? []);
  };
  let rest = '';
  try {
    const options = { encoding: 'latin1', highWaterMark: CHUNK_BYTES } as const;
    for await (const chunk of nodeModule('node:fs').createReadStream(file, options) as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield lines.flatMap(takeLine);
    }
  } catch (error) {
    // What fails after opening, as of a directory, does not name the file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw Object.assign(error as Error, { path: file });
  }
  yield takeLine(rest);
}

/** The numbers of a directory's segments, the oldest first. */
export async function listSegments(directory: string): Promise<readonly number[]> {
  const names = await nodeModule('node:fs/promises').readdir(directory);
  return names
    .flatMap((name) => SEGMENT.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** Which segments are in a directory's sums; `undefined` when nobody can say. */
export async function readHead(directory: string): Promise<LogHead | undefined> {
  let head: LogHead | undefined;
  const file = nodeModule('node:path').join(directory, COUNTS_LOG);
  for await (const records of readRecords(file)) for (const record of records) head ??= record.head;
  return head;
}

/** Sums of one record: a damaged one costs no more. */
const RECORD_CELLS = 20;
/** What the sums are, and who writes them. */
export interface Sums {
  readonly counts: ReadonlyMap<string, number>;
  readonly head: LogHead;
  readonly run: string;
  readonly at: number;
  /** Throws when the directory is another process's by now. */
  verify(): void;
}

/** Replaces the sums in one step. */
export async function writeSums(file: string, { counts, head, run, at, verify }: Sums): Promise<void> {
  const fs = nodeModule('node:fs/promises');
  const fresh = `${file}.new`;
  const lines = function* (): Generator<string> {
    yield recordLine(run, { at, head });
    const all = [...counts];
    for (let start = 0; start < all.length; start += RECORD_CELLS)
      yield recordLine(run, { at, counts: Object.fromEntries(all.slice(start, start + RECORD_CELLS)) });
    yield recordLine(run, { at, head });
  };
  verify();
  // A new file: one that is there already may be what an earlier owner, frozen since, goes on writing to.
  await fs.rm(fresh, { force: true });
  // Record by record, so that other work goes on in between.
  await fs.writeFile(fresh, lines(), { encoding: 'latin1', flag: 'wx', mode: 0o600 });
  // Nothing awaits in between: the file may be a new owner's after any pause.
  verify();
  nodeModule('node:fs').renameSync(fresh, file);
}

/**
 * Milliseconds that a relay was stopped that count for the age of its events. More than that may be a wrong clock. Events
 * are remembered this much longer than any sender stores them, so a clock that is wrong at a start costs nothing.
 */
const STOP_MAX_MS = DEDUPE_MAX_AGE_MS - QUEUE_MAX_AGE_MS;

/** The time of records, over all runs: between two of them pass from nothing to a day, whatever the machine's clock says. */
export class RunClock {
  /** By how much the latest run's clock is behind the time. */
  #offset = 0;
  #run = '';
  #last: number | undefined;

  /** The time at which a run's clock showed `at`. */
  read(run: string, at: number): number {
    if (run !== this.#run && this.#last !== undefined) {
      const gap = at - this.#last;
      this.#offset += Math.min(Math.max(gap, 0), STOP_MAX_MS) - gap;
    }
    this.#run = run;
    this.#last = at;
    return at + this.#offset;
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

/** How often the files are read again because the relay dropped segments meanwhile: it does so once an hour. */
const READS_MAX = 3;

/**
 * Reads what the relay with this `--data` directory counted, from one UTC date to another, both included. The relay may be
 * running.
 */
export async function readLedger(
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<LedgerCounts> {
  const path = nodeModule('node:path');
  for (let reads = 1; ; reads++) {
    const counts = new Map<string, number>();
    const problems: string[] = [];
    let through = 0;
    const read = async (name: string): Promise<void> => {
      const [file, found] = [path.join(directory, name), { damaged: 0 }];
      for await (const records of readRecords(file, found))
        for (const record of records) {
          through = Math.max(through, record.head?.through ?? 0);
          addCounts(counts, record, (day) => day >= from && day <= to);
        }
      if (found.damaged > 0) problems.push(`${file}: lines that are damaged and were skipped: ${found.damaged}.`);
    };
    const names = await nodeModule('node:fs/promises')
      .readdir(directory)
      .catch(() => []);
    await read(COUNTS_LOG);
    const numbers = names.length === 0 ? [] : await listSegments(directory);
    for (const number of numbers) if (number > through) await read(segmentName(number));
    const head = await readHead(directory);
    if ((head?.through ?? through) !== through && reads < READS_MAX) continue;
    for (const name of names) {
      const [, at = ''] = ASIDE.exec(name) ?? [];
      // It has counts of its day and of those before.
      if (at === '' || dateOf(Number(at)) < from) continue;
      problems.push(`${name} was damaged on ${dateOf(Number(at))}, and what it counted may be missing.`);
    }
    return { rows: ledgerRows(counts), problems };
  }
}
