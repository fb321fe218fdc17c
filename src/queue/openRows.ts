import { promisifyRequest } from 'idb-keyval';
import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import type { Trouble } from './backoff.ts';
import { committed, openDisk, type Disk, type Work } from './disk.ts';
import type { DeadLetter, DropReason, StoredEvent } from './events.ts';
import { keyBytes } from './key.ts';
import { openLedger } from './ledger.ts';
import { overflow } from './overflow.ts';

/** One kept event. A refused one carries when it was made, since its key says when it is due. */
export interface Row {
  event: StoredEvent;
  tries?: number;
  since?: number;
  /** Of a dead letter. */
  reason?: string;
}
export type Entry = readonly [key: string, row: Row];

/** What becomes of rows after an answer. */
export interface Change {
  gone?: readonly string[];
  /** Rows that go on under another key: due later, or dead. */
  moved?: readonly { from: string; to: string; row: Row }[];
  /** `null` ends the trouble. */
  trouble?: Trouble | null;
}

export interface Rows {
  readonly disk: Disk;
  /** This page's own rows that nobody has acknowledged yet. */
  readonly mine: ReadonlyMap<string, Row>;
  /** Of those, the ones that are in memory only. */
  readonly loose: ReadonlySet<string>;
  /** Rows in requests of this page. */
  readonly flying: Set<string>;
  readonly storage: 'indexeddb' | 'memory';
  add(key: string, row: Row): Promise<void>;
  write(): Promise<void>;
  /** The oldest rows, those in memory among them; never all. */
  read(): Promise<{ entries: Entry[]; trouble?: Trouble }>;
  settle(change: Change): Promise<void>;
  count(): Promise<{ onDisk: number; deadLetters: number }>;
  deadLetters(): Promise<[key: string, letter: DeadLetter][]>;
  purge(): Promise<void>;
}

/** What the tabs of an origin must agree on; sorts before every event. */
const TROUBLE = '!';
/** Begins the keys of dead letters; they sort after every event. */
export const DEAD = '~';
const DEAD_MAX = 50;
const events = (): IDBKeyRange => IDBKeyRange.bound('0', DEAD);
const letters = (): IDBKeyRange => IDBKeyRange.bound(DEAD, '~~', false, true);

