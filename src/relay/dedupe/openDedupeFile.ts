import { nodeModule } from '../../http/nodeModule.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { addDays, dateOf } from '../../wire/utcDates.ts';
import { RelayConfigError } from '../errors.ts';
import { addCount, type Ledger } from '../ledger.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import {
  ACCEPTED_LOG,
  addCounts,
  asidePath,
  readChunks,
  headLine,
  newRun,
  readLedger,
  readRecords,
  recordLine,
  recordsOf,
  RECORD_KEYS,
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
/** What is remembered of sessions: 100,000 of them in 12 MB, and fewer with long widget ids. */
const SESSIONS_MAX = 200_000;
/** Bytes, beyond twice as many as it began with, at which the file is written anew before its day is over. */
const SLACK_BYTES = 1024 * 1024;
/** Sums of one record: a damaged one costs no more. */
const RECORD_CELLS = 20;
/** Characters after which a part is written separately. */
const PART_CHARACTERS = 256 * 1024;
/** Days for which counts are kept. */
const KEPT_DAYS = 400;
/** Lines that wait for a disk with space, besides those of events: their placement is then forgotten at the next start. */
const OWED_MAX = 1_000;
/** Milliseconds after which counts are written that no event came along with, and a write that failed is tried again. */
const FLUSH_MS = 1_000;
/** Milliseconds after which a write counts as one that fails: the disk hangs. */
const HANG_MS = 5_000;
/** Milliseconds after which a write looks again whether its file is still the one in the directory. */
const LOOK_MS = 1_000;

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
    throw unusable(`The directory ${directory} cannot be created`, error);
  });
  const lock = await takeDirectory(directory, onLog);

  const run = newRun();
  const clock = new RunClock();
  const added = new Map<string, number>();
  /** Lines that are not in the file yet, the oldest first. */
  let owed: string[] = [];
  /** The number of the latest record, and of the latest one that is not owed. */
  let [number, written] = [0, 0];
  const held = new Set<string>();
  /** Whether the last write failed, and since when one is going on. */
  let [isFailing, writesSince] = [false, Number.POSITIVE_INFINITY];
  let turn: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [salt, day] = [randomSalt(), dateOf(Date.now())];
  /** Bytes of the file at least, at how many it is written anew, and when they were last compared with what is there. */
  let [bytes, bytesMax, lookedAt] = [0, 0, 0];
  let inode: number | undefined;
  let handle: Awaited<ReturnType<typeof fs.open>>;
  try {
    await replay();
    await use(await fs.open(file, 'a+'));
    add({});
    // A full disk does not keep the relay from answering what it knows.
    await flush().catch(noteFailure);
  } catch (error) {
    await lock.release();
    throw unusable(`${file} cannot be read and written`, error);
  }

  /** Reads the file into the tables, and creates it when it is missing. */
  async function replay(): Promise<void> {
    const found: Partial<Found> = {};
    try {
      for await (const records of readRecords(readChunks(file), found))
        for (const { run: of, at, from: sender = 0, events: given = {}, sessions: opened = {} } of records) {
          const time = clock.read(of, at);
          for (const table of [events, sessions]) table.expire(time);
          for (const key of Object.values(given).flat()) events.add(key, { at: time, sender });
          for (const [hash, value] of Object.entries(opened)) sessions.add(hash, { at: time, sender, value });
        }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (found.head) ({ salt, day } = found.head);
    // What is damaged is written anew at once.
    if (found.damaged || (found.whole && !found.head)) day = '';
    if (found.whole || found.head) return;
    if (found.isForeign) {
      const aside = asidePath(file);
      await fs.rename(file, aside);
      onLog({ level: 'warn', message: `${file} is of another version or damaged, and was moved to ${aside}. ${ANEW}` });
    }
    await fs.writeFile(file, headLine({ salt, day }));
  }

  async function use(opened: typeof handle): Promise<void> {
    const [own, named] = await Promise.all([opened.stat(), fs.stat(file)]);
    [handle, bytes] = [opened, own.size];
    // On some file systems, a file has another one each time.
    inode = own.ino === named.ino ? own.ino : undefined;
    [bytesMax, lookedAt] = [bytes * 2 + SLACK_BYTES, performance.now()];
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
    writesSince = performance.now();
    try {
      lock.check();
      const isDue = bytes > bytesMax || dateOf(Date.now()) !== day;
      if (owed.length > 0 && !(await isInPlace())) {
        const isCut = (await handle.stat()).size < bytes;
        await takeOwed(rewrite);
        // What was cut off is counted nowhere: the mark says so in audits.
        if (isCut) await fs.writeFile(asidePath(file), '').catch(noteFailure);
        onLog({ level: 'warn', message: `${file} was removed, replaced or cut. It was written anew. ${CUT}` });
      } else if (isDue) await takeOwed(rewrite).catch(putOff);
      if (owed.length > 0) await takeOwed(append);
      isFailing = false;
    } catch (error) {
      isFailing = true;
      writeLater();
      throw error;
    } finally {
      writesSince = Number.POSITIVE_INFINITY;
    }
  }

  /** Whether the file in the directory is still the open one, with all that was written. Looks once a second. */
  async function isInPlace(): Promise<boolean> {
    if (performance.now() - lookedAt < LOOK_MS) return true;
    const found = await fs.stat(file).catch(() => undefined);
    if (found === undefined || found.size < bytes || (inode ?? found.ino) !== found.ino) return false;
    lookedAt = performance.now();
    return true;
  }

  /** Writes what is owed, which stays owed when that fails. */
  async function takeOwed(write: (text: string) => Promise<void>): Promise<void> {
    const [lines, latest] = [owed, number];
    owed = [];
    try {
      await write(lines.join(''));
      written = latest;
    } catch (error) {
      owed = [...lines, ...owed];
      throw error;
    }
  }

  async function append(text: string): Promise<void> {
    lock.check();
    await handle.appendFile(text, 'latin1');
    bytes += text.length;
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

  /** Writes the file anew: what is remembered, the sums of what was counted, and what is owed. */
  async function rewrite(text: string): Promise<void> {
    // Of one moment with what is owed: an event is known exactly if it counts.
    const tables = [events.copy(), sessions.copy()];
    const [offset, at] = [clock.offset, Math.floor(now())];
    const today = dateOf(Date.now());
    const fresh = `${file}.new`;
    lock.verify();
    // A new file: one that is there already may be what an earlier owner, frozen since, goes on writing to.
    await fs.rm(fresh, { force: true });
    const next = await fs.open(fresh, 'ax+');
    try {
      const [counts, found]: [Map<string, number>, Partial<Found>] = [new Map(), {}];
      // By the earlier of two clocks: a wrong one at a start deletes nothing.
      const firstDay = addDays([today, dateOf(at + offset)].toSorted()[0] ?? today, -KEPT_DAYS);
      for await (const records of readRecords(readChunks(file, handle.fd), found))
        for (const record of records)
          // A write that failed may have left what is owed in the file.
          if (record.run !== run || record.number <= written)
            addCounts(counts, record, (counted) => counted >= firstDay);
      const lines = function* (): Generator<string> {
        yield headLine({ salt, day: today });
        for (const entries of tables)
          for (const record of recordsOf(entries)) yield recordLine(run, 0, { ...record, at: record.at - offset });
        const all = [...counts];
        for (let start = 0; start < all.length; start += RECORD_CELLS)
          yield recordLine(run, 0, { at, counts: Object.fromEntries(all.slice(start, start + RECORD_CELLS)) });
        yield recordLine(run, 0, { at });
      };
      let part = '';
      for (const line of lines()) {
        part += line;
        if (part.length < PART_CHARACTERS) continue;
        await next.appendFile(part, 'latin1');
        part = '';
      }
      await next.appendFile(part + text, 'latin1');
      const aside = found.damaged ? asidePath(file) : undefined;
      if (aside !== undefined) await fs.copyFile(file, aside);
      // Nothing awaits in between: the file may be a new owner's after any pause.
      lock.verify();
      nodeModule('node:fs').renameSync(fresh, file);
      day = today;
      const last = handle;
      await use(next);
      await last.close().catch(noteFailure);
      const message = `${file} had damaged lines, which count nothing, and was copied to ${aside}.`;
      if (aside !== undefined) onLog({ level: 'warn', message });
    } catch (error) {
      await next.close();
      // What is there after a takeover is the new owner's; `verify` throws then, with the reason.
      lock.verify();
      await fs.rm(fresh, { force: true });
      throw error;
    }
  }

  /** After a failure, appending goes on. */
  function putOff(error: unknown): void {
    [day, bytesMax] = [dateOf(Date.now()), bytes + SLACK_BYTES];
    onLog({ level: 'warn', message: `${file} could not be compacted.`, error: explain(error) });
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
      // While the disk is full, or hangs, nothing is forwarded that could not be written down.
      const isStuck = isFailing || performance.now() - writesSince > HANG_MS;
      return isStuck && claims.includes('new') ? flush().then(hold) : hold();
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
          if (events.add(key, entry)) (given[cells[at] ?? ''] ??= []).push(key);
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
        if (before !== undefined) return before;
        const from = senderNumber(sender, salt);
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
      await handle.close();
      await lock.release();
    },
  };
}

const CUT = 'What else was in it is kept as far as this relay remembers it, or still had it open.';
const ANEW = 'An event that was accepted before this start and is sent again now is forwarded again.';

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
