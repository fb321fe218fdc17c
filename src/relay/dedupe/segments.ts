import type { FileHandle } from 'node:fs/promises';
import { nodeModule } from '../../http/nodeModule.ts';
import type { DirectoryLock } from '../../lock/lockDirectory.ts';
import { addDays, dateOf, HOUR_MS } from '../../wire/utcDates.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import {
  addCounts,
  asidePath,
  COUNTS_LOG,
  listSegments,
  readHead,
  readRecords,
  segmentName,
  writeSums,
  type LogLine,
} from './acceptedLog.ts';
import { randomSalt } from './keyTable.ts';

/** A segment of the full space is this part of it. */
const SEGMENTS = 16;
const SEGMENT_MIN_BYTES = 64 * 1024;
/** Segments that are dropped at once: the sums are written anew each time. */
const DROPPED_MIN = 24;
/** Days for which counts are kept. */
const KEPT_DAYS = 400;
/** Milliseconds after which a write looks again whether its file is still the one in the directory. */
const LOOK_MS = 1_000;

/** A file of what was accepted in about an hour. */
interface Segment {
  readonly number: number;
  /** When its first and its latest record were written. */
  first: number;
  last: number;
  /** What was written of it. */
  bytes: number;
  isDamaged: boolean;
}

export interface SegmentsOptions {
  readonly directory: string;
  readonly lock: DirectoryLock;
  /** The id of this process in records. */
  readonly run: string;
  /** Bytes beyond which the oldest segments are dropped before their time. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly onLog: (entry: LogEntry) => void;
  /** The time by this run's clock, as records have it, and over all runs. */
  readTime(): { readonly at: number; readonly time: number };
}

/** The files of one directory. What was accepted in an hour is in one of them, which is dropped whole. */
export class Segments {
  /** Of the senders' numbers. */
  salt = randomSalt();
  readonly #is: SegmentsOptions;
  readonly #fs = nodeModule('node:fs/promises');
  readonly #bytesMax: number;
  readonly #sums: string;
  /** The oldest first; the last one is written to. */
  readonly #all: Segment[] = [];
  #handle: FileHandle | undefined;
  #inode: number | undefined;
  #lookedAt = 0;
  #isFailing = false;
  #dropping: Promise<void> | undefined;

  constructor(options: SegmentsOptions) {
    this.#is = options;
    this.#bytesMax = Math.max(SEGMENT_MIN_BYTES, options.maxBytes / SEGMENTS);
    this.#sums = this.#pathOf(COUNTS_LOG);
  }

