import { promisifyRequest as done } from 'idb-keyval';
import { QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import type { Trouble } from './backoff.ts';
import { committed, openDisk, type Disk } from './disk.ts';
import type { DropReason, QueueEvent, StoredEvent } from './events.ts';
import { GONE, isWaiting, NOTE } from './key.ts';
import { overdue } from './overdue.ts';

/** One event as it is kept; a refused one carries how often, a dead one why. */
export interface Row {
  event: StoredEvent;
  tries?: number;
  reason?: string;
}
type Kept = Row | Trouble;

/** The rows of a queue, on disk or in memory. */
export interface Rows {
  readonly disk: Disk;
  /** The rows that this page has put, as far as it knows them to be there still. */
  readonly mine: Map<string, Kept>;
  /** The keys of rows in requests of this page. */
  readonly flying: Set<string>;
  /** Whatever else is to be written again once storage is back. */
  whenBack?: () => void;
  isMemory(): boolean;
  /** Writes what is pending; resolves when it is on disk, or in memory where there is no disk. */
  write(): Promise<void>;
  add(key: string, row: Row): Promise<void>;
  /** All keys, and the first rows: never all. In a turn it also notices lost ones. */
  look(isTurn?: boolean): Promise<[keys: string[], first: Map<string, Kept>]>;
  /** Takes rows away and puts others, at once. `mayDrop`: then also drops what is too much or too old. */
  change(gone: readonly string[], put: readonly (readonly [string, Kept])[], mayDrop?: boolean): Promise<void>;
  purge(): Promise<void>;
}

/** Rows read at once: one batch, and the three that are no events. */
const READ_MAX = 23;

/** Opens the rows of a queue. */
export function openRows(name: string, emit: (event: QueueEvent) => void): Rows {
  const mine: Rows['mine'] = new Map();
  const flying = new Set<string>();
  /** The rows that are not known to be on disk yet. A full disk refuses them late, and whoever looks meanwhile must not take them for delivered. */
  const unsure = new Set<string>();
  let isMemory = false;
  let isFirstLook = true;
  let pending: (readonly [string, Kept])[] = [];
  let writing: Promise<void> | undefined;
  /** Rows that may be added before the cap has to be looked at; as of the last look, other tabs add as well. */
  let room = QUEUE_MAX_EVENTS;

  const disk = openDisk(
    name,
    (error) => {
      isMemory = true;
      emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
    },
    () => {
      isMemory = false;
      emit({ type: 'error', reason: 'Storage is back: events are written again' });
      void change([], [...mine]);
      all.whenBack?.();
    },
  );

  function dropped(why: DropReason, count: number): void {
    if (count > 0) emit({ type: 'dropped', count, why });
  }

  /**
   * Remembers, outside IndexedDB, how many rows there have ever been: Chromium repairs a damaged store by leaving rows out,
   * without an error. That sum never shrinks, so what a killed browser had not yet remembered is too little, never too much.
   */
  function remember(waiting: number, sum: number): void {
    try {
      const [kept = 0, before = 0] = String(localStorage.getItem(name)).split(',').map(Number);
      if (isFirstLook) dropped('storage_lost', Math.min(kept, before - sum));
      if (waiting) localStorage.setItem(name, `${waiting},${sum}`);
      else localStorage.removeItem(name);
    } catch {
      // Blocked: then nothing is remembered.
    }
    isFirstLook = false;
  }

  function hold(key: string, row: Kept): void {
    mine.set(key, row);
    unsure.add(key);
  }

  const write = (): Promise<void> =>
    (writing ??= Promise.resolve().then(() => {
      const fresh = pending;
      pending = [];
      writing = undefined;
      if (fresh[0]) return change([], fresh, (room -= fresh.length) < 0);
    }));

  const change: Rows['change'] = async (gone, put, mayDrop) => {
    const drops = (keys: string[]): ReturnType<typeof overdue> =>
      overdue(
        keys.filter((key) => !flying.has(key)),
        mine,
      );
    for (const key of gone) mine.delete(key);
    for (const [key, row] of put) hold(key, row);
    const found = await disk('readwrite', async (rows) => {
      for (const key of gone) rows.delete(key);
      for (const [key, row] of put) rows.put(row, key);
      const found = mayDrop ? drops((await done(rows.getAllKeys(beforeNotes()))) as string[]) : [];
      let less = gone.length;
      for (const [, keys] of found) {
        for (const key of keys) rows.delete(key);
        less += keys.length;
      }
      if (less) rows.put(((await done<number | undefined>(rows.get(GONE))) ?? 0) + less, GONE);
      await committed(rows);
      return found;
    });
    for (const [key] of put) unsure.delete(key);
    for (const [why, keys] of found ?? drops([...mine.keys()].sort())) {
      for (const key of keys) mine.delete(key);
      dropped(why, keys.length);
    }
  };

  async function look(isTurn?: boolean): ReturnType<Rows['look']> {
    const lost = new Set([...mine.keys()].filter((key) => !unsure.has(key)));
    const found = await disk('readonly', (rows) =>
      Promise.all([done(rows.getAllKeys(beforeNotes())), done(rows.getAll(beforeNotes(), READ_MAX))]),
    );
    if (!found) return [[...mine.keys()].sort(), mine];
    const [keys, values] = found as [string[], Kept[]];
    // Rows of ours that are gone: another tab has delivered them, unless the whole database went meanwhile.
    for (const key of keys) lost.delete(key);
    for (const key of lost) if (!unsure.has(key)) mine.delete(key);
    room = QUEUE_MAX_EVENTS - keys.length;
    const first = new Map(values.map((row, at) => [keys[at] ?? '', row]));
    if (isTurn) remember(keys.filter(isWaiting).length, keys.length + Number(first.get(GONE) ?? 0));
    return [keys, first];
  }

  const all: Rows = {
    disk,
    mine,
    flying,
    isMemory: () => isMemory,
    write,
    look,
    change,
    add(key, row) {
      hold(key, row);
      pending.push([key, row]);
      return write();
    },
    async purge() {
      pending = [];
      mine.clear();
      flying.clear();
      remember(0, Infinity);
      await disk('readwrite', (rows) => {
        rows.clear();
        return committed(rows);
      });
    },
  };
  return all;
}

/** All rows but the page's notes. */
function beforeNotes(): IDBKeyRange {
  return IDBKeyRange.upperBound(NOTE);
}
