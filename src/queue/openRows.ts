import { own } from '../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import type { DropReason, QueueEvent } from './events.ts';
import type { Database, DatabaseListener, FoundRows, Table } from './openDatabase.ts';
import {
  CONSENT,
  DEAD,
  type Drops,
  type EventRow,
  findDrops,
  isWaiting,
  type QueueEntry,
  type RowChange,
  SHARED_MAX,
  SURPLUS,
} from './rows.ts';

/** What this page knows of a row that it has put or is sending. */
export interface KnownRow {
  readonly value: unknown;
  /**
   * How far this page has put the row; missing when another page has put it. An `unconfirmed` row is not known to be on disk: a
   * disk refuses a row late, and a slow one accepts it late. A read in between must not count it as delivered.
   */
  put?: 'unwritten' | 'unconfirmed' | 'stored' | undefined;
  /** It is in a request of this page. */
  isInFlight?: boolean;
}

/** The rows of a queue, on disk or in memory. They alone move a row from state to state. */
export interface Rows {
  readonly known: Map<string, KnownRow>;
  readonly storage: Database['kind'];
  /** Runs a transaction unless consent was withdrawn. */
  run<T>(mode: IDBTransactionMode, work: (table: Table) => T | Promise<T>): Promise<T | undefined>;
  /** Stores a new row; resolves when it is on disk, or in memory where there is no disk. */
  add(key: string, row: EventRow): Promise<unknown>;
  /** Writes at once what is not written yet. Resolves when everything is. */
  write(): Promise<unknown>;
  /** Reads all keys, and the first rows: never all. */
  read(more?: number): Promise<FoundRows>;
  /** Returns this page's events that are in no request. */
  idle(): QueueEntry[];
  /** Marks rows as being in a request of this page: nobody drops them, and this page does not send them again. */
  claim(batch: readonly QueueEntry[]): void;
  /** Whether a row is still in flight, and not cleared meanwhile. */
  isInFlight(key: string): boolean;
  /** Makes what a response has changed durable, and releases the rows that were claimed for it. */
  confirm(batch: readonly QueueEntry[], changes: readonly RowChange[]): Promise<void>;
  /** Makes changes in one transaction. With `isExpired` it also drops what is too much, and what is expired. */
  change(changes: readonly RowChange[], isExpired?: (key: string) => boolean): Promise<void>;
  /** Empties the queue, however long it takes. Resolves when it is empty, or storage is gone. */
  clear(): Promise<void>;
  /** Empties it in this task, with its consent, and closes. */
  remove(): Promise<unknown>;
  /** Closes because consent was withdrawn elsewhere. */
  withdraw(): void;
  close: Database['close'];
}

/** What the rows report, and what the rows before them knew. */
export interface RowsListener {
  /** Those of an earlier queue of the same session. */
  readonly known?: Map<string, KnownRow> | undefined;
  emit(event: QueueEvent): void;
  /** Consent was withdrawn elsewhere: the rows have stopped. */
  onWithdrawn(): void;
  /** Storage is back, and may lack what was in it. */
  onBack(): void;
}

/** How consent is recorded where the rows are stored. */
export interface ConsentRecord {
  /** Whether data stored under a consent was withdrawn: none of it may be read or sent. */
  isWithdrawn(consent: unknown): boolean;
  /** Returns the id of a consent that is stored now. */
  newConsent(): string;
  /** Calls back when consent is withdrawn elsewhere, until it is closed. */
  onWithdrawal?: ((callBack: () => void) => { close(): void } | undefined) | undefined;
}