  /** Reads all records, oldest first, and begins a segment. `read` returns when a record was written. */
  async open(read: (record: LogLine) => number): Promise<void> {
    const head = await readHead(this.#is.directory);
    if (head) this.salt = head.salt;
    const numbers = await listSegments(this.#is.directory);
    const through = head?.through ?? (numbers[0] ?? 1) - 1;
    // The sums are missing, or do not say of which segments they are.
    if (!head) await this.#sumUp([], through);
    for (const number of numbers) {
      const segment = newSegment(number);
      // A crash kept it from being removed.
      if (number <= through) await this.#remove(segment);
      else await this.#read(segment, read);
    }
    // What an earlier owner, frozen since, cuts off is never this one's.
    await this.#use(newSegment((numbers.at(-1) ?? through) + 1));
  }

  /** Appends to the latest segment. After a failure, what it has left is cut off first: it would count twice. */
  async append(text: string): Promise<void> {
    const { lock } = this.#is;
    lock.check();
    if (!(await this.#isInPlace())) await this.#beginAnew();
    else if (this.#isFailing) await this.#handle?.truncate(this.#current.bytes);
    else if (this.#isFull()) await this.#beginNext().catch((error: unknown) => this.#say('cannot be written', error));
    this.#isFailing = true;
    lock.check();
    await this.#handle?.appendFile(text, 'latin1');
    this.#isFailing = false;
    const { time } = this.#is.readTime();
    const segment = this.#current;
    segment.bytes += text.length;
    segment.first = Math.min(segment.first, time);
    segment.last = time;
  }

  async close(): Promise<void> {
    await this.#dropping;
    await this.#handle?.close();
  }

  async #read(segment: Segment, read: (record: LogLine) => number): Promise<void> {
    const [file, found] = [this.#fileOf(segment), { damaged: 0 }];
    for await (const records of readRecords(file, found))
      for (const record of records) {
        const time = read(record);
        segment.first = Math.min(segment.first, time);
        segment.last = Math.max(segment.last, time);
      }
    segment.bytes = (await this.#fs.stat(file)).size;
    segment.isDamaged = found.damaged > 0;
    this.#all.push(segment);
    const message = `${file} has damaged lines, which count nothing.`;
    if (segment.isDamaged) this.#is.onLog({ level: 'warn', message });
  }

  async #use(segment: Segment): Promise<void> {
    const file = this.#fileOf(segment);
    const opened = await this.#fs.open(file, 'ax', 0o600);
    const [own, named] = await Promise.all([opened.stat(), this.#fs.stat(file)]);
    // On some file systems, a file has another one each time.
    this.#inode = own.ino === named.ino ? own.ino : undefined;
    this.#lookedAt = performance.now();
    this.#all.push(segment);
    const last = this.#handle;
    this.#handle = opened;
    await last?.close();
  }

  get #current(): Segment {
    return this.#all.at(-1) ?? newSegment(0);
  }

  #isFull(): boolean {
    const { bytes, first } = this.#current;
    return bytes >= this.#bytesMax || this.#is.readTime().time - first >= HOUR_MS;
  }

  /** Goes on in a new segment, and drops those that are too old, or too much. */
  async #beginNext(): Promise<void> {
    await this.#use(newSegment(this.#current.number + 1));
    const end = this.#is.readTime().time - this.#is.maxAgeMs;
    const most = this.#bytesMax * SEGMENTS;
    const total = this.#all.reduce((sum, { bytes }) => sum + bytes, 0);
    let [left, count] = [total, 0];
    for (const { last, bytes } of this.#all.slice(0, -1)) {
      if (last > end && left <= most) break;
      left -= bytes;
      count += 1;
    }
    // Nobody waits for that.
    if (count >= DROPPED_MIN || (count > 0 && total > most))
      this.#dropping ??= this.#drop(count).finally(() => (this.#dropping = undefined));
  }

  /** Somebody has removed, replaced or cut the segment. */
  async #beginAnew(): Promise<void> {
    const file = this.#fileOf(this.#current);
    await this.#use(newSegment(this.#current.number + 1));
    await this.#fs.writeFile(asidePath(file), '', { mode: 0o600 });
    this.#is.onLog({ level: 'warn', message: `${file} was removed, replaced or cut. ${CUT}` });
  }

  async #drop(count: number): Promise<void> {
    const old = this.#all.slice(0, count);
    try {
      await this.#sumUp(old, old.at(-1)?.number ?? 0);
      this.#all.splice(0, count);
      for (const each of old) await this.#remove(each);
    } catch (error) {
      this.#say('cannot be dropped', error);
    }
  }

  /** Adds segments to the sums of those that were dropped before. */
  async #sumUp(old: readonly Segment[], through: number): Promise<void> {
    const { run, lock, readTime } = this.#is;
    const { at, time } = readTime();
    // By the earlier of two clocks: a wrong one at a start deletes nothing.
    const firstDay = addDays(dateOf(Math.min(Date.now(), time)), -KEPT_DAYS);
    const [counts, found] = [new Map<string, number>(), { damaged: 0 }];
    const addFrom = async (file: string): Promise<void> => {
      for await (const records of readRecords(file, found))
        for (const record of records) addCounts(counts, record, (day) => day >= firstDay);
    };
    await addFrom(this.#sums);
    if (found.damaged > 0) await this.#fs.copyFile(this.#sums, asidePath(this.#sums));
    for (const each of old) await addFrom(this.#fileOf(each));
    await writeSums(this.#sums, { counts, run, at, head: { through, salt: this.salt }, verify: lock.verify });
  }

  /** Removes what is in the sums. What is damaged is kept, and audits name it. */
  async #remove(segment: Segment): Promise<void> {
    this.#is.lock.verify();
    const file = this.#fileOf(segment);
    await (segment.isDamaged ? this.#fs.rename(file, asidePath(file)) : this.#fs.rm(file));
  }

  /** Whether the segment in the directory is still the open one, with all that was written. Looks once a second. */
  async #isInPlace(): Promise<boolean> {
    if (performance.now() - this.#lookedAt < LOOK_MS) return true;
    const found = await this.#fs.stat(this.#fileOf(this.#current)).catch(() => undefined);
    if (found === undefined || found.size < this.#current.bytes || (this.#inode ?? found.ino) !== found.ino)
      return false;
    this.#lookedAt = performance.now();
    return true;
  }

  #pathOf(name: string): string {
    return nodeModule('node:path').join(this.#is.directory, name);
  }

  #fileOf({ number }: Segment): string {
    return this.#pathOf(segmentName(number));
  }

  #say(problem: string, error: unknown): void {
    const message = `The files of accepted events in ${this.#is.directory} ${problem}.`;
    this.#is.onLog({ level: 'warn', message, error: explain(error) });
  }
}

const CUT = 'What it counted, and which events it had, may be missing: the latter from the next start on.';

function newSegment(number: number): Segment {
  return { number, first: Infinity, last: 0, bytes: 0, isDamaged: false };
}
