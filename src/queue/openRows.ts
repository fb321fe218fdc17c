import { promisifyRequest as done } from 'idb-keyval';
import { QUEUE_MAX_EVENTS } from '../wire/limits.ts';
import type { Trouble } from './backoff.ts';
import { committed, openDisk, type Disk } from './disk.ts';
import type { QueueEvent, StoredEvent } from './events.ts';
import { byWorth, DEAD, isWaiting, TROUBLE } from './key.ts';
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

/** The rows of a queue, on disk or in memory. */
export interface Rows {
  readonly disk: Disk;
  /** This page's own rows that nobody has acknowledged yet. */
  readonly mine: Map<string, Row>;
  /** Rows in requests of this page. */
  readonly flying: Set<string>;
  isMemory(): boolean;
  /** Writes what is pending; resolves when it is on disk, or in memory where there is no disk. */
  write(): Promise<void>;
  add(key: string, row: Row): Promise<void>;
  /** The oldest rows, never all, and the trouble. */
  read(): Promise<[entries: Entry[], trouble?: Trouble]>;
  /** Takes rows away; moved ones go on under another key: due later, or dead. `null` ends the trouble. */
  settle(gone: readonly string[], moved: readonly Move[], trouble?: Trouble | null): Promise<void>;
  keys(): Promise<string[]>;
  purge(): Promise<void>;
}

const DEAD_MAX = 50;
/** Rows read at once: one batch, the trouble and the lease. */
const READ_MAX = 22;

/** Opens the rows of a queue. */
export function openRows(name: string, emit: (event: QueueEvent) => void): Rows {
  const mine = new Map<string, Row>();
  const flying = new Set<string>();
  const ledger = openLedger(name);
  let isMemory = false;
  let pending: string[] = [];
  let writing: Promise<void> | undefined;
  /** Rows that may be added before the store has to be looked through; as of the last read, other tabs add as well. */
  let room = QUEUE_MAX_EVENTS;

  const disk = openDisk(
    name,
    () => {
      pending = [...mine.keys()];
      emit({ type: 'error', reason: 'Storage was closed: this page writes its events again' });
      void write();
    },
    (error) => {
      isMemory = true;
      emit({ type: 'error', reason: `Events are kept in memory: ${String(error)}` });
      return new Map(mine);
    },
  );

  const keys = (): Promise<string[]> => disk('readonly', (rows) => done(rows.getAllKeys() as IDBRequest<string[]>));

  const dropped = (count: number, why: 'full' | 'dead_letters_full' | 'storage_lost'): void => {
    if (count > 0) emit({ type: 'dropped', count, why });
  };

  const write = (): Promise<void> => (writing ??= Promise.resolve().then(put));

  async function put(): Promise<void> {
    const fresh = pending;
    writing = undefined;
    pending = [];
    if (!fresh[0]) return;
    await disk('readwrite', (rows) => {
      for (const key of fresh) if (mine.has(key)) rows.put(mine.get(key), key);
      return committed(rows);
    });
    if ((room -= fresh.length) >= 0) return;
    const waiting = (await keys()).filter((key) => isWaiting(key) && !flying.has(key)).sort(byWorth);
    const drop = waiting.slice(QUEUE_MAX_EVENTS);
    room = QUEUE_MAX_EVENTS - waiting.length + drop.length;
    if (drop[0]) await settle(drop, []);
    dropped(drop.length, 'full');
  }

  async function settle(gone: readonly string[], moved: readonly Move[], trouble?: Trouble | null): Promise<void> {
    if (gone[0] || moved[0]) ledger();
    for (const key of gone) mine.delete(key);
    for (const [from, to, row] of moved) if (mine.delete(from) && isWaiting(to)) mine.set(to, row);
    await disk('readwrite', async (rows) => {
      for (const key of gone) rows.delete(key);
      if (trouble) rows.put(trouble, TROUBLE);
      else if (trouble === null) rows.delete(TROUBLE);
      for (const [from, to, row] of moved) {
        // Purged meanwhile.
        if (!(await done(rows.get(from)))) continue;
        rows.delete(from);
        rows.put(row, to);
      }
      const dead = moved[0] ? (await done(rows.getAllKeys() as IDBRequest<string[]>)).filter((key) => key > DEAD) : [];
      const oldest = dead.slice(0, -DEAD_MAX);
      for (const key of oldest) rows.delete(key);
      await committed(rows);
      dropped(oldest.length, 'dead_letters_full');
    });
  }

  return {
    disk,
    mine,
    flying,
    isMemory: () => isMemory,
    write,
    settle,
    keys,
    add(key, row) {
      mine.set(key, row);
      pending.push(key);
      return write();
    },
    async read() {
      const written = [...mine.keys()].filter((key) => !pending.includes(key));
      const [found, values, count] = await disk('readonly', (rows) =>
        Promise.all([
          done(rows.getAllKeys(null, READ_MAX) as IDBRequest<string[]>),
          done(rows.getAll(null, READ_MAX)),
          done(rows.count()),
        ]),
      );
      room = QUEUE_MAX_EVENTS - count;
      const read = new Map<string, unknown>(found.map((key, at) => [key, values[at]]));
      // Rows of ours that are gone from where we looked: another tab has delivered them.
      for (const key of written)
        if (!read.has(key) && (count < READ_MAX || key < (found.at(-1) ?? ''))) mine.delete(key);
      if (!isMemory) dropped(ledger(count), 'storage_lost');
      const entries = [...read] as Entry[];
      return [entries.filter(([key]) => isWaiting(key)), read.get(TROUBLE) as Trouble | undefined];
    },
    async purge() {
      ledger();
      mine.clear();
      pending = [];
      await disk('readwrite', (rows) => {
        rows.clear();
        return committed(rows);
      });
    },
  };
}
