import { createStore, promisifyRequest } from 'idb-keyval';
import { within } from './within.ts';

/** Runs work in one transaction on the queue's own database, or rejects within about two seconds. Work may be run twice. */
export type Disk = <T>(
  mode: IDBTransactionMode,
  work: (rows: IDBObjectStore) => T | Promise<T>,
  isAgain?: boolean,
) => Promise<T>;

/** Milliseconds after which storage that does not answer counts as broken. */
const HANGING_MS = 1_000;
/** Milliseconds in which broken storage is not asked again. */
const BROKEN_MS = 30_000;

/** The database of a queue. `onCleared` is told when the browser closes or deletes it under us: what was in it may be gone. */
export function openDisk(name: string, onCleared: () => void): Disk {
  let store = createStore(name, 'rows');
  let brokenUntil = 0;
  const disk: Disk = async (mode, work, isAgain) => {
    if (performance.now() < brokenUntil) throw Error('Broken');
    try {
      const result = store(mode, (rows) => {
        const { db } = rows.transaction;
        // idb-keyval's own `onclose` is replaced on purpose: ours does the same and tells.
        // oxlint-disable-next-line unicorn/prefer-add-event-listener
        db.onversionchange = db.onclose = () => {
          db.close();
          store = createStore(name, 'rows');
          onCleared();
        };
        return work(rows);
      });
      return await within(HANGING_MS, result);
    } catch (error) {
      // A connection that the browser has lost gets a new one, once.
      store = createStore(name, 'rows');
      if (!isAgain && /State|Unknown|Abort/.test(String(error))) return disk(mode, work, true);
      // A full disk can still be read, and emptied.
      if (!/Quota/.test(String(error))) brokenUntil = performance.now() + BROKEN_MS;
      throw error;
    }
  };
  return disk;
}

/** Resolves when the transaction is on disk. Committed by hand: a page that dies at once would lose it otherwise. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit?.();
  return promisifyRequest(rows.transaction);
}
