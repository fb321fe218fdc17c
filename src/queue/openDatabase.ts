import { createStore, promisifyRequest } from 'idb-keyval';
import { within } from './createPost.ts';
import { NOTE } from './rows.ts';

/** The rows of a database within one transaction. What is read is awaited before anything else is. */
export interface Table {
  get(key: string): Promise<unknown>;
  /** Resolves to the keys of all rows but the notes. */
  keys(): Promise<string[]>;
  /** Resolves to those keys, and to the first rows and the consent. */
  read(count: number): Promise<FoundRows>;
  noteKeys(): Promise<string[]>;
  /** Stores a value; undefined removes it. */
  put(key: string, value: unknown): void;
  clear(): void;
  /** Calls back when what was put is stored, however late. */
  onCommit(callBack: () => void): void;
}

/** All keys, and the values of the first of them. */
export interface FoundRows {
  readonly keys: readonly string[];
  readonly first: ReadonlyMap<string, unknown>;
}

/** Where a queue stores its rows. */
export interface Database {
  readonly kind: 'indexeddb' | 'key-value' | 'memory';
  /**
   * Runs `work` in one transaction, and commits it. Resolves to undefined when the database has failed or is closed. `work` may run
   * twice. `isPatient`: waits as long as it takes, and tries after a failure too.
   */
  run<T>(mode: IDBTransactionMode, work: (table: Table) => T | Promise<T>, isPatient?: boolean): Promise<T | undefined>;
  /** Closes the connection after the `last` work, for which no database is created. From now on a deleted one is not opened again. */
  close<T>(last: () => Promise<T>): Promise<T>;
}

/** What happens to a database. */
export interface DatabaseListener {
  /** From now on memory has to do. */
  onBroken(error: unknown): void;
  /** It is about to be deleted; `table` can be read once more. */
  onDeletion(table: Table): Promise<unknown>;
  /** The next connection may find another database, or none. */
  onDisconnect(): void;
  /** There is a database which may lack rows: the browser closed or deleted the one before, or it was only slow. */
  onBack(): void;
}

/** The object store of a queue's database. */
export const STORE = 'rows';
/** Milliseconds after which storage that does not respond counts as broken. */
export const HANGING_MS = 1_000;

/** Milliseconds that a restored page waits for its committed transactions. Repeating one would hide what it dropped. */
const RESTORE_MS = 50;
/** Rejects work that was interrupted because the page was left. Nothing else rejects with undefined. */
const LEFT: unknown = undefined;

