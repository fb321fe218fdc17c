import { openCore } from '../openCore.ts';
import type { PageQueue, PageQueueOptions } from '../openPageQueue.ts';
import { queueName } from '../rows/key.ts';
import { clearJournals, type KeyValueStorage } from './openJournals.ts';
import { clearNotes, openKeyValueNotes } from './openKeyValueNotes.ts';
import { openKeyValueRows } from './openKeyValueRows.ts';

/** Options of `openKeyValueQueue`. */
export interface KeyValueQueueOptions extends PageQueueOptions {
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean;
}

/** Opens the queue of a session that stores events and notes in key-value storage. */
export function openKeyValueQueue(storage: KeyValueStorage, { isMemory, ...options }: KeyValueQueueOptions): PageQueue {
  const core = openCore((name, listener) => openKeyValueRows({ storage, name, isMemory, listener }), options);
  const notes = openKeyValueNotes(storage);
  return {
    ...core,
    notes,
    async withdraw() {
      core.stop();
      await notes.stop();
      await clearKeyValueQueue(storage, options.endpoint);
    },
  };
}

/** Removes the events and notes of an endpoint. Resolves when nothing is left, or the storage fails; never rejects. */
export async function clearKeyValueQueue(storage: KeyValueStorage, endpoint: string): Promise<void> {
  await Promise.allSettled([clearJournals(storage, queueName(endpoint)), clearNotes(storage)]);
}
