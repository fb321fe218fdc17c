import { createStore, promisifyRequest } from 'idb-keyval';
import { within } from './within.ts';

/** Runs work in one transaction on the queue's own database; once that has failed it answers nothing. Work may be run twice. */
export type Disk = <T>(
  mode: IDBTransactionMode,
  work: (rows: IDBObjectStore) => T | Promise<T>,
  isAgain?: boolean,
) => Promise<T | undefined>;

/** Milliseconds after which storage that does not answer counts as broken. */
const HANGING_MS = 1_000;

/**
 * Opens the database of a queue. `onBroken` is told when from now on memory has to do; `onBack` when there is a database
 * which may lack rows, because the browser closed or deleted the one before or because it was only slow.
 */
export function openDisk(name: string, onBroken: (error: unknown) => void, onBack: () => void): Disk {
  let store = createStore(name, 'rows');
  let isBroken = false;
  const back = (): void => {
    isBroken = false;
    onBack();
  };
  const disk: Disk = async (mode, work, isAgain) => {
    if (isBroken) return undefined;
    let result: Promise<unknown> | undefined;
    try {
      const opened = store(mode, (rows) => {
        const { db } = rows.transaction;
        // idb-keyval's own `onclose` is replaced on purpose: ours does the same and tells.
        // oxlint-disable-next-line unicorn/prefer-add-event-listener
        db.onversionchange = db.onclose = () => {
          db.close();
          store = createStore(name, 'rows');
          back();
        };
        return work(rows);
      });
      result = opened;
      return await within(HANGING_MS, opened);
    } catch (error) {
      if (!isAgain && /State|Unknown|Abort/.test(String(error))) {
        // A connection that the browser has lost gets a new one, once.
        store = createStore(name, 'rows');
        return disk(mode, work, true);
      }
      if (!isBroken) onBroken(error);
      isBroken = true;
      // It may only have been slow.
      result?.then(back, () => {});
      return undefined;
    }
  };
  return disk;
}

/** Resolves when the transaction is on disk. Committed explicitly, or a page that dies at once would lose it. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit();
  return promisifyRequest(rows.transaction);
}