/** Opens the IndexedDB database of a queue, when it is first used. */
export function openDatabase(name: string, listener: DatabaseListener): Database {
  let store = createStore(name, STORE);
  let connection: IDBDatabase | undefined;
  /** Ends before a deleted database is opened again. */
  let lastRead: Promise<void> | undefined;
  let isUsed = false;
  let isBroken = false;
  let isClosing = false;
  /** Transactions in progress, by the function that rejects their caller. */
  const running = new Map<(reason: unknown) => void, IDBTransaction | undefined>();
  /** Whether the page was left and has not been restored. */
  let isLeft = false;

  /** WebKit keeps a page that was left together with its unfinished transactions, which block every other page. */
  function leave(): void {
    isLeft = true;
    running.forEach(cancel);
    // Runs once the page is restored: Firefox never reports how its transactions ended.
    setTimeout(() => {
      isLeft = false;
      for (const fail of running.keys()) fail(LEFT);
      running.clear();
    }, RESTORE_MS);
  }

  function disconnect(): void {
    if (connection) {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      connection.onversionchange = connection.onclose = null;
      connection.close();
      globalThis.removeEventListener?.('pagehide', leave);
    }
    isUsed = false;
    store = createStore(name, STORE);
    listener.onDisconnect();
  }

  function back(): void {
    isBroken = false;
    if (!isClosing) listener.onBack();
  }

  function watch(db: IDBDatabase): void {
    if (db === connection) return;
    connection = db;
    globalThis.addEventListener?.('pagehide', leave);
    // idb-keyval's own `onclose` is replaced on purpose: ours does the same and reports it.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    db.onclose = () => {
      disconnect();
      back();
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener
    db.onversionchange = () => {
      const read = listener.onDeletion(tableOf(db.transaction(STORE).objectStore(STORE)));
      disconnect();
      lastRead = read.then(back, back);
    };
  }

  async function run<T>(
    mode: IDBTransactionMode,
    work: (table: Table) => T | Promise<T>,
    isPatient = false,
  ): Promise<T | undefined> {
    for (let isRenewed = false; ;) {
      if (lastRead) await lastRead;
      if ((isClosing && !isUsed) || (isBroken && !isPatient)) return undefined;
      const used = store;
      const result = transact(mode, work);
      try {
        return await (isPatient ? result : within(HANGING_MS, result));
      } catch (error) {
        if (error === LEFT) continue;
        if (isClosing) return undefined;
        // A connection that the browser has lost is replaced, once.
        if (!isRenewed && error instanceof DOMException) {
          isRenewed = true;
          if (store === used) disconnect();
          continue;
        }
        listener.onBroken(error);
        isBroken = true;
        // It may only have been slow.
        result.then(
          () => isBroken && back(),
          () => {},
        );
        return undefined;
      }
    }
  }

  /** Does work in one transaction. Rejects with `LEFT` where the page has left before it was done. */
  function transact<T>(mode: IDBTransactionMode, work: (table: Table) => T | Promise<T>): Promise<T> {
    isUsed = true;
    return new Promise<T>((done, fail) => {
      running.set(fail, undefined);
      void store(mode, async (rows) => {
        const { transaction } = rows;
        watch(transaction.db);
        running.set(fail, transaction);
        const worked = work(tableOf(rows));
        if (isLeft) cancel(transaction);
        const value = await worked;
        if (mode === 'readwrite') await committed(transaction);
        return value;
      })
        .then(done, (error: unknown) => isLeft || fail(error))
        .then(() => isLeft || running.delete(fail));
    });
  }

  return {
    kind: 'indexeddb',
    run,
    close(last) {
      isClosing = true;
      const done = last();
      // In the order of the transactions: those that wait for the database to open come first.
      void done.then(() => run('readonly', () => {}, true)).then(disconnect);
      return done;
    },
  };
}

/** Returns the table of an object store. */
function tableOf(rows: IDBObjectStore): Table {
  /** Keys that other scripts have put, such as dates and numbers, are not in it. */
  const all = (): IDBKeyRange => IDBKeyRange.bound('', NOTE);
  const read = <T>(request: IDBRequest<T>): Promise<T> => {
    const done = promisifyRequest(request);
    // Whoever awaits it is told by the transaction as well.
    done.catch(() => {});
    return done;
  };
  const keys = (): Promise<string[]> => read(rows.getAllKeys(all())) as Promise<string[]>;
  return {
    get: (key) => read(rows.get(key)),
    keys,
    async read(count) {
      const [found, values] = await Promise.all([keys(), read(rows.getAll(all(), count))]);
      return { keys: found, first: new Map(values.map((value, at) => [found[at] ?? '', value])) };
    },
    noteKeys: () => read(rows.getAllKeys(IDBKeyRange.lowerBound(NOTE))) as Promise<string[]>,
    put: (key, value) => void (value === undefined ? rows.delete(key) : rows.put(value, key)),
    clear: () => void rows.clear(),
    onCommit: (callBack) => rows.transaction.addEventListener('complete', callBack),
  };
}

/** Aborts a transaction unless it has been committed. */
export function cancel(transaction: IDBTransaction | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // It is committed or finished.
  }
}

/** Resolves when the transaction is on disk. Committed explicitly, or a page that dies at once would lose it. */
export function committed(transaction: IDBTransaction): Promise<unknown> {
  transaction.commit();
  return promisifyRequest(transaction);
}
