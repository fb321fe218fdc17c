import { createStore, promisifyRequest } from 'idb-keyval';
import { HANGING_MS, within } from '../within.ts';

type Work<T> = (rows: IDBObjectStore) => T | Promise<T>;

/** The connection to a queue's database. */
export interface QueueDatabase {
  /**
   * Runs `work` in one transaction. Resolves to undefined when the database has failed or is closed. `work` may run twice.
   * `isPatient`: waits as long as it takes, and tries after a failure too.
   */
  run<T>(mode: IDBTransactionMode, work: Work<T>, isPatient?: boolean): Promise<T | undefined>;
  /** Whether there is a connection, or one is being opened. */
  isUsed(): boolean;
  /** Closes the connection once `last` has settled. From now on a deleted database is not opened again. */
  close(last?: Promise<unknown>): void;
}

/** What happens to a database. */
export interface DatabaseListener {
  /** From now on memory has to do. */
  onBroken(error: unknown): void;
  /** It is about to be deleted; `rows` can be read once more. */
  onDeletion(rows: IDBObjectStore): Promise<unknown>;
  /** The next connection may find another database, or none. */
  onDisconnect(): void;
  /** There is a database which may lack rows: the browser closed or deleted the one before, or it was only slow. */
  onBack(): void;
}

const STORE = 'rows';

/** Opens the database of a queue, when it is first used. */
export function openDatabase(name: string, listener: DatabaseListener): QueueDatabase {
  let store = createStore(name, STORE);
  let connection: IDBDatabase | undefined;
  /** Ends before a deleted database is opened again. */
  let lastRead: Promise<void> | undefined;
  let isUsed = false;
  let isBroken = false;
  let isClosing = false;
  let isClosed = false;

  function disconnect(): void {
    if (connection) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      connection.onversionchange = connection.onclose = null;
      connection.close();
      connection = undefined;
    }
    isUsed = false;
    store = createStore(name, STORE);
    isClosed = isClosing;
    listener.onDisconnect();
  }

  function back(): void {
    isBroken = false;
    if (!isClosing) listener.onBack();
  }

  function watch(db: IDBDatabase): void {
    if (db === connection) return;
    connection = db;
    // idb-keyval's own `onclose` is replaced on purpose: ours does the same and reports it.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    db.onclose = () => {
      disconnect();
      back();
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    db.onversionchange = () => {
      const read = listener.onDeletion(db.transaction(STORE).objectStore(STORE));
      disconnect();
      lastRead = read.then(back, back);
    };
  }

  async function run<T>(
    mode: IDBTransactionMode,
    work: Work<T>,
    isPatient = false,
    isAgain = false,
  ): Promise<T | undefined> {
    if (lastRead) await lastRead;
    if (isClosed || (isClosing && !isUsed) || (isBroken && !isPatient)) return undefined;
    const used = store;
    let result: Promise<T> | undefined;
    isUsed = true;
    try {
      result = used(mode, (rows) => {
        watch(rows.transaction.db);
        return work(rows);
      });
      return await (isPatient ? result : within(HANGING_MS, result));
    } catch (error) {
      if (isClosing) return undefined;
      if (!isAgain && /State|Unknown|Abort/.test(String(error))) {
        // A connection that the browser has lost is replaced, once.
        if (store === used) disconnect();
        return run(mode, work, isPatient, true);
      }
      if (!isBroken) listener.onBroken(error);
      isBroken = true;
      // It may only have been slow.
      result?.then(back, () => {});
      return undefined;
    }
  }

  return {
    run,
    isUsed: () => isUsed,
    close(last = Promise.resolve()) {
      isClosing = true;
      const finish = (): void => {
        // In the order of the transactions: those that wait for the database to open come first.
        if (isUsed) void run('readonly', disconnect, true);
        isClosed = true;
      };
      last.then(finish, finish);
    },
  };
}

/** Resolves when the transaction is on disk. Committed explicitly, or a page that dies at once would lose it. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit();
  return promisifyRequest(rows.transaction);
}
