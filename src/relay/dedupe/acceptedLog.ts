import type { FileHandle } from 'node:fs/promises';
import { DEDUPE_MAX_AGE_MS, QUEUE_MAX_AGE_MS } from '../../wire/limits.ts';
import { HOUR_MS } from '../../wire/utcDates.ts';
import { appendSegment, deleteOldDays } from '../ledger/dayFiles.ts';
import { addCount } from '../ledger/ledger.ts';
import { nodeModule } from '../../http/nodeModule.ts';
import { explain, type LogEntry } from '../telemetry.ts';
import { randomSalt, type DedupeEntry, type DedupeTable } from './createDedupeMemory.ts';
import {
  ACCEPTED_LOG,
  cellLine,
  countLine,
  CUT_OFF,
  entryLine,
  FIRST_LINE,
  FIRST_LINE_START,
  foldedLine,
  readAcceptedLog,
  segmentLine,
  sessionLine,
  type LogSession,
} from './readAcceptedLog.ts';

/** The append-only file of accepted events, and what it was read into. */
export interface AcceptedLog {
  readonly table: DedupeTable;
  /** Resolves when the events, with what they count for, are handed to the operating system. */
  accept(keys: readonly string[], sender?: string, cells?: readonly string[]): Promise<void>;
  openSession(hash: string, placement: string): Promise<void>;
  placementOf(hash: string): string | undefined;
  /** Adds to counts that no event carries. They are written with the next events, or after a second. */
  addCounts(counts: ReadonlyMap<string, number>): void;
  /** Resolves when everything that was added before is written. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface AcceptedLogOptions {
  /** Creates an empty table. */
  open(salt?: number): DedupeTable;
  now(): number;
  readonly onLog: (entry: LogEntry) => void;
  /** Throws when the file belongs to another process by now, which is checked before it is replaced. */
  verify(): void;
}

/** Lines beyond twice the number of remembered events at which the file is compacted. */
const SLACK_LINES = 10_000;
/** Lines written in one go. */
const CHUNK_LINES = 10_000;
/** Sessions whose placement is remembered: 20 MB. */
const SESSIONS_MAX = 100_000;
/** Milliseconds after which counts are written that no event came along with. */
const FLUSH_MS = 1_000;
/**
 * Milliseconds that a relay was stopped that count for the age of its events. More than that may be a wrong clock. Events
 * are remembered this much longer than any sender stores them, so a clock that is wrong at a start costs nothing.
 */
const STOP_MAX_MS = DEDUPE_MAX_AGE_MS - QUEUE_MAX_AGE_MS;

