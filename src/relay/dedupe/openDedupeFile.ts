import { nodeModule } from '../../http/nodeModule.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { RelayConfigError } from '../errors.ts';
import { addCount, type Ledger } from '../ledger.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import { newRun, readLedger, recordLine, RunClock, type LogRecord } from './acceptedLog.ts';
import { steadyClock, type DedupeMemoryOptions } from './createDedupeMemory.ts';
import { noteUnconfirmed, untilSettled, type DedupeStore } from './dedupeStore.ts';
import { KeyTable, senderNumber } from './keyTable.ts';
import { Segments } from './segments.ts';

export interface DedupeFileOptions extends DedupeMemoryOptions {
  /** Gets what is noticed at the start and beside requests; written to stderr by default. */
  onLog?: (entry: LogEntry) => void;
}

/** Accepted events in a file, until it is closed. */
export interface DedupeFile extends DedupeStore {
  /** Resolves when the events, with what they count for, are handed to the operating system. */
  accept(keys: readonly string[], sender?: string, cells?: readonly string[]): Promise<void>;
  /** The counts for `offerlet audit`, in the same file. */
  readonly ledger: Ledger;
  close(): Promise<void>;
  /** Resolves with the reason once another process has taken the directory over: nothing is claimed or written then. */
  readonly lost: Promise<Error>;
  /** Number of events remembered. */
  size(): number;
}

/** 40 MB of memory, and 90 MB on disk in batches of ten (`npm run bench -- relay 1 0`). */
const DEFAULT_MAX = 1_000_000;
/** What is remembered of sessions: 100,000 of them in 12 MB, and fewer with long widget ids. */
const SESSIONS_MAX = 200_000;
/** Bytes on disk for each event that is remembered, twice what it takes: beyond, the oldest segment is dropped early. */
const EVENT_BYTES = 200;
/** Keys of one record: its line is read at once. */
const RECORD_KEYS = 1_000;
/** Lines that wait for a disk with space, besides those of events: their placement is then forgotten at the next start. */
const OWED_MAX = 1_000;
/** Milliseconds after which counts are written that no event came along with, and a write that failed is tried again. */
const FLUSH_MS = 1_000;
/** Milliseconds after which a write counts as one that fails: the disk hangs. */
const HANG_MS = 5_000;

/**
 * Accepted events in append-only files that survive a restart and `kill -9`. One process at a time may have the directory
 * open. For Node, Bun and Deno.
 */
