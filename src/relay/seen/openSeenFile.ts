import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { RelayConfigError } from '../errors.ts';
import type { LogEntry } from '../telemetry.ts';
import { nodeModule } from '../runtime/nodeModule.ts';
import { createSeenMemory, type SeenMemoryOptions } from './createSeenMemory.ts';
import { openSeenLog } from './openSeenLog.ts';
import type { SeenStore } from './seenStore.ts';

/** 46 MB of memory, and as much on disk. */
const DEFAULT_MAX = 1_000_000;

export interface SeenFileOptions extends SeenMemoryOptions {
  /** Gets what is noticed at the start and beside requests; written to stderr by default. */
  onLog?: (entry: LogEntry) => void;
}

/** Accepted events in a file, until it is closed. */
export interface SeenFile extends SeenStore {
  close(): Promise<void>;
  /** Resolves with the reason once another process has taken the directory over: nothing is claimed or written then. */
  readonly lost: Promise<Error>;
  /** Number of events remembered. */
  size(): number;
}

/**
 * Accepted events in an append-only file that survives a restart and `kill -9`. One process at a time may have the
 * directory open. For Node, Bun and Deno.
 */
export async function openSeenFile(directory: string, options: SeenFileOptions = {}): Promise<SeenFile> {
  const fs = nodeModule('node:fs/promises');
  const { max = DEFAULT_MAX } = options;
  const onLog = options.onLog ?? (({ message }) => void process.stderr.write(`offerlet: ${message}\n`));
  const file = nodeModule('node:path').join(directory, 'accepted-events.log');
  const memory = createSeenMemory({ ...options, max });
  await fs.mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new RelayConfigError(`The directory ${directory} cannot be created. Use one that may be written to.`, {
      cause: error,
    });
  });
  const lock = await takeDirectory(directory, onLog);
  const log = await openSeenLog(file, { memory, onLog, verify: () => lock.verify() }).catch(async (error: unknown) => {
    await lock.release();
    throw new RelayConfigError(`${file} cannot be read and written. Check its permissions, or use another directory.`, {
      cause: error,
    });
  });

  return {
    lost: lock.lost,
    claim(keys) {
      lock.check();
      return memory.claim(keys);
    },
    async accept(keys, sender) {
      lock.check();
      const entries = memory.entriesOf(keys, sender);
      for (const entry of entries) memory.restore(entry);
      await log.append(entries);
      // A new owner that began to read before this was written does not know it.
      lock.check();
    },
    release: () => undefined,
    size: () => memory.size(),
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