/** The rows of a queue: on disk, and in memory whenever the disk will not have them. */
export function openRows(name: string, tell: { dropped(count: number, why: DropReason): void; error(reason: string): void }): Rows {
  const mine = new Map<string, Row>();
  const loose = new Set<string>();
  const flying = new Set<string>();
  const ledger = openLedger(name);
  let storage: Rows['storage'] = 'indexeddb';
  let pending: string[] = [];
  let writing: Promise<void> | undefined;
  let room = 0;
  let roomBytes = 0;

  const disk = openDisk(name, () => {
    tell.error(`storage was closed under us; ${mine.size} events are written again`);
    for (const key of mine.keys()) loose.add(key);
    pending = [...loose];
    void write();
  });

  async function tried<T>(mode: IDBTransactionMode, work: Work<T>): Promise<T | undefined> {
    try {
      const result = await disk(mode, work);
      storage = 'indexeddb';
      return result;
    } catch (error) {
      if (storage === 'indexeddb') tell.error(`events are kept in memory: ${String(error)}`);
      storage = 'memory';
      return undefined;
    }
  }

  function write(): Promise<void> {
    return (writing ??= Promise.resolve().then(put));
  }

  async function put(): Promise<void> {
    const keys = (storage === 'memory' ? [...loose] : pending).filter((key) => loose.has(key));
    writing = undefined;
    pending = [];
    if (!keys.length) return;
    const isWritten = await tried('readwrite', async (rows) => {
      for (const key of keys) rows.put(mine.get(key), key);
      await committed(rows);
      return true;
    });
    for (const key of keys) {
      if (isWritten) loose.delete(key);
      room--;
      roomBytes -= keyBytes(key);
    }
    if (room < 0 || roomBytes < 0) await trim();
  }

  async function trim(): Promise<void> {
    const fit = (onDisk: readonly string[]): ReturnType<typeof overflow> =>
      overflow([...new Set([...onDisk, ...loose])].filter((key) => key < DEAD && !flying.has(key)));
    const found =
      (await tried('readwrite', async (rows) => {
        const fitted = fit((await promisifyRequest(rows.getAllKeys(events()))) as string[]);
        if (fitted.drop.length) ledger.forget();
        for (const key of fitted.drop) rows.delete(key);
        await committed(rows);
        return fitted;
      })) ?? fit([]);
    ({ room, roomBytes } = found);
    forget(found.drop);
    if (found.drop.length) tell.dropped(found.drop.length, 'full');
  }

  function forget(keys: Iterable<string>): void {
    for (const key of keys) {
      mine.delete(key);
      loose.delete(key);
    }
  }

  async function settle({ gone = [], moved = [], trouble }: Change): Promise<void> {
    if (gone.length || moved.length) ledger.forget();
    forget(gone);
    for (const { from, to, row } of moved) {
      const isLoose = loose.delete(from);
      if (mine.delete(from) && (isLoose || to < DEAD)) mine.set(to, row);
      if (isLoose) loose.add(to);
    }
    const tooMany = await tried('readwrite', async (rows) => {
      for (const key of gone) rows.delete(key);
      if (trouble) rows.put(trouble, TROUBLE);
      else if (trouble === null) rows.delete(TROUBLE);
      if (moved.length) {
        for (const { from, to, row } of moved) {
          // Not on disk any more: purged meanwhile, or never written.
          if ((await promisifyRequest(rows.getKey(from))) === undefined) continue;
          rows.delete(from);
          rows.put(row, to);
        }
        const dead = await promisifyRequest(rows.getAllKeys(letters()));
        const oldest = dead.slice(0, Math.max(0, dead.length - DEAD_MAX));
        for (const key of oldest) rows.delete(key);
        await committed(rows);
        return oldest.length;
      }
      await committed(rows);
      return 0;
    });
    if (tooMany) tell.dropped(tooMany, 'dead_letters_full');
  }

  return {
    disk,
    mine,
    loose,
    flying,
    get storage() {
      return storage;
    },
    write,
    settle,
    add(key, row) {
      mine.set(key, row);
      loose.add(key);
      pending.push(key);
      return write();
    },
    async read() {
      const limit = BATCH_MAX_EVENTS + 1;
      const known = [...mine.keys()].filter((key) => !loose.has(key));
      const found = await tried('readonly', async (rows) => {
        const [keys, values] = await Promise.all([promisifyRequest(rows.getAllKeys(null, limit)), promisifyRequest(rows.getAll(null, limit))]);
        const isAll = keys.length < limit;
        return { isAll, keys: keys as string[], values: values as unknown[], count: isAll ? -1 : await promisifyRequest(rows.count(events())) };
      });
      const { isAll, keys, values, count } = found ?? { isAll: false, keys: [], values: [], count: 0 };
      const hasTrouble = keys[0] === TROUBLE;
      const entries = new Map(keys.map((key, at) => [key, values[at] as Row] as const).filter(([key]) => key > TROUBLE && key < DEAD));
      if (found) {
        // Rows of ours that are gone from where we looked: another tab has delivered them.
        forget(known.filter((key) => !entries.has(key) && (isAll || key < (keys.at(-1) ?? ''))));
        const lost = ledger.check(isAll ? entries.size : count);
        if (lost) tell.dropped(lost, 'storage_lost');
      }
      for (const key of loose) {
        const row = mine.get(key);
        if (row && key < DEAD) entries.set(key, row);
      }
      return {
        entries: [...entries].sort(([a], [b]) => (a < b ? -1 : 1)),
        trouble: hasTrouble ? (values[0] as Trouble) : undefined,
      };
    },
    async count() {
      const found = await tried('readonly', (rows) =>
        Promise.all([promisifyRequest(rows.count(events())), promisifyRequest(rows.count(letters()))]),
      );
      return { onDisk: found?.[0] ?? 0, deadLetters: found?.[1] ?? [...mine.keys()].filter((key) => key > DEAD).length };
    },
    async deadLetters() {
      const found = await tried('readonly', (rows) =>
        Promise.all([promisifyRequest(rows.getAllKeys(letters())), promisifyRequest(rows.getAll(letters()))]),
      );
      const onDisk = found ? found[0].map((key, at): [string, DeadLetter] => [String(key), found[1][at] as DeadLetter]) : [];
      return [...onDisk, ...[...mine].filter(([key]) => key > DEAD && loose.has(key))] as [string, DeadLetter][];
    },
    async purge() {
      ledger.forget();
      forget([...mine.keys()]);
      pending = [];
      await tried('readwrite', (rows) => {
        rows.clear();
        return committed(rows);
      });
    },
  };
}
