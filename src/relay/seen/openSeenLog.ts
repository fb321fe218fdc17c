import type { FileHandle } from 'node:fs/promises';
import { explain, type LogEntry } from '../telemetry.ts';
import { nodeModule } from '../runtime/nodeModule.ts';
import type { SeenMemory } from './createSeenMemory.ts';
import { SENDERS, type SeenEntry } from './createSeenTable.ts';

/** The append-only file behind a memory of accepted events. */
export interface SeenLog {
  /** Resolves when the entries are handed to the operating system. */
  append(entries: readonly SeenEntry[]): Promise<void>;
  close(): Promise<void>;
}

export interface SeenLogOptions {
  readonly memory: SeenMemory;
  readonly onLog: (entry: LogEntry) => void;
  /** Throws when the file belongs to another process by now, which is asked before it is replaced. */
  verify(): void;
}

/** The first line. Files without it are of a version that knew events by their `event_id` alone. */
const HEADER = 'offerlet accepted events 2\n';
/** The second line, with the memory's salt; earlier files have none, and earlier versions skip it. */
const SALT = /^salt ([0-9a-f]{8})\n/;
const SALT_LENGTH = 14;
/** Lines beyond twice the number of remembered events at which the file is compacted. */
const SLACK_LINES = 10_000;
/** Lines written in one go. */
const CHUNK_LINES = 10_000;

/** Reads the file into the memory, creates it when it is missing, and appends to it from then on. */
export async function openSeenLog(file: string, { memory, onLog, verify }: SeenLogOptions): Promise<SeenLog> {
  const fs = nodeModule('node:fs/promises');
  const { renameSync } = nodeModule('node:fs');
  let lines = 0;
  /** The last write may have left half a line behind. */
  let isTorn = false;
  let isUnsalted = false;
  let rewriteAt = SLACK_LINES;
  let writing: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    const text = await fs.readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    if (!text.startsWith(HEADER)) {
      // A process that ended at once leaves a part of the first line.
      if (!HEADER.startsWith(text)) await moveAside();
      await fs.writeFile(file, HEADER + saltLine());
      return;
    }
    let start = HEADER.length;
    const salt = SALT.exec(text.slice(start, start + SALT_LENGTH))?.[1];
    // A file without one numbers its senders in a way that anybody can work out: from now on they get new numbers.
    if (salt === undefined) isUnsalted = true;
    else memory.salt = Number.parseInt(salt, 16);
    for (let end; (end = text.indexOf('\n', start)) !== -1; start = end + 1) {
      const entry = parseLine(text.slice(start, end));
      if (entry) memory.restore(entry);
      lines += 1;
    }
    // What follows the last line break was cut off by a crash; the next line must not continue it.
    isTorn = start < text.length;
  }

  function saltLine(): string {
    return `salt ${memory.salt.toString(16).padStart(8, '0')}\n`;
  }

  async function moveAside(): Promise<void> {
    const aside = `${file}.unreadable-${Date.now()}`;
    await fs.rename(file, aside);
    onLog({ level: 'warn', message: `${file} ${UNREADABLE} ${aside}. ${CONSEQUENCE}` });
  }

  async function write(entries: readonly SeenEntry[]): Promise<void> {
    const text = entries.map(lineOf).join('');
    try {
      await handle.appendFile(isTorn ? `\n${text}` : text);
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    }
    lines += entries.length;
    await rewriteIfStale();
  }

  /** Writes the file anew when most of it is stale. A failure costs disk space alone: appending goes on. */
  async function rewriteIfStale(): Promise<void> {
    if (!isUnsalted && (lines <= memory.size() * 2 + SLACK_LINES || lines < rewriteAt)) return;
    isUnsalted = false;
    try {
      await rewrite();
      rewriteAt = 0;
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
      // The memory goes on changing while the chunks are written.
      const chunks = chunksOf(memory.entries());
      await next.appendFile(HEADER + saltLine());
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
    lines = memory.size();
    isTorn = false;
    await last.close();
  }

  await load();
  let handle: FileHandle = await fs.open(file, 'a');
  await rewriteIfStale();

  return {
    append(entries) {
      const written = writing.then(() => write(entries));
      // The next write must not fail because this one did.
      writing = written.catch(() => undefined);
      return written;
    },
    async close() {
      await writing;
      await handle.close();
    },
  };
}

const UNREADABLE = 'is of another version or damaged, and was moved to';
const CONSEQUENCE = 'An event that was accepted before this start and is sent again now is forwarded again.';

/** `<time> <key> <sender>`, the numbers in base 36. */
function lineOf({ key, acceptedAt, sender }: SeenEntry): string {
  return `${acceptedAt.toString(36)} ${key} ${sender.toString(36)}\n`;
}

function parseLine(line: string): SeenEntry | undefined {
  const [, time = '', key = '', sender = ''] = /^([0-9a-z]{1,11}) ([0-9a-f]{32}) ([0-9a-z]{1,3})$/.exec(line) ?? [];
  const number = Number.parseInt(sender, 36);
  return number < SENDERS ? { key, acceptedAt: Number.parseInt(time, 36), sender: number } : undefined;
}

function chunksOf(entries: Iterable<SeenEntry>): readonly string[] {
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