/** Opens the rows of a queue in a database. */
export function openRows(
  openDatabase: (listener: DatabaseListener) => Database,
  { isWithdrawn, newConsent, onWithdrawal }: ConsentRecord,
  { emit, onWithdrawn, onBack, known = new Map() }: RowsListener,
): Rows {
  /** Rows that were added since this page last looked for a surplus, or a few more. */
  let added = 0;
  let isMemory = false;
  let isStopped = false;
  let writing: Promise<unknown> | undefined;
  /** Ends when everything that was ever written is. */
  let written: Promise<unknown> = Promise.resolve();
  /** The consent under which the database was opened, once it is known. */
  let consent: unknown;

  const database = openDatabase({
    onBroken(error) {
      if (!isMemory && !isStopped) emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
      isMemory = true;
    },
    onDisconnect() {
      consent = undefined;
    },
    async onDeletion(table) {
      await readRows(table, 0);
      consent = undefined;
    },
    onBack() {
      isMemory = false;
      if (isStopped) return;
      emit({ type: 'error', reason: 'Storage is back: events are written again' });
      void change([...known].flatMap(([key, { value, put }]) => (put ? [[key, value]] : [])));
      onBack();
    },
  });

  const channel = onWithdrawal?.(withdraw);

  /** Whether what was read under `given` consent may go on. */
  function checkConsent(stored: unknown, given: unknown): boolean {
    if (given && (stored !== given || isWithdrawn(given))) withdraw();
    return !isStopped;
  }

  /** Returns the consent under which a transaction may write, if it may. The first one stores it. */
  function admit(table: Table, stored: unknown): unknown {
    if (!checkConsent(stored, consent)) return undefined;
    // What an earlier page had no time to clear.
    const isVoid = isWithdrawn(stored);
    // Other scripts can write here as well: what is not text is replaced.
    if (typeof stored === 'string' && !isVoid) return stored;
    if (isVoid) table.clear();
    const id = newConsent();
    table.put(CONSENT, id);
    return id;
  }

  function withdraw(): void {
    if (isStopped) return;
    const keys = [...known.keys()];
    // What was written before this page knew.
    void dropAll((table) => {
      for (const key of keys) table.put(key, undefined);
    });
    onWithdrawn();
  }

  /** Drops what this page has put, and closes after the `last` work. */
  function dropAll(last: (table: Table) => void): Promise<unknown> {
    const count = [...known].filter(([key, { put }]) => isWaiting(key) && put).length;
    isStopped = true;
    known.clear();
    const done = close(() => database.run('readwrite', last, true));
    dropped('withdrawn', count);
    return done;
  }

  function close<T>(last: () => Promise<T>): Promise<T> {
    const done = database.close(last);
    // As long as something is to be written or sent, it can be called off.
    void done.then(() => channel?.close());
    return done;
  }

  function dropped(reason: DropReason, count: number): void {
    if (count > 0) emit({ type: 'dropped', count, reason });
  }

  /** Says what is dropped. Of `mine`, what is no longer known has been said or delivered; what is in flight is not dropped. */
  function drop(drops: Drops, mine?: ReadonlySet<string>): void {
    for (const [why, keys] of drops) {
      const gone = keys.filter((key) => {
        const row = known.get(key);
        if (!row?.isInFlight) return known.delete(key) || !mine?.has(key);
        row.put = 'unwritten';
        return false;
      });
      dropped(why, gone.length);
    }
  }

  /** Resolves when everything that was added so far is written: an earlier write may have begun with a part of it. */
  function write(): Promise<unknown> {
    writing = undefined;
    const rows = [...known].flatMap(([key, { value, put }]) => (put === 'unwritten' ? [[key, value] as const] : []));
    added += rows.length;
    const changed = change(rows, added > SURPLUS ? never : undefined);
    added %= SURPLUS + 1;
    return (written = written.then(() => changed));
  }

  async function change(
    changes: readonly RowChange[],
    // A dead letter may be one too many.
    isExpired = changes.some(([key]) => key > DEAD) ? never : undefined,
  ): Promise<void> {
    if (isStopped || (!changes[0] && !isExpired)) return;
    for (const [key, value, from] of changes) {
      if (from || !value) known.delete(from ?? key);
      if (value) known.set(key, { ...known.get(key), value, put: 'unconfirmed' });
    }
    const hasMoves = changes.some(([, , from]) => from);
    // Of these memory may say and deliver what it will, before storage decides.
    const mine = new Set(isExpired && known.keys());
    const changed = await database.run('readwrite', async (table) => {
      const given = consent;
      const stored = table.get(CONSENT);
      const moved = hasMoves ? changes.map(([key, , from = key]) => table.get(from)) : [];
      // A page that ends now cannot wait for a read: new events are written first, and removed if there is no consent.
      const id = hasMoves || !given ? admit(table, await stored) : given;
      if (isStopped || !id) return {};
      const before = await Promise.all(moved);
      changes.forEach(([key, value, from], at) => {
        if (from) table.put(from, undefined);
        if (from && !before[at]) known.delete(key);
        // What was cleared since this was called is not written.
        if (!value || known.has(key)) table.put(key, value);
      });
      if (isExpired) {
        const drops = findDrops(await table.keys(), known, isExpired);
        for (const [, gone] of drops) for (const key of gone) table.put(key, undefined);
        // However late that is.
        table.onCommit(() => drop(drops, mine));
      }
      return { id, given, stored };
    });
    // What storage was too slow for stays unconfirmed: a read that was waiting as well must not take it for delivered.
    if (!changed) {
      if (isExpired) drop(findDrops([...known.keys()], known, isExpired));
      return;
    }
    for (const [key] of changes) {
      const row = known.get(key);
      if (row?.put === 'unconfirmed') row.put = 'stored';
    }
    consent ??= changed.id;
    checkConsent(await changed.stored, changed.given);
  }

  async function readRows(table: Table, more: number): Promise<FoundRows> {
    const given = consent;
    const before = [...known].flatMap(([key, row]) => (isSettled(row) ? [key] : []));
    const { keys, first } = await table.read(BATCH_MAX_EVENTS + SHARED_MAX + more);
    const stored = first.get(CONSENT);
    if (isWithdrawn(stored)) {
      if (given) withdraw();
      return { keys: [], first: new Map() };
    }
    if (checkConsent(stored, given) && typeof stored === 'string') consent ??= stored;
    // Rows of ours that are gone: another tab has delivered them.
    const found = new Set(keys);
    for (const key of before) if (!found.has(key) && isSettled(known.get(key))) known.delete(key);
    return { keys, first };
  }

  return {
    known,
    get storage() {
      return isMemory ? 'memory' : database.kind;
    },
    async run(mode, work) {
      const done = await database.run(mode, async (table) => {
        const stored = await table.get(CONSENT);
        const id = mode === 'readwrite' ? admit(table, stored) : undefined;
        return (mode === 'readwrite' ? id : !isWithdrawn(stored)) ? { id, value: await work(table) } : undefined;
      });
      consent ??= done?.id;
      return done?.value;
    },
    add(key, value) {
      known.set(key, { value, put: 'unwritten' });
      return (writing ??= Promise.resolve().then(write));
    },
    write,
    async read(more = 0) {
      const read = (): Promise<FoundRows | undefined> => database.run('readonly', (table) => readRows(table, more));
      let found = await read();
      const damaged = [...(found?.first ?? [])].filter(isDamaged);
      if (damaged[0]) {
        // Other scripts can write here as well. A row that is not an event would block all others.
        await change(damaged.map(([key]) => [key]));
        dropped('storage_lost', damaged.length);
        found = await read();
      }
      if (found) return found;
      const first = new Map([...known].map(([key, { value }]) => [key, value]));
      return { keys: [...first.keys()].sort(), first };
    },
    idle: () =>
      [...known].flatMap(([key, row]) =>
        isWaiting(key) && !row.isInFlight ? [[key, row.value as EventRow] as const] : [],
      ),
    claim(batch) {
      for (const [key, value] of batch) known.set(key, { value, put: known.get(key)?.put, isInFlight: true });
    },
    isInFlight: (key) => known.get(key)?.isInFlight === true,
    async confirm(batch, changes) {
      await change(changes);
      for (const [key] of batch) {
        const row = known.get(key);
        if (row?.put) row.isInFlight = false;
        else known.delete(key);
      }
    },
    change,
    clear() {
      known.clear();
      return database.run('readwrite', clearEvents, true);
    },
    remove: () => dropAll((table) => table.clear()),
    withdraw,
    close,
  };
}

const never = (_key: string): boolean => false;

/** Removes everything but the consent. */
async function clearEvents(table: Table): Promise<void> {
  const stored = await table.get(CONSENT);
  table.clear();
  table.put(CONSENT, stored);
}

/** Whether a row of this page is on disk as far as it knows. */
function isSettled(row: KnownRow | undefined): boolean {
  return row?.put === 'stored' && !row.isInFlight;
}

/** Whether a row is none that a queue has written. */
function isDamaged([key, row]: readonly [string, unknown]): boolean {
  return key > '0' && typeof own(own(row, 'event'), 'event_id') !== 'string';
}
