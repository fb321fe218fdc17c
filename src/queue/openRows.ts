import { promisifyRequest as done } from 'idb-keyval';
import { own } from '../wire/json.ts';
import { BATCH_MAX_EVENTS, QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import type { DropReason } from './events.ts';
import {
  committed,
  CONSENT,
  type Drops,
  eventRange,
  findDrops,
  isIdle,
  isOwn,
  isWaiting,
  openDatabase,
  QUEUE_GROWN,
  REMOVED,
  type RowChange,
  type Rows,
  type RowsListener,
  SHARED_MAX,
} from './rows.ts';
import { isWithdrawn, newConsent, tryStorage } from './withdrawal.ts';

/** Milliseconds between two notes of how many rows were added. */
const COUNT_MS = 100;

/** Opens the rows of a queue. */
export function openRows(name: string, { now, emit, onWithdrawn, onBack }: RowsListener): Rows {
  const known: Rows['known'] = new Map();
  /** Rows that may be added before there are too many; as of the last read, since other tabs add as well. */
  let room = QUEUE_GROWN;
  /** Rows that were added since they were remembered, and when that was. */
  let added = 0;
  let countedAt = -COUNT_MS;
  let isMemory = false;
  let isFirstRead = true;
  let isStopped = false;
  let writing: Promise<void> | undefined;
  /** Ends when everything that was ever written is. */
  let written: Promise<unknown> = Promise.resolve();
  /** The consent under which the database was opened, once it is known. */
  let consent: string | undefined;

  const database = openDatabase(name, {
    onBroken(error) {
      isMemory = true;
      emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
    },
    onDisconnect() {
      consent = undefined;
    },
    onDeletion: (rows) => readRows(rows, 0),
    onBack() {
      consent = undefined;
      isMemory = false;
      if (isStopped) return;
      emit({ type: 'error', reason: 'Storage is back: events are written again' });
      void change([...known].filter(isOwn).map(([key, { value }]) => [key, value]));
      onBack();
    },
  });

  /** Whether what was read under `given` consent may go on. */
  function checkConsent(stored: unknown, given: string | undefined): boolean {
    if (given && (stored !== given || isWithdrawn(given))) withdrawn();
    return !isStopped;
  }

  /** Whether a transaction may write. The first one stores the consent if none is stored. */
  function admit(rows: IDBObjectStore, stored: string | undefined): boolean {
    if (!checkConsent(stored, consent)) return false;
    // What an earlier page had no time to clear.
    const isVoid = isWithdrawn(stored);
    if (isVoid) rows.clear();
    const id = stored && !isVoid ? stored : newConsent();
    if (id !== stored) rows.put(id, CONSENT);
    rows.transaction.addEventListener('complete', () => (consent = id));
    return true;
  }

  function withdrawn(): void {
    if (isStopped) return;
    const keys = [...known.keys()];
    const count = [...known].filter((row) => isWaiting(row[0]) && isOwn(row)).length;
    stop();
    // What was written before this page knew.
    const removed = Promise.resolve().then(() =>
      database.run('readwrite', (rows) => {
        for (const key of keys) rows.delete(key);
      }),
    );
    database.close(removed);
    dropped('withdrawn', count);
    onWithdrawn();
  }

  function forgetAll(): void {
    known.clear();
    remember(0, Infinity);
  }

  function stop(): void {
    isStopped = true;
    forgetAll();
  }

  function dropped(reason: DropReason, count: number): void {
    if (count > 0) emit({ type: 'dropped', count, reason });
  }

  function forget(drops: Drops): void {
    for (const [why, keys] of drops) {
      for (const key of keys) known.delete(key);
      dropped(why, keys.length);
    }
  }

  function remember(waiting: number, sum: number): void {
    added = 0;
    const lost = rememberCount(name, waiting, sum);
    if (isFirstRead) dropped('storage_lost', lost);
    isFirstRead = false;
  }

  /** Remembers rows that were added since the last read, a few times a second at the most. */
  function count(more: number): void {
    added += more;
    if (isMemory || isStopped || performance.now() - countedAt < COUNT_MS) return;
    countedAt = performance.now();
    rememberAdded(name, added);
    added = 0;
  }

  function write(): Promise<void> {
    writing = undefined;
    let keys = [...known].flatMap(([key, { state }]) => (state === 'unwritten' ? [key] : []));
    // Far more at once than there is room for: what has to go is not written first.
    if (keys.length > QUEUE_GROWN) forget(findDrops(keys.sort(), known));
    keys = keys.filter((key) => known.has(key));
    room -= keys.length;
    const changed = change(
      keys.map((key) => [key, known.get(key)?.value]),
      room < 0,
    );
    written = Promise.all([written, changed]);
    return changed;
  }

  async function change(changes: readonly RowChange[], mayDrop?: boolean | 'aged'): Promise<void> {
    if (isStopped || (!changes[0] && !mayDrop)) return;
    const time = mayDrop === 'aged' ? now() : undefined;
    for (const [key, value, from] of changes) {
      if (from || !value) known.delete(from ?? key);
      if (value && isIdle(known.get(key))) known.set(key, { value, state: 'unconfirmed' });
    }
    const hasMoves = changes.some(([, , from]) => from);
    const drops = await database.run('readwrite', async (rows): Promise<Drops> => {
      if (isStopped) return [];
      const given = consent;
      const requests = [CONSENT, ...(hasMoves ? changes.map(([key, , from = key]) => from) : [])].map(
        (key): IDBRequest<string | undefined> => rows.get(key),
      );
      // A page that ends now cannot wait for a read: new events are written first, and removed if there is no consent.
      if (hasMoves || !given) {
        const [stored] = await Promise.all(requests.map(done));
        if (!admit(rows, stored)) return [];
      }
      let removed = 0;
      changes.forEach(([key, value, from], at) => {
        if (!value || from) {
          rows.delete(from ?? key);
          removed++;
        }
        if (from && !requests[at + 1]?.result) known.delete(key);
        // What was purged since this was called is not written.
        if (value && known.has(key)) rows.put(value, key);
      });
      const all = mayDrop ? ((await done(rows.getAllKeys(eventRange()))) as string[]) : [];
      const drops = findDrops(all, known, time);
      for (const key of drops.flatMap(([, keys]) => keys)) {
        rows.delete(key);
        removed++;
      }
      if (mayDrop) room = QUEUE_GROWN - all.length + removed;
      if (removed) rows.put(((await done<number | undefined>(rows.get(REMOVED))) ?? 0) + removed, REMOVED);
      await committed(rows);
      checkConsent(requests[0]?.result, given);
      return drops;
    });
    // What storage was too slow for stays unconfirmed: a read that was waiting as well must not take it for delivered.
    if (drops) {
      for (const [key] of changes) {
        const row = known.get(key);
        if (row?.state === 'unconfirmed') row.state = 'local';
        if (row?.before) row.before = 'local';
      }
    } else room = QUEUE_GROWN - Math.min(known.size, QUEUE_MAX_EVENTS);
    forget(drops ?? (mayDrop ? findDrops([...known.keys()].sort(), known, time) : []));
    count(changes.filter(([key, value, from]) => value && !from && key > '0').length);
  }

  async function readRows(rows: IDBObjectStore, more: number): ReturnType<Rows['read']> {
    const given = consent;
    const before = [...known].flatMap(([key, { state }]) => (state === 'local' ? [key] : []));
    const [keys, values] = (await Promise.all([
      done(rows.getAllKeys(eventRange())),
      done(rows.getAll(eventRange(), BATCH_MAX_EVENTS + SHARED_MAX + more)),
    ])) as [string[], unknown[]];
    const first = new Map(values.map((value, at) => [keys[at] ?? '', value]));
    const stored = first.get(CONSENT);
    if (isWithdrawn(stored)) {
      if (given) withdrawn();
      return { keys: [], first: new Map() };
    }
    if (checkConsent(stored, given)) consent ??= stored as string | undefined;
    // Rows of ours that are gone: another tab has delivered them, unless the whole database went meanwhile.
    const found = new Set(keys);
    for (const key of before) if (!found.has(key) && known.get(key)?.state === 'local') known.delete(key);
    room = QUEUE_GROWN - keys.filter(isWaiting).length;
    return { keys, first };
  }

  return {
    known,
    isMemory: () => isMemory,
    run: (mode, work) =>
      database.run(mode, async (rows) => {
        const stored = await done<string | undefined>(rows.get(CONSENT));
        const mayRun = mode === 'readonly' ? !isWithdrawn(stored) : admit(rows, stored);
        return mayRun ? work(rows) : (undefined as never);
      }),
    add(key, value) {
      known.set(key, { value, state: 'unwritten' });
      return (writing ??= Promise.resolve().then(write));
    },
    async write() {
      await write();
      await written;
    },
    async read(more = 0, isLocked = false) {
      let found = await database.run('readonly', (rows) => readRows(rows, more));
      const damaged = found ? [...found.first].filter(isDamaged).map(([key]) => key) : [];
      if (damaged[0]) {
        // Other scripts can write here as well. A row that is not an event would block all others.
        await change(damaged.map((key) => [key]));
        dropped('storage_lost', damaged.length);
        found = await database.run('readonly', (rows) => readRows(rows, more));
      }
      if (!found) {
        const first = new Map([...known].map(([key, { value }]) => [key, value]));
        return { keys: [...first.keys()].sort(), first };
      }
      const waiting = found.keys.filter(isWaiting).length;
      if (isLocked && !isStopped) remember(waiting, waiting + Number(found.first.get(REMOVED) ?? 0));
      return found;
    },
    change,
    async purge() {
      forgetAll();
      await database.run(
        'readwrite',
        async (rows) => {
          const stored: unknown = await done(rows.get(CONSENT));
          rows.clear();
          if (stored) rows.put(stored, CONSENT);
          await committed(rows);
        },
        true,
      );
    },
    stop,
    clear() {
      stop();
      // A database that nobody has used is not created for it.
      const cleared = database.isUsed()
        ? database.run('readwrite', (rows) => {
            rows.clear();
            return committed(rows);
          })
        : Promise.resolve();
      database.close(cleared);
      return cleared;
    },
    withdrawn,
    close: database.close,
  };
}

/** Whether a row is none that a queue has written. */
function isDamaged([key, row]: readonly [string, unknown]): boolean {
  return key > '0' && typeof own(own(row, 'event'), 'event_id') !== 'string';
}

/** Adds rows to those that are remembered. What a killed browser had not yet remembered is too little, never too much. */
function rememberAdded(name: string, added: number): void {
  const [count = 0, sum = 0] = readCount(name);
  if (added) writeCount(name, count + added, sum + added);
}

/**
 * Remembers, outside IndexedDB, how many rows are `waiting` and how many there have ever been, and returns how many were lost since the last
 * time: Chromium repairs a damaged store by leaving rows out, without an error. `sum` never shrinks, so what a killed browser
 * had not yet remembered is too little, never too much.
 */
function rememberCount(name: string, waiting: number, sum: number): number {
  const [count = 0, sumBefore = 0] = readCount(name);
  writeCount(name, waiting, sum);
  return Math.min(count, sumBefore - sum);
}

function readCount(name: string): number[] {
  return tryStorage(() => (localStorage.getItem(name) ?? '').split(',').map(Number)) ?? [];
}

function writeCount(name: string, waiting: number, sum: number): void {
  tryStorage(() => (waiting ? localStorage.setItem(name, `${waiting},${sum}`) : localStorage.removeItem(name)));
}
