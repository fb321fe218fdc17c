import type { FileHandle } from 'node:fs/promises';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../lock/lockDirectory.ts';
import { RelayConfigError } from './errors.ts';
import { nodeModule } from './nodeModule.ts';
import { createSeenMemory, type SeenMemoryOptions, type SeenStore } from './seen.ts';

const FILE = 'accepted-events.log';
const DEFAULT_MAX = 1_000_000;
/** Lines beyond twice the ids that are kept, at which the file is written anew. */
const SLACK_LINES = 10_000;

/** Accepted ids in a file, until it is closed. */
export interface SeenFile extends SeenStore {
  close(): Promise<void>;
  /** Resolves with the reason once another process has taken the directory over: nothing is claimed or written then. */
  readonly lost: Promise<Error>;
  /** Ids held. */
  size(): number;
}

/**
 * Accepted ids in an append-only file that survives a restart and `kill -9`; it is written anew when most of it is
 * stale. One process at a time may have the directory open. For Node, Bun and Deno.
 */
export async function openSeenFile(directory: string, options: SeenMemoryOptions = {}): Promise<SeenFile> {
  const fs = nodeModule('node:fs/promises');
  const path = nodeModule('node:path');
  const { now = Date.now, max = DEFAULT_MAX } = options;
  const file = path.join(directory, FILE);
  const memory = createSeenMemory({ ...options, max });
  await fs.mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new RelayConfigError(`The directory ${directory} cannot be made: choose one that may be written to.`, error);
  });
  const lock = await lockedDirectory(directory);

  let handle: FileHandle;
  let lines = 0;
  /** The last write may have left half a line behind. */
  let isTorn = false;
  let writing: Promise<void> = Promise.resolve();

  async function load(): Promise<void> {
    const text = await fs.readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const whole = text.split('\n');
    // What follows the last line break was cut off by a crash.
    if (whole.pop() !== '') isTorn = true;
    for (const line of whole) {
      const space = line.indexOf(' ');
      const acceptedAt = Number.parseInt(line.slice(0, space), 36);
      if (space > 0 && Number.isFinite(acceptedAt)) memory.restore(line.slice(space + 1), acceptedAt);
    }
    lines = whole.length;
  }

  async function rewrite(): Promise<void> {
    const fresh = `${file}.new`;
    await fs.writeFile(fresh, Array.from(memory.entries(), ([id, acceptedAt]) => lineOf(id, acceptedAt)).join(''));
    await fs.rename(fresh, file);
    lines = memory.size();
    isTorn = false;
  }

  async function append(ids: readonly string[]): Promise<void> {
    const time = now();
    const text = ids.map((id) => lineOf(id, time)).join('');
    try {
      await handle.appendFile(isTorn ? `\n${text}` : text);
      isTorn = false;
    } catch (error) {
      isTorn = true;
      throw error;
    }
    lines += ids.length;
    if (lines <= memory.size() * 2 + SLACK_LINES) return;
    await rewrite();
    await handle.close();
    handle = await fs.open(file, 'a');
  }

  try {
    await load();
    if (isTorn || lines > memory.size()) await rewrite();
    handle = await fs.open(file, 'a');
  } catch (error) {
    await lock.release();
    throw new RelayConfigError(
      `${file} cannot be read and written: check its rights, or choose another directory.`,
      error,
    );
  }

  return {
    lost: lock.lost,
    claim(ids) {
      lock.check();
      return memory.claim(ids);
    },
    accept(ids) {
      lock.check();
      memory.accept(ids);
      const write = writing.then(() => append(ids));
      // The next write must not fail because this one did.
      writing = write.catch(() => undefined);
      return write;
    },
    release: () => undefined,
    size: () => memory.size(),
    async close() {
      await writing;
      await handle.close();
      await lock.release();
    },
  };
}

async function lockedDirectory(directory: string): Promise<DirectoryLock> {
  try {
    return await lockDirectory(directory, { name: 'relay' });
  } catch (error) {
    throw new RelayConfigError(
      error instanceof DirectoryInUseError
        ? `${error.message}: stop it, or give this relay a directory of its own.`
        : `${directory} cannot be written to: check its rights, or choose another directory.`,
      error,
    );
  }
}

function lineOf(id: string, acceptedAt: number): string {
  return `${acceptedAt.toString(36)} ${id}\n`;
}