export async function openDedupeFile(directory: string, options: DedupeFileOptions = {}): Promise<DedupeFile> {
  const { max = DEFAULT_MAX, maxAgeMs = DEDUPE_MAX_AGE_MS, now = steadyClock() } = options;
  const onLog = options.onLog ?? (({ message }) => void process.stderr.write(`offerlet: ${message}\n`));
  // Refuses options that cannot be used before anything is created.
  const events = new KeyTable({ max, maxAgeMs });
  const sessions = new KeyTable({ max: SESSIONS_MAX, maxAgeMs });
  await nodeModule('node:fs/promises')
    .mkdir(directory, { recursive: true, mode: 0o700 })
    .catch((error: unknown) => {
      throw unusable(`The directory ${directory} cannot be created`, error);
    });
  const lock = await takeDirectory(directory, onLog);

  const run = newRun();
  const clock = new RunClock();
  const added = new Map<string, number>();
  const files = new Segments({ directory, lock, run, maxBytes: max * EVENT_BYTES, maxAgeMs, onLog, readTime });
  /** Lines that are in no file yet, the oldest first. */
  let owed: string[] = [];
  const held = new Set<string>();
  /** What an earlier attempt may have brought to the network, in this run or one that ended with it. */
  const unconfirmed = new Map<string, true>();
  /** Whether the last write failed, and since when one is going on. */
  let [isFailing, writesSince] = [false, Number.POSITIVE_INFINITY];
  let turn: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await files.open((record) => {
      const { run: of, at, from: sender = 0, claimed = [], released = [] } = record;
      const { events: given = {}, sessions: opened = {} } = record;
      const time = clock.read(of, at);
      for (const table of [events, sessions]) table.expire(time);
      for (const key of claimed) noteUnconfirmed(unconfirmed, key);
      for (const key of released) unconfirmed.delete(key);
      for (const key of Object.values(given).flat()) {
        events.add(key, { at: time, sender });
        unconfirmed.delete(key);
      }
      for (const [hash, value] of Object.entries(opened)) sessions.add(hash, { at: time, sender, value });
      return time;
    });
    add({});
    // A full disk does not keep the relay from answering what it knows.
    await flush().catch(noteFailure);
  } catch (error) {
    await lock.release();
    throw unusable(`The files of accepted events in ${directory} cannot be read and written`, error);
  }

  /** The time by this run's clock, as records have it, and as the tables have it. */
  function readTime(): { at: number; time: number } {
    const at = Math.floor(now());
    return { at, time: clock.read(run, at) };
  }

  function add(record: Omit<LogRecord, 'at'>, { at } = readTime()): void {
    owed.push(recordLine(run, { at, ...record }));
  }

  /** Writes are done one after another, and each takes what is owed by then. Resolves when all of it is in the file. */
  function flush(): Promise<void> {
    const done = turn.then(write);
    turn = done.catch(() => undefined);
    return done;
  }

  async function write(): Promise<void> {
    if (owed.length === 0) return lock.check();
    writesSince = performance.now();
    const lines = owed;
    owed = [];
    try {
      await files.append(lines.join(''));
      isFailing = false;
    } catch (error) {
      owed = [...lines, ...owed];
      isFailing = true;
      writeLater();
      throw error;
    } finally {
      writesSince = Number.POSITIVE_INFINITY;
    }
  }

  /** Writes claims before anything is forwarded: a kill leaves them open. What is unconfirmed is in the file already. */
  async function writeClaims(keys: readonly string[]): Promise<void> {
    // While the disk is full, or hangs, there are no more of them.
    if (isFailing || performance.now() - writesSince > HANG_MS) await flush();
    const claimed = keys.filter((key) => !unconfirmed.has(key));
    if (claimed.length > 0) add({ claimed });
    const line = claimed.length > 0 ? owed.at(-1) : undefined;
    try {
      await flush();
      lock.check();
    } catch (error) {
      owed = owed.filter((each) => each !== line);
      throw error;
    }
    for (const key of keys) held.add(key);
  }

  function writeLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flushCounts().catch(() => undefined);
    }, FLUSH_MS);
    timer.unref?.();
  }

  function flushCounts(): Promise<void> {
    // While nothing can be written, counts are added up here.
    if (added.size > 0 && (!isFailing || owed.length < OWED_MAX)) {
      add({ counts: Object.fromEntries(added) });
      added.clear();
    }
    return flush();
  }

  function noteFailure(error: unknown): void {
    const message = `The files of accepted events in ${directory} cannot be written.`;
    onLog({ level: 'warn', message, error: explain(error) });
  }

  return {
    lost: lock.lost,
    claim(wanted) {
      lock.check();
      const { time } = readTime();
      sessions.expire(time);
      events.expire(time);
      const claims = wanted.map((key) => (events.has(key) ? 'known' : unconfirmed.has(key) ? 'unconfirmed' : 'new'));
      const own = wanted.filter((_, at) => claims[at] !== 'known');
      return own.length === 0 ? claims : writeClaims(own).then(() => claims);
    },
    async accept(accepted, sender = '', cells = []) {
      for (const key of accepted) {
        held.delete(key);
        unconfirmed.delete(key);
      }
      const moment = readTime();
      const entry = { at: moment.time, sender: senderNumber(sender, files.salt) };
      for (let start = 0; start < accepted.length; start += RECORD_KEYS) {
        const given: Record<string, string[]> = {};
        for (let at = start; at < Math.min(accepted.length, start + RECORD_KEYS); at++) {
          const key = accepted[at] ?? '';
          // What is known already is in the file, or on its way there.
          if (events.add(key, entry)) (given[cells[at] ?? ''] ??= []).push(key);
        }
        if (Object.keys(given).length > 0) add({ from: entry.sender, events: given }, moment);
      }
      await flush();
      // A new owner that began to read before this was written does not know it.
      lock.check();
    },
    release(keys, how) {
      for (const key of keys) {
        held.delete(key);
        if (how) noteUnconfirmed(unconfirmed, key);
        else unconfirmed.delete(key);
      }
      // Lost with a kill, they are unconfirmed at worst.
      if (!how && owed.length < OWED_MAX) add({ released: keys });
      writeLater();
    },
    ledger: {
      add(counts) {
        for (const [cell, count] of counts) addCount(added, cell, count);
        writeLater();
      },
      async openSession(session, value, sender = '') {
        const before = sessions.get(session)?.value;
        if (before !== undefined) return before;
        const from = senderNumber(sender, files.salt);
        const moment = readTime();
        sessions.add(session, { at: moment.time, sender: from, value });
        if (!isFailing || owed.length < OWED_MAX) add({ from, sessions: { [session]: value } }, moment);
        await flush();
        return undefined;
      },
      placementsOf: (wanted) => wanted.map((session) => sessions.get(session)?.value),
      async read(dates) {
        await flushCounts();
        return readLedger(directory, dates);
      },
    },
    size: () => events.size,
    async close() {
      await untilSettled(held);
      clearTimeout(timer);
      add({});
      await flushCounts().catch(noteFailure);
      clearTimeout(timer);
      await files.close();
      await lock.release();
    },
  };
}

async function takeDirectory(directory: string, onLog: (entry: LogEntry) => void): Promise<DirectoryLock> {
  try {
    return await lockDirectory(directory, { name: 'relay', say: (message) => onLog({ level: 'warn', message }) });
  } catch (error) {
    if (!(error instanceof DirectoryInUseError)) throw unusable(`${directory} cannot be written to`, error);
    const problem = `${error.message}. Stop it, or give this relay another directory.`;
    throw new RelayConfigError(problem, { cause: error });
  }
}

function unusable(problem: string, cause: unknown): RelayConfigError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  const help = 'Check its permissions and space, or use another directory.';
  return new RelayConfigError(`${problem} (${code}). ${help}`, { cause });
}
