import { openCore } from '../openCore.ts';
import type { SessionQueue, SessionQueueOptions } from '../openSessionQueue.ts';
import { QUEUE_PREFIX, queueName } from '../rows/key.ts';
import { clearJournals, type KeyValueStorage } from './openJournals.ts';
import { clearNotes, openKeyValueNotes } from './openKeyValueNotes.ts';
import { openKeyValueRows, type KeyValueRows } from './openKeyValueRows.ts';

/** Exists while a withdrawal is being cleared: if the session is killed meanwhile, the next one goes on with it. */
const PENDING = `${QUEUE_PREFIX}-withdrawn`;

/** Options of `openKeyValueQueue`. */
export interface KeyValueQueueOptions extends SessionQueueOptions {
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean;
  /** Ends when what is stored has been cleared: until then nothing is read or written. */
  readonly cleared?: Promise<unknown> | undefined;
}

/** Opens the queue of a session that stores events and notes in key-value storage. */
export function openKeyValueQueue(
  storage: KeyValueStorage,
  { isMemory, cleared, ...options }: KeyValueQueueOptions,
): SessionQueue {
  let rows: KeyValueRows | undefined;
  const core = openCore(
    (name, listener) => (rows = openKeyValueRows({ storage, name, isMemory, cleared, listener })),
    options,
  );
  const notes = openKeyValueNotes(storage, { cleared, isCleared: async () => (await rows?.isCleared()) === true });
  return {
    ...core,
    notes,
    async withdraw() {
      core.stop();
      const stopped = notes.stop();
      await storage.setItem(PENDING, '1');
      await stopped;
      await clearKeyValueQueue(storage, options.endpoint);
    },
  };
}

/** Removes the events and notes of an endpoint. Resolves when nothing is left, or the storage fails; never rejects. */
export async function clearKeyValueQueue(storage: KeyValueStorage, endpoint: string): Promise<void> {
  try {
    // Nothing is marked where nothing is stored.
    if (await storage.getItem(`${queueName(endpoint)} 0?`)) await storage.setItem(PENDING, '1');
    await Promise.all([clearJournals(storage, queueName(endpoint)), clearNotes(storage)]);
    await storage.removeItem(PENDING);
  } catch {
    // The mark stays.
  }
}

/** Goes on with a withdrawal that an earlier session had no time to clear. */
export async function resumeClearing(storage: KeyValueStorage, endpoint: string): Promise<void> {
  try {
    if (await storage.getItem(PENDING)) await clearKeyValueQueue(storage, endpoint);
  } catch {
    // Storage fails: nothing is read from it either.
  }
}
