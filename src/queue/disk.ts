import { createStore, promisifyRequest } from 'idb-keyval';
import { openMemory } from './openMemory.ts';
import { within } from './within.ts';

/** Runs work in one transaction on the queue's own database; on rows in memory once that has failed. Work may be run twice. */
export type Disk = <T>(
  mode: IDBTransactionMode,
  work: (rows: IDBObjectStore) => T | Promise<T>,
  isAgain?: boolean,
) => Promise<T>;

/** Milliseconds after which storage that does not answer counts as broken. */
const HANGING_MS = 1_000;

/**
 * Opens the database of a queue. `onClosed` is told when the browser closes or deletes it under us, `onBroken` when from
 * now on memory has to do; it answers with the rows to begin with.
 */
export function openDisk(name: string, onClosed: () => void, onBroken: (error: unknown) => Map<string, unknown>): Disk {
  let store = createStore(name, 'rows');
  let memory: IDBObjectStore | undefined;
  const disk: Disk = async (mode, work, isAgain) => {
    try {
      if (!memory) {
        const result = store(mode, (rows) => {
          const { db } = rows.transaction;
          // idb-keyval's own `onclose` is replaced on purpose: ours does the same and tells.
          // oxlint-disable-next-line unicorn/prefer-add-event-listener
          db.onversionchange = db.onclose = () => {
            db.close();
            store = createStore(name, 'rows');
            onClosed();
          };
          return work(rows);
        });
        return await within(HANGING_MS, result);
      }
    } catch (error) {
      // A connection that the browser has lost gets a new one, once.
      store = createStore(name, 'rows');
      if (!isAgain && /State|Unknown|Abort/.test(String(error))) return disk(mode, work, true);
      memory ??= openMemory(onBroken(error));
    }
    return work(memory);
  };
  return disk;
}

/** Resolves when the transaction is on disk. Committed by hand: a page that dies at once would lose it otherwise. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit?.();
  return promisifyRequest(rows.transaction);
}
