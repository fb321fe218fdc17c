import { promisifyRequest as done } from 'idb-keyval';
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
export type Entry = [key: string, row: Row];
export type Move = readonly [from: string, to: string, row: Row];

/** The rows of a queue: on disk, and in memory whenever the disk will not have them. */
export interface Rows {
  readonly disk: Disk;
  /** This page's own rows that nobody has acknowledged yet. */
  readonly mine: Map<string, Row>;
  /** Of those, the ones that are in memory only. */
  readonly loose: Set<string>;
  /** Rows in requests of this page. */
  readonly flying: Set<string>;
  isMemory(): boolean;
  /** Writes what is pending; resolves when it is on disk or the disk will not have it. */
  write(): Promise<void>;
  add(key: string, row: Row): Promise<void>;
  /** The oldest rows, never all, with those in memory among them; and the trouble, `undefined` when the disk did not answer. */
  read(): Promise<[entries: Entry[], trouble?: Trouble | null]>;
  /** Takes rows away; moved ones go on under another key: due later, or dead. `null` ends the trouble. */
  settle(gone: readonly string[], moved: readonly Move[], trouble?: Trouble | null): Promise<void>;
  count(): Promise<number[]>;
  deadLetters(): Promise<DeadLetter[]>;
  purge(): Promise<void>;
}

/** The key of what the tabs of an origin must agree on; it sorts before every event. */
const TROUBLE = '!';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
const DEAD_MAX = 50;
/** Rows read at once: one batch and the trouble. */
const READ_MAX = 21;

/** Opens the rows of a queue. */
export function openRows(name: string, emit: (event: QueueEvent) => void): Rows {
  const mine = new Map<string, Row>();
  const loose = new Set<string>();
  const flying = new Set<string>();
  const ledger = openLedger(name);
  const events = (): IDBKeyRange => IDBKeyRange.bound(TROUBLE, DEAD, true);
  const letters = (): IDBKeyRange => IDBKeyRange.bound(DEAD, '~~');
  let isMemory = false;
  let pending: string[] = [];
  let writing: Promise<void> | undefined;
  let room = 0;

  const disk = openDisk(name, () => {
    pending = [...mine.keys()];
    for (const key of pending) loose.add(key);
    emit({ type: 'error', reason: 'Storage was closed: this page writes its events again' });
    void write();
  });

  const tried: <T>(...args: Parameters<typeof disk<T>>) => Promise<T | void> = (...args) =>
    disk(...args).catch((error: unknown) => {
      if (!isMemory) emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
      isMemory = true;
    });

  const dropped = (count: number, why: 'full' | 'dead_letters_full' | 'storage_lost'): void => {
    if (count > 0) emit({ type: 'dropped', count, why });
  };

  /** Tells whether the row was in memory only. */
  const forget = (key: string): boolean => mine.delete(key) && loose.delete(key);

  const write = (): Promise<void> => (writing ??= Promise.resolve().then(put));

  async function put(): Promise<void> {
    const keys = isMemory ? [...loose] : pending;
    writing = undefined;
    pending = [];
    if (!keys[0]) return;
    await tried('readwrite', async (rows) => {
      for (const key of keys) rows.put(mine.get(key), key);
      await committed(rows);
      isMemory = false;
      for (const key of keys) loose.delete(key);
    });
    for (const key of keys) room -= roomOf(key);
    if (room < 0) await trim();
  }

  async function trim(): Promise<void> {
    const keys = ((await tried('readonly', (rows) => done(rows.getAllKeys(events())))) as string[] | undefined) ?? [
      ...loose,
    ];
    const { drop, room: left } = overflow(keys.filter((key) => !flying.has(key)));
    room = Math.max(0, left);
    if (drop[0]) await settle(drop, []);
    dropped(drop.length, 'full');
  }

  async function settle(gone: readonly string[], moved: readonly Move[], trouble?: Trouble | null): Promise<void> {
    if (gone[0] || moved[0]) ledger();
    gone.forEach(forget);
    for (const [from, to, row] of moved) {
      const isMine = mine.has(from);
      const isLoose = forget(from);
      if (isLoose) loose.add(to);
      if (isLoose || (isMine && to < DEAD)) mine.set(to, row);
    }
    await tried('readwrite', async (rows) => {
      for (const key of gone) rows.delete(key);
      if (trouble) rows.put(trouble, TROUBLE);
      else if (trouble === null) rows.delete(TROUBLE);
      for (const [from, to, row] of moved) {
        // Not on disk any more: purged meanwhile, or never written.
        if (!(await done(rows.getKey(from)))) continue;
        rows.delete(from);
        rows.put(row, to);
      }
      const dead = moved[0] ? (await done(rows.getAllKeys(letters()))).slice(0, -DEAD_MAX) : [];
      for (const key of dead) rows.delete(key);
      await committed(rows);
      dropped(dead.length, 'dead_letters_full');
    });
  }

  return {
    disk,
    mine,
    loose,
    flying,
    isMemory: () => isMemory,
    write,
    settle,
    add(key, row) {
      mine.set(key, row);
      loose.add(key);
      pending.push(key);
      return write();
    },
    async read() {
      const known = [...mine.keys()].filter((key) => !loose.has(key));
      const found = await tried('readonly', (rows) =>
        Promise.all([
          done(rows.getAllKeys(null, READ_MAX)),
          done(rows.getAll(null, READ_MAX)),
          done(rows.count()),
        ] as Promise<unknown>[]),
      );
      const [keys, values, count] = (found ?? [[], [], 0]) as [string[], unknown[], number];
      const read = new Map<string, unknown>(keys.map((key, at) => [key, values[at]]));
      const trouble = found ? ((read.get(TROUBLE) as Trouble | undefined) ?? null) : undefined;
      if (found) {
        // Rows of ours that are gone from where we looked: another tab has delivered them.
        for (const key of known) if (!read.has(key) && (count < READ_MAX || key < (keys.at(-1) ?? ''))) forget(key);
        dropped(ledger(count), 'storage_lost');
      }
      for (const key of loose) read.set(key, mine.get(key));
      const entries = [...read] as Entry[];
      return [entries.filter(([key]) => key > TROUBLE && key < DEAD).sort(([a], [b]) => (a < b ? -1 : 1)), trouble];
    },
    count: async () =>
      (await tried('readonly', (rows) => Promise.all([done(rows.count(events())), done(rows.count(letters()))]))) ?? [],
    deadLetters: async () => (await tried('readonly', (rows) => done<DeadLetter[]>(rows.getAll(letters())))) ?? [],
    async purge() {
      ledger();
      mine.clear();
      loose.clear();
      pending = [];
      await tried('readwrite', (rows) => {
        rows.clear();
        return committed(rows);
      });
    },
  };
}
