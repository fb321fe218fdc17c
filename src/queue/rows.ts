import { createStore, promisifyRequest } from 'idb-keyval';
import { QUEUE_MAX_AGE_MS, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import { within } from './createPost.ts';
import type { DropReason, QueueEvent, StoredEvent } from './events.ts';

// The names of what is stored. The key of an event's row is `time(9) kind(1)` and a unique part: sorted as
// text the oldest comes first, no two tabs collide, and a list of keys alone shows which rows may be dropped.

/** Begins the name of every queue's database. */
export const QUEUE_PREFIX = 'offerlet-queue';

/** Returns the name of an endpoint's database and lock: each endpoint has its own, so that no event goes to another relay. */
export function queueName(endpoint: string): string {
  return `${QUEUE_PREFIX} ${endpoint}`;
}

/** Keeps the base-36 digits of a time at nine from 1932 on. */
const TIME_OFFSET = 4e12;
const TIME_DIGITS = 9;

/** The backoff state that the tabs of an origin share. This key and the next three sort before every event. */
export const BACKOFF = '!';
/** The lease of browsers without Web Locks. */
export const LEASE = '!!';
/** The number of rows that were removed on purpose, ever. */
export const REMOVED = '!!!';
/** A random id that a withdrawal of consent removes: who knew it and no longer finds it must stop. */
export const CONSENT = '!!!!';
/** How many rows the keys above can make. */
export const SHARED_MAX = 4;
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
/** Begins the keys of the page's own small values; they sort after everything else. */
export const NOTE = '~~';

/** Whether the key is that of an event that is yet to be delivered. */
export function isWaiting(key: string): boolean {
  return key > '0' && key < DEAD;
}

/** A key at a whole number of milliseconds. */
function keyAt(time: number, rest: string): string {
  return (time + TIME_OFFSET).toString(36) + rest;
}

/** Returns the key of a new row; `mark` must be unique. */
export function rowKey(time: number, isClick: boolean, mark: string): string {
  return keyAt(time, (isClick ? 'c' : 'a') + mark);
}

/** Returns the key of the same row, due at another time. */
export function dueAt(key: string, time: number): string {
  return keyAt(time, key.slice(TIME_DIGITS));
}

/** Returns when the row was made or, of a refused one, when it is due. */
export function keyTime(key: string): number {
  return parseInt(key.slice(0, TIME_DIGITS), 36) - TIME_OFFSET;
}

/** Sorts rows by importance: clicks before displays, newer before older. */
export function byWorth(a: string, b: string): number {
  return a[TIME_DIGITS] + a < b[TIME_DIGITS] + b ? 1 : -1;
}

/** Returns the range of all rows but the page's notes. What other scripts have put under dates or numbers is not in it. */
export function eventRange(): IDBKeyRange {
  return IDBKeyRange.bound('', NOTE);
}

/** One stored event; a refused one carries how often, a dead one why. */
export interface EventRow {
  event: StoredEvent;
  /** The event has the relay's time. Otherwise it has the device's. */
  isTrue?: boolean;
  tries?: number;
  reason?: string;
}

/**
 * What this page knows of a row.
 * - `unwritten`: no transaction has it yet.
 * - `unconfirmed`: not known to be on disk, as all rows are in memory. A disk refuses a row late, and a slow one
 *   accepts it late. A read in between must not count it as delivered.
 * - `local`: put by this page and on disk as far as it knows.
 * - `inFlight`: in a request of this page. `before` is its state before, missing when another page has put it.
 */
interface KnownRow {
  value: unknown;
  state: 'unwritten' | 'unconfirmed' | 'local' | 'inFlight';
  before?: KnownRow['state'] | undefined;
}

/** Puts a value, or removes the row when there is none. With `from` it replaces a row, unless that has been removed. */
export type RowChange = readonly [key: string, value?: unknown, from?: string];

/** The rows of a queue, on disk or in memory. */
export interface Rows {
  readonly known: Map<string, KnownRow>;
  /** By default `indexeddb`. */
  readonly storage?: 'key-value';
  /** Whether the rows are in memory only. */
  isMemory(): boolean;
  /** Runs a transaction unless consent was withdrawn. */
  run: QueueDatabase['run'];
  /** Stores a new row; resolves when it is on disk, or in memory where there is no disk. */
  add(key: string, row: EventRow): Promise<void>;
  /** Writes at once what is not written yet. Resolves when everything is. */
  write(): Promise<void>;
  /** Reads all keys, and the first rows: never all. While this tab has the lock it also notices lost ones. */
  read(more?: number, isLocked?: boolean): Promise<{ keys: readonly string[]; first: ReadonlyMap<string, unknown> }>;
  /** Makes changes in one transaction. `mayDrop`: also drops what is too much; `aged`: and what is too old. */
  change(changes: readonly RowChange[], mayDrop?: boolean | 'aged'): Promise<void>;
  /** Empties the queue. Resolves when it is empty, or storage is gone. */
  purge(): Promise<void>;
  /** Forgets everything and writes nothing more. */
  stop(): void;
  /** Forgets everything and empties the queue at once. Resolves when it is empty. */
  clear(): Promise<unknown>;
  /** Stops because consent was withdrawn elsewhere. */
  withdrawn(): void;
  close: QueueDatabase['close'];
}

/** What the rows report. */
export interface RowsListener {
  /** Returns the time. */
  now(): number;
  emit(event: QueueEvent): void;
  /** Consent was withdrawn elsewhere: the rows have stopped. */
  onWithdrawn(): void;
  /** Storage is back, and may lack what was in it. */
  onBack(): void;
}

/** Whether a row is not in a request of this page. */
export function isIdle(row: KnownRow | undefined): boolean {
  return row?.state !== 'inFlight';
}

/** Whether this page has put a row. */
export function isOwn([, { state, before }]: readonly [string, KnownRow]): unknown {
  return state !== 'inFlight' || before;
}

/** Maximum number of stored dead letters. */
const DEAD_MAX = 50;
/** No browser stores anything for longer: an older time is that of a wrong clock, which must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * 3_600_000;
/** A queue grows this far past its cap before the surplus is dropped at once, so that it is not read whole for each event. */
export const QUEUE_GROWN = QUEUE_MAX_EVENTS * 1.05;

/** Which rows to drop, and why. */
export type Drops = readonly (readonly [reason: DropReason, keys: readonly string[]])[];

/** Whether a row that an earlier page has made is too old to be sent. No clock makes those old that this page has seen come. */
export function isOld(key: string, known: Rows['known'], now: number): boolean {
  const age = now - keyTime(key);
  return age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS && !known.has(key);
}

/**
 * Finds what to drop of all rows: what is more than the queue holds and, if the time is known, what is too old. Rows in flight
 * are never dropped.
 */
export function findDrops(keys: readonly string[], known: Rows['known'], now = 0): Drops {
  const expired: string[] = [];
  const dead: string[] = [];
  const rest = keys.filter((key) => {
    const isDead = key > DEAD;
    if (!isDead && (!isWaiting(key) || !isIdle(known.get(key)))) return false;
    const isExpired = isOld(isDead ? key.slice(DEAD.length) : key, known, now);
    if (isExpired) expired.push(key);
    else if (isDead) dead.push(key);
    return !isExpired && !isDead;
  });
  return [
    ['expired', expired],
    ['full', rest.sort(byWorth).splice(QUEUE_MAX_EVENTS)],
    ['dead_letters_full', dead.sort().slice(0, -DEAD_MAX)],
  ];
}

type RowOperation<T> = (rows: IDBObjectStore) => T | Promise<T>;

/** The connection to a queue's database. */
export interface QueueDatabase {
  /**
   * Runs `work` in one transaction. Resolves to undefined when the database has failed or is closed. `work` may run twice.
   * `isPatient`: waits as long as it takes, and tries after a failure too.
   */
  run<T>(mode: IDBTransactionMode, work: RowOperation<T>, isPatient?: boolean): Promise<T | undefined>;
  /** Whether there is a connection, or one is being opened. */
  isUsed(): boolean;
  /** Closes the connection once `last` has settled. From now on a deleted database is not opened again. */
  close(last?: Promise<unknown>): void;
}

/** What happens to a database. */
interface DatabaseListener {
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
/** Milliseconds after which storage that does not respond counts as broken. */
export const HANGING_MS = 1_000;

/** Milliseconds that a restored page waits for its committed transactions. Repeating one would hide what it dropped. */
const RESTORE_MS = 50;
/** Rejects work that was interrupted because the page was left. Nothing else rejects with undefined. */
const LEFT: unknown = undefined;

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
      connection = undefined;
      globalThis.removeEventListener?.('pagehide', leave);
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
    globalThis.addEventListener?.('pagehide', leave);
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
    work: RowOperation<T>,
    isPatient = false,
    isAgain = false,
  ): Promise<T | undefined> {
    if (lastRead) await lastRead;
    if (isClosed || (isClosing && !isUsed) || (isBroken && !isPatient)) return undefined;
    const used = store;
    isUsed = true;
    const result = new Promise<T>((done, fail) => {
      running.set(fail, undefined);
      void used(mode, (rows) => {
        const { transaction } = rows;
        watch(transaction.db);
        running.set(fail, transaction);
        const worked = work(rows);
        if (isLeft) cancel(transaction);
        return worked;
      })
        .then(done, (error: unknown) => isLeft || fail(error))
        .then(() => isLeft || running.delete(fail));
    });
    try {
      return await (isPatient ? result : within(HANGING_MS, result));
    } catch (error) {
      if (error === LEFT) return run(mode, work, isPatient);
      if (isClosing) return undefined;
      if (!isAgain && /State|Unknown|Abort/.test(String(error))) {
        // A connection that the browser has lost is replaced, once.
        if (store === used) disconnect();
        return run(mode, work, isPatient, true);
      }
      if (!isBroken) listener.onBroken(error);
      isBroken = true;
      // It may only have been slow.
      result.then(back, () => {});
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

/** Aborts a transaction unless it has been committed. */
export function cancel(transaction: IDBTransaction | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // It is committed or finished.
  }
}

/** Resolves when the transaction is on disk. Committed explicitly, or a page that dies at once would lose it. */
export function committed(rows: IDBObjectStore): Promise<unknown> {
  rows.transaction.commit();
  return promisifyRequest(rows.transaction);
}
