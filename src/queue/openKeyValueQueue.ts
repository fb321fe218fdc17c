import type { SessionQueue, SessionQueueOptions } from './openCore.ts';
import {
  clearKeyValues,
  type KeyValueStorage,
  useMark,
  newKeyValueConsent,
  openKeyValueDatabase,
} from './openKeyValueDatabase.ts';
import { openNotedCore } from './openNotedCore.ts';
import { openRows } from './openRows.ts';
import { QUEUE_PREFIX, queueName } from './rows.ts';

/** Exists while a withdrawal is being cleared: if the session is killed meanwhile, the next one goes on with it. */
const PENDING = `${QUEUE_PREFIX}-withdrawn`;

/** Options of `openKeyValueQueue`. */
interface KeyValueQueueOptions extends SessionQueueOptions {
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean;
  /** Ends when what is stored has been cleared: until then nothing is read or written. */
  readonly cleared?: Promise<unknown> | undefined;
}

/** Opens the queue of a session that stores events and notes in key-value storage. */
export function openKeyValueQueue(
  storage: KeyValueStorage,
  { isMemory, cleared, ...options }: KeyValueQueueOptions,
): Required<Omit<SessionQueue, 'record'>> {
  // A withdrawal clears before it ends, and no session reads before that.
  const consent = { isWithdrawn: () => false, newConsent: newKeyValueConsent };
  const core = openNotedCore(
    (name, listener) =>
      openRows((heard) => openKeyValueDatabase({ storage, name, isMemory, cleared }, heard), consent, listener),
    options,
  );
  return {
    ...core,
    async withdraw() {
      // What is being written would otherwise be cleared by its writer, when the slot may be another session's already.
      await Promise.all([setMark(storage), core.clear()]);
      await clearKeyValueQueue(storage, options.endpoint);
    },
  };
}

/** Removes the events and notes of an endpoint. Resolves when nothing is left, or the storage fails; never rejects. */
export async function clearKeyValueQueue(storage: KeyValueStorage, endpoint: string): Promise<void> {
  const name = queueName(endpoint);
  try {
    // Nothing is marked where nothing is stored.
    if (await storage.getItem(useMark(name))) await setMark(storage);
    await clearKeyValues(storage, name);
    await storage.removeItem(PENDING);
  } catch {
    // The mark stays.
  }
}

/** Full storage takes no mark, but what is in it can be removed all the same. */
async function setMark(storage: KeyValueStorage): Promise<void> {
  try {
    await storage.setItem(PENDING, '1');
  } catch {
    // A session that is killed now leaves what it has not removed yet.
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
