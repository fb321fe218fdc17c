import { promisifyRequest } from 'idb-keyval';
import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import type { Trouble } from './backoff.ts';
import { committed, openDisk, type Disk } from './disk.ts';
import type { DeadLetter, QueueEvent, StoredEvent } from './events.ts';
import { overflow, roomOf } from './fit.ts';
import { openLedger } from './ledger.ts';

/** One kept event. A refused one carries when it was made, since its key says when it is due; a dead one carries why. */
export interface Row {
  event: StoredEvent;
  tries?: number;
  since?: number;
  reason?: string;
}

export interface Rows {
  readonly disk: Disk;
  /** This page's own rows that nobody has acknowledged yet. */
  readonly mine: Map<string, Row>;
  /** Of those, the ones that are in memory only. */
  readonly loose: Set<string>;
  /** Rows in requests of this page. */
  readonly flying: Set<string>;
  storage(): 'indexeddb' | 'memory';
  /** Writes what is pending; resolves when it is on disk or the disk will not have it. */
  write(): Promise<void>;
  add(key: string, row: Row): Promise<void>;
  /** The oldest rows, never all, with those in memory among them; and the trouble, `undefined` when the disk did not answer. */
  read(): Promise<{ entries: [string, Row][]; trouble?: Trouble | null }>;
  /** Takes rows away; `moved` go on under another key: due later, or dead. */
  settle(
    gone: readonly string[],
    moved: readonly [from: string, to: string, row: Row][],
    trouble?: Trouble,
  ): Promise<void>;
  count(): Promise<number[]>;
  deadLetters(): Promise<DeadLetter[]>;
  purge(): Promise<void>;
}

/** The key of what the tabs of an origin must agree on; it sorts before every event. */
const TROUBLE = '!';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
const DEAD_MAX = 50;

/** The rows of a queue: on disk, and in memory whenever the disk will not have them. */
export function openRows(name: string, emit: (event: QueueEvent) => void): Rows {
  const mine = new Map<string, Row>();
  const loose = new Set<string>();
  const flying = new Set<string>();
  const ledger = openLedger(name);
  const events = (): IDBKeyRange => IDBKeyRange.bound('0', DEAD);
  const letters = (): IDBKeyRange => IDBKeyRange.bound(DEAD, '~~');
  let isMemory = false;
  let pending: string[] = [];
  let writing: Promise<void> | undefined;
  let room = 0;

  const disk = openDisk(name, () => {
    for (const key of mine.keys()) loose.add(key);
    pending = [...loose];
    emit({ type: 'error', reason: `Storage was closed; ${pending.length} events are written again` });
    void write();
  });

  const tried: <T>(...args: Parameters<typeof disk<T>>) => Promise<T | undefined> = (...args) =>
    disk(...args).catch((error: unknown) => {
      if (!isMemory) emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
      isMemory = true;
      return undefined;
    });

  function dropped(count: number, why: 'full' | 'dead_letters_full' | 'storage_lost'): void {
    if (count > 0) emit({ type: 'dropped', count, why });
  }

  function forget(keys: Iterable<string>): void {
    for (const key of keys) {
      mine.delete(key);
      loose.delete(key);
    }
  }

  function write(): Promise<void> {
    return (writing ??= Promise.resolve().then(put));
  }

  async function put(): Promise<void> {
    const keys = isMemory ? [...loose] : pending;
    writing = undefined;
    pending = [];
    if (!keys[0]) return;
    const isWritten = await tried('readwrite', async (rows) => {
      for (const key of keys) rows.put(mine.get(key), key);
      await committed(rows);
      return true;
    });
    if (isWritten) {
      isMemory = false;
      for (const key of keys) loose.delete(key);
    }
    for (const key of keys) room -= roomOf(key);
    if (room < 0) await trim();
  }

  async function trim(): Promise<void> {
    const fit = (onDisk: readonly string[]): ReturnType<typeof overflow> =>
      overflow([...new Set([...onDisk, ...loose])].filter((key) => key < DEAD && !flying.has(key)));
    const found = await tried('readwrite', async (rows) => {
      const fitted = fit((await promisifyRequest(rows.getAllKeys(events()))) as string[]);
      if (fitted.drop[0]) ledger();
      for (const key of fitted.drop) rows.delete(key);
      return fitted;
    });
    const { drop, room: left } = found ?? fit([]);
    room = Math.max(0, left);
    forget(drop);
    dropped(drop.length, 'full');
  }

  return {
    disk,
    mine,
    loose,
    flying,
    storage: () => (isMemory ? 'memory' : 'indexeddb'),
    write,
    add(key, row) {
      mine.set(key, row);
      loose.add(key);
      pending.push(key);
      return write();
    },
    async read() {
      const limit = BATCH_MAX_EVENTS + 1;
      const known = [...mine.keys()].filter((key) => !loose.has(key));
      const found = await tried('readonly', (rows) =>
        Promise.all([
          promisifyRequest(rows.getAllKeys(null, limit) as IDBRequest<string[]>),
          promisifyRequest(rows.getAll(null, limit)),
          promisifyRequest(rows.count()),
        ]),
      );
      const [keys, values, count] = found ?? [[], [], 0];
      const read = new Map<string, Row>(keys.map((key, at) => [key, values[at]]));
      if (found) {
        // Rows of ours that are gone from where we looked: another tab has delivered them.
        forget(known.filter((key) => !read.has(key) && (count < limit || key < (keys.at(-1) ?? ''))));
        dropped(ledger(count), 'storage_lost');
      }
      for (const key of loose) read.set(key, mine.get(key) as Row);
      return {
        entries: [...read].filter(([key]) => key > TROUBLE && key < DEAD).sort(([a], [b]) => (a < b ? -1 : 1)),
        trouble: found && ((read.get(TROUBLE) as Trouble | undefined) ?? null),
      };
    },
    async settle(gone, moved, trouble) {
      if (gone[0] || moved[0]) ledger();
      forget(gone);
      for (const [from, to, row] of moved) {
        const isLoose = loose.has(from);
        const isMine = mine.has(from);
        forget([from]);
        if (isLoose) loose.add(to);
        if (isLoose || (isMine && to < DEAD)) mine.set(to, row);
      }
      const excess = await tried('readwrite', async (rows) => {
        for (const key of gone) rows.delete(key);
        if (trouble) rows.put(trouble, TROUBLE);
        else rows.delete(TROUBLE);
        for (const [from, to, row] of moved) {
          // Not on disk any more: purged meanwhile, or never written.
          if (!(await promisifyRequest(rows.getKey(from)))) continue;
          rows.delete(from);
          rows.put(row, to);
        }
        const dead = moved[0] ? await promisifyRequest(rows.getAllKeys(letters())) : [];
        const oldest = dead.slice(0, -DEAD_MAX);
        for (const key of oldest) rows.delete(key);
        await committed(rows);
        return oldest.length;
      });
      dropped(excess ?? 0, 'dead_letters_full');
    },
    count: async () =>
      (await tried('readonly', (rows) =>
        Promise.all([promisifyRequest(rows.count(events())), promisifyRequest(rows.count(letters()))]),
      )) ?? [0, 0],
    deadLetters: async () =>
      (await tried('readonly', (rows) => promisifyRequest<DeadLetter[]>(rows.getAll(letters())))) ?? [],
    async purge() {
      ledger();
      forget([...mine.keys()]);
      pending = [];
      await tried('readwrite', (rows) => {
        rows.clear();
        return committed(rows);
      });
    },
  };
}
