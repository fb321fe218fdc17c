import type { FileHandle } from 'node:fs/promises';
import { steadyClock } from '../../http/steadyClock.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { DEDUPE_MAX_AGE_MS, QUEUE_MAX_AGE_MS } from '../../wire/limits.ts';
import { RelayConfigError } from '../errors.ts';
import { nodeModule } from '../runtime/nodeModule.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import {
  dedupeTable,
  randomSalt,
  SENDERS,
  type DedupeEntry,
  type DedupeMemoryOptions,
  type DedupeTable,
} from './createDedupeMemory.ts';
import type { DedupeStore } from './dedupeStore.ts';

export interface DedupeFileOptions extends DedupeMemoryOptions {
  /** Gets what is noticed at the start and beside requests; written to stderr by default. */
  onLog?: (entry: LogEntry) => void;
}

/** Accepted events in a file, until it is closed. */
export interface DedupeFile extends DedupeStore {
  close(): Promise<void>;
  /** Resolves with the reason once another process has taken the directory over: nothing is claimed or written then. */
  readonly lost: Promise<Error>;
  /** Number of events remembered. */
  size(): number;
}

/** 46 MB of memory, and as much on disk. */
const DEFAULT_MAX = 1_000_000;

/**
 * Accepted events in an append-only file that survives a restart and `kill -9`. One process at a time may have the
 * directory open. For Node, Bun and Deno.
 */
export async function openDedupeFile(directory: string, options: DedupeFileOptions = {}): Promise<DedupeFile> {
  const fs = nodeModule('node:fs/promises');
  const { max = DEFAULT_MAX, maxAgeMs, now = steadyClock() } = options;
  const onLog = options.onLog ?? (({ message }) => void process.stderr.write(`offerlet: ${message}\n`));
  const file = nodeModule('node:path').join(directory, 'accepted-events.log');
  const open = (salt?: number): DedupeTable =>
    dedupeTable({ max, now, ...(maxAgeMs !== undefined && { maxAgeMs }) }, salt);
  // Refuses options that cannot be used before anything is created.
  open();
  await fs.mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new RelayConfigError(`The directory ${directory} cannot be created. Use one that may be written to.`, {
      cause: error,
    });
  });
  const lock = await takeDirectory(directory, onLog);
  const log = await openLog(file, { open, now, onLog, verify: () => lock.verify() }).catch(async (error: unknown) => {
    await lock.release();
    throw new RelayConfigError(`${file} cannot be read and written. Check its permissions, or use another directory.`, {
      cause: error,
    });
  });

  return {
    lost: lock.lost,
    claim(keys) {
      lock.check();
      return log.table.claim(keys);
    },
    async accept(keys, sender) {
      lock.check();
      const accepted = log.table.accept(keys, sender);
      await log.append(keys.map((key) => ({ key, ...accepted })));
      // A new owner that began to read before this was written does not know it.
      lock.check();
    },
    release: () => undefined,
    size: () => log.table.size(),
    async close() {
      await log.close();
      await lock.release();
    },
  };
}

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

/** The append-only file, and the table that it was read into. */
interface DedupeLog {
  readonly table: DedupeTable;
  /** Resolves when the entries are handed to the operating system. */
  append(entries: readonly DedupeEntry[]): Promise<void>;
  close(): Promise<void>;
}

interface DedupeLogOptions {
  /** Creates an empty table. */
  open(salt?: number): DedupeTable;
  now(): number;
  readonly onLog: (entry: LogEntry) => void;
  /** Throws when the file belongs to another process by now, which is asked before it is replaced. */
  verify(): void;
}

/** The first line: the version of the format, and the salt of the senders' numbers. */
const FIRST_LINE = /^offerlet accepted events 1 salt ([0-9a-f]{8})\n/;
const FIRST_LINE_START = 'offerlet accepted events 1 salt ';
/** Lines beyond twice the number of remembered events at which the file is compacted. */
const SLACK_LINES = 10_000;
/** Lines written in one go. */
const CHUNK_LINES = 10_000;
/**
 * Milliseconds that a relay was stopped that count for the age of its events. More than that may be a wrong clock. Events
 * are remembered this much longer than any sender stores them, so a clock that is wrong at a start costs nothing.
 */
const STOP_MAX_MS = DEDUPE_MAX_AGE_MS - QUEUE_MAX_AGE_MS;

