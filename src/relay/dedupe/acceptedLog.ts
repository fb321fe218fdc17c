import { nodeModule } from '../../http/nodeModule.ts';
import { hash32 } from '../../wire/hash.ts';
import { isCount, isObject, parseJson } from '../../wire/json.ts';
import { DEDUPE_MAX_AGE_MS, QUEUE_MAX_AGE_MS } from '../../wire/limits.ts';
import { dateOf } from '../../wire/utcDates.ts';
import { addCount, ledgerRows, type LedgerCounts } from '../ledger.ts';
import type { KeyEntry } from './keyTable.ts';

// The file of accepted events and of their counts. Each line but the first is one record: `<checksum> <run> <number>
// <JSON>`, and a carriage return. It holds that
//
// 1. a record is whole or is not there: what has no right checksum is skipped, whatever stands before and after it. The
//    checksum says the version of the format, too;
// 2. a record counts once: a run (one process) numbers its records, and a number that was read before is skipped, so what
//    may have been written is simply written again. 0 is of a file that was written anew in one go;
// 3. an event is known exactly if it counts: both are one record;
// 4. everything that a relay knows after a start, and every count, follows from the records in their order. The first line
//    only saves work: it says for whom the senders' numbers hold, and when the file was written anew.

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
  readonly number: number;
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

const HEAD_LENGTH = headLine({ salt: 0, day: '2026-01-01' }).length;

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
  return hash32(text).toString(16).padStart(8, '0');
}

/** A record, even between characters that do not belong to it. */
const RECORD = /([0-9a-f]{8}) (([0-9a-f]{8}) (\d{1,15}) (\{.*\}))/;
/** What JSON never contains ends a record, so that one that was cut off is not taken for one that was changed. */
const WHOLE = '\r';
const CHUNK_BYTES = 256 * 1024;

/** What is found while a file is read. */
export interface Found {
  /** `undefined` without a first line that can be read. */
  head?: LogHead | undefined;
  /** Records that are as they were written, and those that are not. */
  whole: number;
  damaged: number;
  /** Whether there is text that no relay writes, or of another version, and no record of this one. */
  isForeign: boolean;
}

/**
 * Reads a file in chunks of records, and says in `found` what else is there. Nothing of a chunk is kept. What a write that
 * failed, or a crash, cut off is left out without a word: whoever wrote it knew, or gave nobody a response.
 */
export async function* readRecords(
  chunks: AsyncIterable<string>,
  found: Partial<Found> = {},
): AsyncGenerator<readonly LogLine[]> {
  const state = Object.assign(found, { whole: 0, damaged: 0, isForeign: false });
  const numbers = new Map<string, number>();
  let isFirst = true;
  /** There is no first line, not even one that was changed: what stood before is gone. */
  let isCut = false;
  const take = (text: string): readonly LogLine[] => {
    const [, sum, signed = '', run = '', digits, json = ''] = RECORD.exec(text) ?? [];
    const record = sum === checksum(signed) ? parseJson(json) : undefined;
    if (!isObject(record)) return [];
    state.whole += 1;
    const number = Number(digits);
    if (number !== 0 && number <= (numbers.get(run) ?? 0)) return [];
    numbers.set(run, Math.max(number, numbers.get(run) ?? 0));
    return [{ ...(record as unknown as LogRecord), run, number }];
  };
  const takeLine = (line: string): readonly LogLine[] => {
    const parts = line.split(WHOLE);
    const before = state.whole;
    const records = parts.flatMap(take);
    // The last part is empty, or was cut off.
    state.damaged += Math.max(0, parts.length - 1 - (state.whole - before));
    if (isFirst) {
      isFirst = false;
      const [, salt = '', day = ''] = FIRST_LINE.exec(line) ?? [];
      if (day !== '') state.head = { salt: Number.parseInt(salt, 16), day };
      else {
        state.isForeign = state.whole === 0 && !isStart(line);
        isCut = line.length !== HEAD_LENGTH;
      }
    } else if (!state.head && line !== '') state.isForeign = true;
    return records;
  };
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield lines.flatMap(takeLine);
  }
  yield takeLine(rest);
  state.isForeign &&= state.whole === 0;
  if (isCut && state.whole > 0) state.damaged += 1;
}

