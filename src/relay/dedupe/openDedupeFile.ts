import { nodeModule } from '../../http/nodeModule.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { addDays, dateOf } from '../../wire/utcDates.ts';
import { RelayConfigError } from '../errors.ts';
import { addCount, type Ledger } from '../ledger/ledger.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import {
  ACCEPTED_LOG,
  addCounts,
  headLine,
  newRun,
  readLedger,
  readRecords,
  recordLine,
  RunClock,
  type Found,
  type LogRecord,
} from './acceptedLog.ts';
import { steadyClock, type DedupeMemoryOptions } from './createDedupeMemory.ts';
import { untilSettled, type DedupeClaim, type DedupeStore } from './dedupeStore.ts';
import { KeyTable, randomSalt, senderNumber } from './keyTable.ts';

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

/** 46 MB of memory, and 90 MB on disk (86 MB measured for batches of ten). */
const DEFAULT_MAX = 1_000_000;
/** Sessions whose placement is remembered: 20 MB. */
const SESSIONS_MAX = 100_000;
/** Keys beyond twice as many as are remembered at which the file is written anew before its day is over. */
const SLACK_KEYS = 10_000;
/** Keys of one record: its line is read at once. */
const RECORD_KEYS = 1_000;
/** Days for which counts are kept. */
const KEPT_DAYS = 400;
/** Lines that wait for a disk with space, besides those of events: their placement is then forgotten at the next start. */
const OWED_MAX = 1_000;
/** Milliseconds after which counts are written that no event came along with, and a write that failed is tried again. */
const FLUSH_MS = 1_000;

/**
 * Accepted events in an append-only file that survives a restart and `kill -9`. One process at a time may have the
 * directory open. For Node, Bun and Deno.
 */
