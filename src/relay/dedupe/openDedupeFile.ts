import { type DedupeMemoryOptions, dedupeTable, type DedupeTable, steadyClock } from './createDedupeMemory.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../lock/lockDirectory.ts';
import { RelayConfigError } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { readLedger } from '../ledger/dayFiles.ts';
import { nodeModule } from '../../http/nodeModule.ts';
import type { LogEntry } from '../telemetry.ts';
import { openAcceptedLog } from './acceptedLog.ts';
import type { DedupeStore } from './dedupeStore.ts';
import { ACCEPTED_LOG } from './readAcceptedLog.ts';

export interface DedupeFileOptions extends DedupeMemoryOptions {
  /** Gets what is noticed at the start and beside requests; written to stderr by default. */
  onLog?: (entry: LogEntry) => void;
}

/** Accepted events in a file, until it is closed. */
export interface DedupeFile extends DedupeStore {
  /** The counts for `offerlet audit`, in the same directory. */
  readonly ledger: Ledger;
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
  const file = nodeModule('node:path').join(directory, ACCEPTED_LOG);
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
  const log = await openAcceptedLog(directory, { open, now, onLog, verify: () => lock.verify() }).catch(
    async (error: unknown) => {
      await lock.release();
      throw new RelayConfigError(
        `${file} cannot be read and written. Check its permissions, or use another directory.`,
        { cause: error },
      );
    },
  );

  return {
    lost: lock.lost,
    claim(keys) {
      lock.check();
      return log.table.claim(keys);
    },
    async accept(keys, sender, cells) {
      lock.check();
      await log.accept(keys, sender, cells);
      // A new owner that began to read before this was written does not know it.
      lock.check();
    },
    release: () => undefined,
    ledger: {
      add: (counts) => log.addCounts(counts),
      openSession: (session, placement) => log.openSession(session, placement),
      placementsOf: (sessions) => sessions.map((session) => log.placementOf(session)),
      async read(dates) {
        await log.flush();
        return readLedger(directory, dates);
      },
    },
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