/** The chunks of a file, or of one that is open. */
export function readChunks(file: string, fd?: number): AsyncIterable<string> {
  const options = { encoding: 'latin1', highWaterMark: CHUNK_BYTES, start: 0 } as const;
  const { createReadStream } = nodeModule('node:fs');
  return createReadStream(file, fd === undefined ? options : { ...options, fd, autoClose: false });
}

/** Whether a text is the beginning of a first line, as a crash at the first start leaves it. */
function isStart(line: string): boolean {
  return VERSION.startsWith(line.slice(0, VERSION.length)) && /^[\w -]*$/.test(line);
}

/** Keys of one record: its line is read at once. */
export const RECORD_KEYS = 1_000;

type TableEntry = KeyEntry & { readonly key: string };

/** The records of what a table remembers, one for each moment and sender. */
export function* recordsOf(entries: Iterable<TableEntry>): Generator<LogRecord> {
  let group: TableEntry[] = [];
  for (const entry of entries) {
    const [first = entry] = group;
    if (first.at !== entry.at || first.sender !== entry.sender || group.length === RECORD_KEYS) {
      yield tableRecord(group);
      group = [];
    }
    group.push(entry);
  }
  if (group.length > 0) yield tableRecord(group);
}

function tableRecord(group: readonly TableEntry[]): LogRecord {
  const [{ at, sender: from, value } = { at: 0, sender: 0 }] = group;
  if (value === undefined) return { at, from, events: { '': group.map(({ key }) => key) } };
  return { at, from, sessions: Object.fromEntries(group.map((each) => [each.key, each.value ?? ''])) };
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
}

/** Adds what a record counts, of the days that are wanted. */
export function addCounts(counts: Map<string, number>, record: LogRecord, isWanted: (day: string) => boolean): void {
  const add = (cell: string, count: number): void => {
    if (cell !== '' && isWanted(cell.slice(0, 10)) && isCount(count)) addCount(counts, cell, count);
  };
  for (const [cell, keys] of Object.entries(record.events ?? {})) add(cell, keys.length);
  for (const [cell, count] of Object.entries(record.counts ?? {})) add(cell, count);
}

/** What a file is called that could not be read as a whole, and was set aside. */
export function asidePath(file: string): string {
  return `${file}.unreadable-${Date.now()}`;
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
  const found: Partial<Found> = {};
  const problems: string[] = [];
  try {
    for await (const records of readRecords(readChunks(file), found))
      for (const record of records) addCounts(counts, record, (day) => day >= from && day <= to);
  } catch (error) {
    // What fails after opening, as of a directory, does not name the file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw Object.assign(error as Error, { path: file });
  }
  if (found.isForeign) problems.push(`${file} is of another version or damaged, and was skipped.`);
  if (found.damaged) problems.push(`${file}: lines that are damaged and were skipped: ${found.damaged}.`);
  const names = await nodeModule('node:fs/promises')
    .readdir(directory)
    .catch(() => []);
  for (const name of names) {
    const [, at = ''] = ASIDE.exec(name) ?? [];
    // It has counts of its day and of those before.
    if (at === '' || dateOf(Number(at)) < from) continue;
    problems.push(
      `${file} was damaged on ${dateOf(Number(at))}, and what it counted until then may be missing: ${name}.`,
    );
  }
  return { rows: ledgerRows(counts), problems };
}

const ASIDE = new RegExp(`^${ACCEPTED_LOG.replaceAll('.', '\\.')}\\.unreadable-(\\d{1,15})$`);