export async function openDedupeFile(directory: string, options: DedupeFileOptions = {}): Promise<DedupeFile> {
  const { max = DEFAULT_MAX, maxAgeMs = DEDUPE_MAX_AGE_MS, now = steadyClock() } = options;
  const onLog = options.onLog ?? (({ message }) => void process.stderr.write(`offerlet: ${message}\n`));
  const fs = nodeModule('node:fs/promises');
  const file = nodeModule('node:path').join(directory, ACCEPTED_LOG);
  // Refuses options that cannot be used before anything is created.
  const events = new KeyTable({ max, maxAgeMs });
  const sessions = new KeyTable({ max: SESSIONS_MAX, maxAgeMs });
  await fs.mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new RelayConfigError(`The directory ${directory} cannot be created. Use one that may be written to.`, {
      cause: error,
    });
  });
  const lock = await takeDirectory(directory, onLog);

  const run = newRun();
  const clock = new RunClock();
  const added = new Map<string, number>();
  /** Lines that are not in the file yet, the oldest first. */
  let owed: string[] = [];
  let number = 0;
  const held = new Set<string>();
  /** Whether the last write failed. */
  let isFailing = false;
  let turn: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Keys in the file, and at how many it is written anew at the earliest. */
  let [keys, rewriteAt] = [0, 0];
  /** By how much the clock of the file's first run is behind the time of the tables. */
  let begin = 0;
  let [salt, day] = [randomSalt(), dateOf(Date.now())];
  let handle: Awaited<ReturnType<typeof fs.open>>;
  try {
    await replay();
    handle = await fs.open(file, 'a');
    add({});
    // A full disk does not keep the relay from answering what it knows.
    await flush().catch(noteFailure);
  } catch (error) {
    await lock.release();
    const problem = `${file} cannot be read and written. Check its permissions, or use another directory.`;
    throw new RelayConfigError(problem, { cause: error });
  }

  /** Reads the file into the tables, and creates it when it is missing. */
  async function replay(): Promise<void> {
    const found: Found = { isNew: true, damaged: 0 };
    try {
      for await (const records of readRecords(file, found))
        for (const { run: of, at, from: sender = 0, events: given = {}, sessions: opened = {} } of records) {
          const time = clock.read(of, at);
          events.expire(time);
          for (const list of Object.values(given)) {
            keys += list.length;
            for (const key of list) events.add(key, { at: time, sender });
          }
          for (const [hash, value] of Object.entries(opened)) sessions.add(hash, { at: time, sender, value });
          keys += Object.keys(opened).length;
        }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (found.damaged > 0)
      onLog({ level: 'warn', message: `${file} has ${found.damaged} damaged lines, which count nothing.` });
    if (found.head) return void ({ salt, day } = found.head);
    if (!found.isNew) {
      const aside = `${file}.unreadable-${Date.now()}`;
      await fs.rename(file, aside);
      onLog({ level: 'warn', message: `${file} is of another version or damaged, and was moved to ${aside}. ${ANEW}` });
    }
    await fs.writeFile(file, headLine({ salt, day }));
  }

  /** The time by this run's clock, as records have it, and as the tables have it. */
  function readTime(): { at: number; time: number } {
    const at = Math.floor(now());
    return { at, time: clock.read(run, at) };
  }

  function add(record: Omit<LogRecord, 'at'>, { at } = readTime()): void {
    number += 1;
    owed.push(recordLine(run, number, { at, ...record }));
  }

  /** Writes are done one after another, and each takes what is owed by then. Resolves when all of it is in the file. */
  function flush(): Promise<void> {
    const done = turn.then(write);
    turn = done.catch(() => undefined);
    return done;
  }

  async function write(): Promise<void> {
    if (owed.length > 0) {
      const lines = owed;
      owed = [];
      try {
        lock.check();
        await handle.appendFile(lines.join(''), 'latin1');
        isFailing = false;
      } catch (error) {
        owed = [...lines, ...owed];
        isFailing = true;
        writeLater();
        throw error;
      }
    }
    const live = events.size + sessions.size;
    if (keys >= rewriteAt && (keys > live * 2 + SLACK_KEYS || dateOf(Date.now()) !== day)) await rewrite();
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

  /** Writes the file anew, without what has been forgotten. After a failure, appending goes on. */
  async function rewrite(): Promise<void> {
    const fresh = `${file}.new`;
    const today = dateOf(Date.now());
    try {
      lock.verify();
      // A new file: one that is there already may be what an earlier owner, frozen since, goes on writing to.
      await fs.rm(fresh, { force: true });
      const next = await fs.open(fresh, 'ax');
      try {
        await next.appendFile(headLine({ salt, day: today }));
        const kept = await copyLive((text) => next.appendFile(text, 'latin1'));
        // Nothing awaits in between: the file may be a new owner's after any pause.
        lock.verify();
        nodeModule('node:fs').renameSync(fresh, file);
        const last = handle;
        [handle, keys, rewriteAt, day, begin] = [next, kept, 0, today, clock.offset];
        await last.close();
      } catch (error) {
        await next.close();
        // What is there after a takeover is the new owner's; `verify` throws then, with the reason.
        lock.verify();
        await fs.rm(fresh, { force: true });
        throw error;
      }
    } catch (error) {
      rewriteAt = keys + SLACK_KEYS;
      onLog({ level: 'warn', message: `${file} could not be compacted.`, error: explain(error) });
    }
  }

  /** Copies what is remembered, and the sums of what was counted. What is owed is not there yet, and follows. */
  async function copyLive(append: (text: string) => Promise<void>): Promise<number> {
    const from = new RunClock(begin);
    const counts = new Map<string, number>();
    const firstDay = addDays(dateOf(Date.now()), -KEPT_DAYS);
    let kept = 0;
    const line = (record: LogRecord): string => recordLine(run, 0, record);
    for await (const records of readRecords(file, { isNew: true, damaged: 0 })) {
      let text = '';
      for (const record of records) {
        const at = from.read(record.run, record.at);
        addCounts(counts, record, (counted) => counted >= firstDay);
        const alive = Object.values(record.events ?? {})
          .flat()
          .filter((key) => events.get(key)?.at === at);
        const opened = Object.keys(record.sessions ?? {}).flatMap((hash) => {
          const session = sessions.get(hash);
          return session?.at === at && session.value !== undefined ? [[hash, session.value] as const] : [];
        });
        if (alive.length + opened.length === 0) continue;
        kept += alive.length + opened.length;
        text += line({
          at: clock.shown(at),
          ...(record.from !== undefined && { from: record.from }),
          ...(alive.length > 0 && { events: { '': alive } }),
          ...(opened.length > 0 && { sessions: Object.fromEntries(opened) }),
        });
      }
      if (text !== '') await append(text);
    }
    const all = [...counts];
    const at = Math.floor(now());
    for (let start = 0; start < all.length; start += RECORD_KEYS)
      await append(line({ at, counts: Object.fromEntries(all.slice(start, start + RECORD_KEYS)) }));
    await append(line({ at }));
    return kept;
  }

  function noteFailure(error: unknown): void {
    onLog({ level: 'warn', message: `${file} cannot be written.`, error: explain(error) });
  }

  return {
    lost: lock.lost,
    claim(wanted) {
      lock.check();
      const { time } = readTime();
      sessions.expire(time);
      events.expire(time);
      const claims = wanted.map((key) => (events.has(key) ? ('known' as const) : ('new' as const)));
      const hold = (): readonly DedupeClaim[] => {
        for (const [at, key] of wanted.entries()) if (claims[at] === 'new') held.add(key);
        return claims;
      };
      // While the disk is full, nothing is forwarded that could not be written down.
      return isFailing && claims.includes('new') ? flush().then(hold) : hold();
    },
    async accept(accepted, sender = '', cells = []) {
      for (const key of accepted) held.delete(key);
      const moment = readTime();
      const entry = { at: moment.time, sender: senderNumber(sender, salt) };
      for (let start = 0; start < accepted.length; start += RECORD_KEYS) {
        const given: Record<string, string[]> = {};
        for (let at = start; at < Math.min(accepted.length, start + RECORD_KEYS); at++) {
          const key = accepted[at] ?? '';
          // What is known already is in the file, or on its way there.
          if (!events.add(key, entry)) continue;
          (given[cells[at] ?? ''] ??= []).push(key);
          keys += 1;
        }
        if (Object.keys(given).length > 0) add({ from: entry.sender, events: given }, moment);
      }
      await flush();
      // A new owner that began to read before this was written does not know it.
      lock.check();
    },
    release(keys) {
      for (const key of keys) held.delete(key);
    },
    ledger: {
      add(counts) {
        for (const [cell, count] of counts) addCount(added, cell, count);
        writeLater();
      },
      async openSession(session, value, sender = '') {
        const before = sessions.get(session)?.value;
        if (before === value) return before;
        const from = senderNumber(sender, salt);
        const moment = readTime();
        sessions.add(session, { at: moment.time, sender: from, value });
        if (!isFailing || owed.length < OWED_MAX) add({ from, sessions: { [session]: value } }, moment);
        keys += 1;
        await flush();
        return before;
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
      await handle.close();
      await lock.release();
    },
  };
}

const ANEW = 'An event that was accepted before this start and is sent again now is forwarded again.';

async function takeDirectory(directory: string, onLog: (entry: LogEntry) => void): Promise<DirectoryLock> {
  try {
    return await lockDirectory(directory, {
      name: 'relay',
      say: (message) => onLog({ level: 'warn', message }),
    });
  } catch (error) {
    throw new RelayConfigError(
      error instanceof DirectoryInUseError
        ? `${error.message}. Stop it, or give this relay a directory of its own.`
        : `${directory} cannot be written to. Check its permissions, or use another directory.`,
      { cause: error },
    );
  }
}