/** Reads the file into a table, creates it when it is missing, and appends to it from then on. */
async function openLog(file: string, { open, now, onLog, verify }: DedupeLogOptions): Promise<DedupeLog> {
  const fs = nodeModule('node:fs/promises');
  const { renameSync } = nodeModule('node:fs');
  const text = await fs.readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const first = FIRST_LINE.exec(text);
  const salt = first?.[1] === undefined ? randomSalt() : Number.parseInt(first[1], 16);
  const firstLine = `${FIRST_LINE_START}${salt.toString(16).padStart(8, '0')}\n`;
  const table = open(salt);
  let lines = 0;
  /** The last write may have left half a line behind. */
  let isTorn = false;
  let rewriteAt = 0;
  let writing: Promise<void> = Promise.resolve();
  let isMoved = false;
  if (first) read(first[0].length);
  else await startAnew();
  let handle: FileHandle = await fs.open(file, 'a');
  await rewriteIfStale();
  await markTime();

  function read(begin: number): void {
    const end = text.lastIndexOf('\n') + 1;
    // What follows the last line break was cut off by a crash; the next line must not continue it.
    isTorn = end < text.length;
    const moveMs = clockMoved(begin, end);
    isMoved = moveMs !== 0;
    for (let start = begin, stop; start < end; start = stop + 1) {
      stop = text.indexOf('\n', start);
      const entry = parseLine(text.slice(start, stop));
      if (entry) table.restore({ ...entry, acceptedAt: entry.acceptedAt + moveMs });
      lines += 1;
    }
  }

  /** Milliseconds by which the clock is ahead of, or behind, what it can have come to since the last time in the file. */
  function clockMoved(begin: number, end: number): number {
    for (let stop = end - 1; stop > begin;) {
      const start = text.lastIndexOf('\n', stop - 1) + 1;
      const last = TIME.exec(text.slice(start, stop))?.[1];
      const sinceMs = last === undefined ? undefined : Math.floor(now()) - Number.parseInt(last, 36);
      if (sinceMs !== undefined) return sinceMs - Math.min(Math.max(sinceMs, 0), STOP_MAX_MS);
      stop = start - 1;
    }
    return 0;
  }

  /** Writes when this run begins or ends: the next one counts from there. Without it, it counts from the last event. */
  async function markTime(): Promise<void> {
    try {
      verify();
      await writeText(`${Math.floor(now()).toString(36)} -\n`);
    } catch {
      // A full disk, or another owner.
    }
  }

  async function startAnew(): Promise<void> {
    // A process that ended at once leaves a part of the first line.
    const isCutOff = text.length < firstLine.length && text.startsWith(FIRST_LINE_START.slice(0, text.length));
    if (!isCutOff) {
      const aside = `${file}.unreadable-${Date.now()}`;
      await fs.rename(file, aside);
      onLog({ level: 'warn', message: `${file} ${UNREADABLE} ${aside}. ${CONSEQUENCE}` });
    }
    await fs.writeFile(file, firstLine);
  }

  async function write(entries: readonly DedupeEntry[]): Promise<void> {
    await writeText(entries.map(lineOf).join(''));
    lines += entries.length;
    await rewriteIfStale();
  }

  async function writeText(added: string): Promise<void> {
    try {
      await handle.appendFile(isTorn ? `\n${added}` : added);
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    }
  }

  /**
   * Writes the file anew when most of it is stale, or its times are of another clock. After a failure, appending goes on.
   */
  async function rewriteIfStale(): Promise<void> {
    if (lines < rewriteAt || !(isMoved || lines > table.size() * 2 + SLACK_LINES)) return;
    try {
      await rewrite();
      rewriteAt = 0;
      isMoved = false;
    } catch (error) {
      rewriteAt = lines + SLACK_LINES;
      onLog({ level: 'warn', message: `${file} could not be compacted.`, error: explain(error) });
    }
  }

  async function rewrite(): Promise<void> {
    const fresh = `${file}.new`;
    verify();
    // A file of its own: one that is there already may be what an earlier owner, frozen since, goes on writing to.
    await fs.rm(fresh, { force: true });
    const next = await fs.open(fresh, 'wx');
    try {
      // The table goes on changing while the chunks are written.
      const chunks = chunksOf(table.entries());
      await next.appendFile(firstLine);
      for (const chunk of chunks) await next.appendFile(chunk);
      // Nothing awaits in between: the file may be a new owner's after any pause.
      verify();
      renameSync(fresh, file);
    } catch (error) {
      await next.close();
      // What is there after a takeover is the new owner's; `verify` throws then, with the reason.
      verify();
      await fs.rm(fresh, { force: true });
      throw error;
    }
    const last = handle;
    handle = next;
    lines = table.size();
    isTorn = false;
    await last.close();
  }

  return {
    table,
    append(entries) {
      const written = writing.then(() => write(entries));
      // The next write must not fail because this one did.
      writing = written.catch(() => undefined);
      return written;
    },
    async close() {
      await writing;
      await markTime();
      await handle.close();
    },
  };
}

const UNREADABLE = 'is of another version or damaged, and was moved to';
const CONSEQUENCE = 'An event that was accepted before this start and is sent again now is forwarded again.';

/** A line: `<time> <key> <sender>` for an event, `<time> -` for the begin or the end of a run, the numbers in base 36. */
const TIME = /^([0-9a-z]{1,11}) (?:[0-9a-f]{32} |-$)/;

function lineOf({ key, acceptedAt, sender }: DedupeEntry): string {
  return `${acceptedAt.toString(36)} ${key} ${sender.toString(36)}\n`;
}

function parseLine(line: string): DedupeEntry | undefined {
  const [, time = '', key = '', sender = ''] = /^([0-9a-z]{1,11}) ([0-9a-f]{32}) ([0-9a-z]{1,3})$/.exec(line) ?? [];
  const number = Number.parseInt(sender, 36);
  return number < SENDERS ? { key, acceptedAt: Number.parseInt(time, 36), sender: number } : undefined;
}

function chunksOf(entries: Iterable<DedupeEntry>): readonly string[] {
  const chunks: string[] = [];
  let lines: string[] = [];
  for (const entry of entries) {
    if (lines.push(lineOf(entry)) < CHUNK_LINES) continue;
    chunks.push(lines.join(''));
    lines = [];
  }
  chunks.push(lines.join(''));
  return chunks;
}