/** Reads the file into memory, creates it when it is missing, and appends to it from then on. */
export async function openAcceptedLog(
  directory: string,
  { open, now, onLog, verify }: AcceptedLogOptions,
): Promise<AcceptedLog> {
  const fs = nodeModule('node:fs/promises');
  const { renameSync } = nodeModule('node:fs');
  const file = nodeModule('node:path').join(directory, ACCEPTED_LOG);
  const text = await fs.readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const first = FIRST_LINE.exec(text);
  const salt = first?.[1] === undefined ? randomSalt() : Number.parseInt(first[1], 16);
  const firstLine = `${FIRST_LINE_START}${salt.toString(16).padStart(8, '0')}\n`;
  const table = open(salt);
  const sessions = new Map<string, LogSession>();
  /** Accepted, but not in the file, because writing failed. */
  const unwritten = new Set<string>();
  /** Counts of earlier segments that are still to be moved to the files of their days. */
  let closed: (readonly [segment: string, counts: ReadonlyMap<string, number>])[] = [];
  let segment = '';
  /** Whether the segment has begun in the file. */
  let isOpen = false;
  /** The numbers of cells that the segment has in the file. */
  let numbers = new Map<string, number>();
  let counts = new Map<string, number>();
  let added = new Map<string, number>();
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let foldedAt = hourNow();
  let lines = 0;
  /** The last write may have left half a line behind. */
  let isTorn = false;
  let rewriteAt = 0;
  let writing: Promise<void> = Promise.resolve();
  let isMoved = false;
  if (first) read(first[0].length);
  else await startAnew();
  let handle: FileHandle = await fs.open(file, 'a');
  await inTurn(fold).catch(noteUnfolded);
  await rewriteIfStale();
  await markTime();

  function read(begin: number): void {
    const end = text.lastIndexOf('\n') + 1;
    // What follows the last line break was cut off by a crash; the next line must not continue it.
    isTorn = end < text.length;
    const moveMs = clockMoved(begin, end);
    isMoved = moveMs !== 0;
    const found = readAcceptedLog(text, {
      entry: (entry) => table.restore({ ...entry, acceptedAt: entry.acceptedAt + moveMs }),
      session: (hash, session) => remember(hash, { ...session, openedAt: session.openedAt + moveMs }),
    });
    closed = [...found.counts].filter(([, counted]) => counted.size > 0);
    lines = found.lines;
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

  function remember(hash: string, session: LogSession): void {
    sessions.delete(hash);
    sessions.set(hash, session);
    const [oldest] = sessions.size > SESSIONS_MAX ? sessions.keys() : [];
    if (oldest !== undefined) sessions.delete(oldest);
  }

  /** Writes are done one after another. The next one must not fail because this one did. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = writing.then(work);
    writing = done.catch(() => undefined);
    return done;
  }

  async function write(entries: readonly DedupeEntry[], cells: readonly string[] | undefined): Promise<void> {
    await foldIfDue();
    if (!isOpen) await nextSegment();
    const given = added;
    added = new Map();
    let text = '';
    let last: { readonly cell: string; readonly number: number } | undefined;
    const number = (cell: string): number => {
      // Events of the same kind follow each other, and looking up a text costs more than comparing it.
      if (last?.cell === cell) return last.number;
      let found = numbers.get(cell);
      if (found === undefined) {
        found = numbers.size;
        numbers.set(cell, found);
        text += cellLine(found, cell);
      }
      last = { cell, number: found };
      return found;
    };
    for (const [at, entry] of entries.entries()) {
      const cell = cells?.[at];
      // Before the line that it is part of: it may add another line.
      const counted = cell === undefined ? undefined : number(cell);
      text += entryLine(entry, counted);
    }
    for (const [cell, count] of given) {
      const counted = number(cell);
      text += countLine(counted, count);
    }
    try {
      await writeText(text);
    } catch (error) {
      for (const { key } of entries) unwritten.add(key);
      // Nobody knows which of these lines are there.
      numbers = new Map();
      for (const [cell, count] of given) addCount(added, cell, count);
      throw error;
    }
    for (const { key } of unwritten.size > 0 ? entries : []) unwritten.delete(key);
    let run = 0;
    for (const [at, cell] of (cells ?? []).entries()) {
      run += 1;
      if (cells?.[at + 1] === cell) continue;
      addCount(counts, cell, run);
      run = 0;
    }
    for (const [cell, count] of given) addCount(counts, cell, count);
    lines += entries.length + given.size;
    await rewriteIfStale();
  }

  async function writeText(more: string): Promise<void> {
    if (more === '') return;
    try {
      // Half a line must not be taken for a whole one.
      await handle.appendFile(isTorn ? `${CUT_OFF}\n${more}` : more);
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    }
  }

  function hourNow(): number {
    return Math.floor(Date.now() / HOUR_MS);
  }

  /** Once an hour is enough for readers, who also read the log, and keeps the files of the days small. */
  async function foldIfDue(): Promise<void> {
    if (foldedAt === hourNow()) return;
    foldedAt = hourNow();
    await fold().catch(noteUnfolded);
  }

  /**
   * Moves the counts to the files of their days. A segment is closed before its counts are written there, so that they
   * never change afterwards, and marked as folded when they are. A crash in between repeats a segment; it counts once.
   */
  async function fold(): Promise<void> {
    verify();
    if (!isOpen || counts.size > 0 || numbers.size > 0) await nextSegment();
    for (const [id, counted] of closed) {
      await appendSegment(directory, { segment: id, counts: counted });
      await writeText(foldedLine(id));
      lines += 1;
      closed = closed.filter(([other]) => other !== id);
    }
    await deleteOldDays(directory, Date.now());
  }

  async function nextSegment(): Promise<void> {
    // A part of the line may be there after a failure; the next try begins another segment behind it.
    isOpen = false;
    const next = newSegment();
    await writeText(segmentLine(next));
    lines += 1;
    if (counts.size > 0) closed.push([segment, counts]);
    [segment, counts, numbers, isOpen] = [next, new Map(), new Map(), true];
  }

  function noteUnfolded(error: unknown): void {
    const message = `The counts for offerlet audit could not be moved from ${file} to the folder ledger. They stay there.`;
    onLog({ level: 'warn', message, error: explain(error) });
  }

  /**
   * Writes the file anew when most of it is stale, or its times are of another clock. After a failure, appending goes on.
   */
  async function rewriteIfStale(): Promise<void> {
    const needed = table.size() + sessions.size;
    if (lines < rewriteAt || !(isMoved || lines > needed * 2 + SLACK_LINES)) return;
    try {
      await fold();
      await rewrite();
      rewriteAt = 0;
      isMoved = false;
    } catch (error) {
      rewriteAt = lines + SLACK_LINES;
      onLog({ level: 'warn', message: `${file} could not be compacted.`, error: explain(error) });
    }
  }

  /** Writes the file anew, without counts: all of them are in the files of the days. */
  async function rewrite(): Promise<void> {
    const fresh = `${file}.new`;
    verify();
    // A new file: one that is there already may be what an earlier owner, frozen since, goes on writing to.
    await fs.rm(fresh, { force: true });
    const next = await fs.open(fresh, 'wx');
    try {
      // The table goes on changing while the chunks are written.
      const chunks = chunksOf(linesOf(table, sessions, now() - DEDUPE_MAX_AGE_MS));
      await next.appendFile(firstLine);
      for (const chunk of chunks) await next.appendFile(chunk);
      await next.appendFile(segmentLine(segment));
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
    lines = table.size() + sessions.size;
    isTorn = false;
    await last.close();
  }

  return {
    table,
    accept(keys, sender, cells) {
      const isNew = table.claim(keys).map((claim, at) => claim === 'new' || unwritten.has(keys[at] ?? ''));
      const accepted = table.accept(keys, sender);
      const entries: DedupeEntry[] = [];
      const counted: string[] = [];
      for (const [at, key] of keys.entries()) {
        // What is there already, or on its way there, counts already.
        if (!isNew[at]) continue;
        entries.push({ key, ...accepted });
        const cell = cells?.[at];
        if (cell !== undefined) counted.push(cell);
      }
      return inTurn(() => write(entries, cells && counted));
    },
    openSession(hash, placement) {
      const session = { placement, openedAt: Math.floor(now()) };
      remember(hash, session);
      return inTurn(async () => {
        await writeText(sessionLine(hash, session));
        lines += 1;
      });
    },
    placementOf: (hash) => sessions.get(hash)?.placement,
    addCounts(given) {
      for (const [cell, count] of given) addCount(added, cell, count);
      flushing ??= setTimeout(() => {
        flushing = undefined;
        // They are kept for the next try.
        inTurn(() => write([], undefined)).catch(() => undefined);
      }, FLUSH_MS);
      flushing.unref?.();
    },
    flush: () => inTurn(() => write([], undefined)),
    async close() {
      clearTimeout(flushing);
      await inTurn(async () => {
        verify();
        await write([], undefined);
        await fold();
      }).catch(noteUnfolded);
      await markTime();
      await handle.close();
    },
  };
}

const UNREADABLE = 'is of another version or damaged, and was moved to';
const CONSEQUENCE = 'An event that was accepted before this start and is sent again now is forwarded again.';

/** A line with a time: of an event, or `<time> -` for the begin or the end of a run. */
const TIME = /^([0-9a-z]{1,11}) (?:[0-9a-f]{32} |-$)/;

/** Returns an id that no other segment of the directory has. */
function newSegment(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(0, 12);
}

function* linesOf(
  table: DedupeTable,
  sessions: ReadonlyMap<string, LogSession>,
  expired: number,
): IterableIterator<string> {
  for (const entry of table.entries()) yield entryLine(entry);
  for (const [hash, session] of sessions) if (session.openedAt > expired) yield sessionLine(hash, session);
}

function chunksOf(all: Iterable<string>): readonly string[] {
  const chunks: string[] = [];
  let lines: string[] = [];
  for (const line of all) {
    if (lines.push(line) < CHUNK_LINES) continue;
    chunks.push(lines.join(''));
    lines = [];
  }
  chunks.push(lines.join(''));
  return chunks;
}
