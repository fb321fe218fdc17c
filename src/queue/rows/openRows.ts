import { promisifyRequest as done } from 'idb-keyval';
import { BATCH_MAX_EVENTS, QUEUE_MAX_EVENTS } from '../../wire/limits.ts';
import type { DropReason } from '../events.ts';
import { CONSENT, eventRange, isWaiting, REMOVED, SHARED_MAX } from './key.ts';
import { isWithdrawn, newConsent } from '../withdrawal.ts';
import { openCap, type Drops } from './openCap.ts';
import { committed, openDatabase } from './openDatabase.ts';
import { rememberCount } from './rememberCount.ts';
import { isIdle, isOwn, type Change, type Rows, type RowsListener } from './rows.ts';

/** Opens the rows of a queue. */
export function openRows(name: string, { emit, onWithdrawn, onBack }: RowsListener): Rows {
  const known: Rows['known'] = new Map();
  const cap = openCap(known);
  let isMemory = false;
  let isFirstRead = true;
  let isStopped = false;
  let writing: Promise<void> | undefined;
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
    const lost = rememberCount(name, waiting, sum);
    if (isFirstRead) dropped('storage_lost', lost);
    isFirstRead = false;
  }

  function write(): Promise<void> {
    writing = undefined;
    let keys = [...known].flatMap(([key, { state }]) => (state === 'unwritten' ? [key] : []));
    // Far more at once than there is room for: what has to go is not written first.
    if (keys.length > QUEUE_MAX_EVENTS) forget(cap.findAmong(keys));
    keys = keys.filter((key) => known.has(key));
    return change(
      keys.map((key) => [key, known.get(key)?.value]),
      cap.add(keys.length),
    );
  }

  async function change(changes: readonly Change[], mayDrop?: boolean): Promise<void> {
    if (isStopped || (!changes[0] && !mayDrop)) return;
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
      const drops = mayDrop ? await cap.find(rows, hasMoves ? [] : changes.map(([key]) => key)) : [];
      for (const [, keys] of drops) {
        for (const key of keys) rows.delete(key);
        removed += keys.length;
      }
      if (removed) rows.put(((await done<number | undefined>(rows.get(REMOVED))) ?? 0) + removed, REMOVED);
      await committed(rows);
      checkConsent(requests[0]?.result, given);
      return drops;
    });
    for (const [key] of changes) {
      const row = known.get(key);
      if (row?.state === 'unconfirmed') row.state = 'local';
      if (row?.before) row.before = 'local';
    }
    forget(drops ?? (mayDrop ? cap.findAmong(known.keys()) : []));
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
    cap.count(keys.filter(isWaiting).length);
    return { keys, first };
  }

  return {
    known,
    isMemory: () => isMemory,
    run: (mode, work) =>
      database.run(mode, async (rows) =>
        mode === 'readonly'
          ? isWithdrawn(await done(rows.get(CONSENT)))
            ? (undefined as never)
            : work(rows)
          : admit(rows, await done<string | undefined>(rows.get(CONSENT)))
            ? work(rows)
            : (undefined as never),
      ),
    add(key, value) {
      known.set(key, { value, state: 'unwritten' });
      return (writing ??= Promise.resolve().then(write));
    },
    write,
    async read(more = 0, isLocked = false) {
      const found = await database.run('readonly', (rows) => readRows(rows, more));
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
