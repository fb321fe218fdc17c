import { createStore, promisifyRequest } from 'idb-keyval';

/** Work in one transaction; it may be run twice. */
export type Work<T> = (store: IDBObjectStore) => T | Promise<T>;

/** Runs work in one transaction on the queue's own database, or rejects within about two seconds. */
export type Disk = <T>(mode: IDBTransactionMode, work: Work<T>) => Promise<T>;

/** Milliseconds after which storage that does not answer counts as broken. */
const HANGING_MS = 1_000;
/** Milliseconds in which broken storage is not asked again. */
const BROKEN_MS = 30_000;

/** The database of a queue. `onCleared` is told when the browser closes or deletes it under us: what was in it may be gone. */
export function openDisk(name: string, onCleared: () => void): Disk {
  let store = createStore(name, 'rows');
  let brokenUntil = 0;

  function reopen(): void {
    store = createStore(name, 'rows');
  }

  function attempt<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('IndexedDB hangs')), HANGING_MS);
      store(mode, (rows) => {
        const { db } = rows.transaction;
        // idb-keyval's own `onclose` is replaced on purpose: ours does the same and tells.
        // oxlint-disable-next-line unicorn/prefer-add-event-listener
        db.onversionchange = db.onclose = () => {
          db.close();
          reopen();
          onCleared();
        };
        return work(rows);
      })
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  return async (mode, work) => {
    if (performance.now() < brokenUntil) throw new Error('IndexedDB is broken');
    try {
      return await attempt(mode, work).catch((error: unknown) => {
        // A connection that the browser has lost: a new one, once.
        if (!/State|Unknown|Abort/.test(String(error))) throw error;
        reopen();
        return attempt(mode, work);
      });
    } catch (error) {
      brokenUntil = performance.now() + BROKEN_MS;
      reopen();
      throw error;
    }
  };
}

/** Resolves when the transaction is on disk. Committed by hand: a page that dies at once would lose it otherwise. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit?.();
  return promisifyRequest(rows.transaction);
}
