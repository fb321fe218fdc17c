import type { QueueEvent, StoredEvent } from '../events.ts';
import type { Database } from './openDatabase.ts';

/** One stored event; a refused one carries how often, a dead one why. */
export interface EventRow {
  event: StoredEvent;
  tries?: number;
  reason?: string;
}

/**
 * What this page knows of a row.
 * - `unwritten`: no transaction has it yet.
 * - `unconfirmed`: not known to be on disk. A full disk refuses a row late, and who reads meanwhile must not take it for delivered.
 * - `local`: put by this page and on disk as far as it knows, or in memory where there is no disk.
 * - `inFlight`: in a request of this page. `before` is its state before, missing when another page has put it.
 */
export interface KnownRow {
  value: unknown;
  state: 'unwritten' | 'unconfirmed' | 'local' | 'inFlight';
  before?: KnownRow['state'] | undefined;
}

/** Puts a value, or removes the row when there is none. With `from` it replaces a row, if nobody else has removed that meanwhile. */
export type Change = readonly [key: string, value?: unknown, from?: string];

/** The rows of a queue, on disk or in memory. */
export interface Rows {
  readonly known: Map<string, KnownRow>;
  /** By default `indexeddb`. */
  readonly storage?: 'key-value';
  /** Whether the rows are in memory only. */
  isMemory(): boolean;
  /** Runs a transaction unless consent was withdrawn. */
  run: Database['run'];
  /** Stores a new row; resolves when it is on disk, or in memory where there is no disk. */
  add(key: string, row: EventRow): Promise<void>;
  /** Writes at once what is not written yet. */
  write(): Promise<void>;
  /** Reads all keys, and the first rows: never all. While this tab has the lock it also notices lost ones. */
  read(more?: number, isLocked?: boolean): Promise<{ keys: readonly string[]; first: ReadonlyMap<string, unknown> }>;
  /** Makes changes in one transaction. `mayDrop`: also drops what is too much or too old. */
  change(changes: readonly Change[], mayDrop?: boolean): Promise<void>;
  /** Empties the queue. Resolves when it is empty, or storage is gone. */
  purge(): Promise<void>;
  /** Forgets everything and writes nothing more. */
  stop(): void;
  /** Forgets everything and empties the queue at once. Resolves when it is empty. */
  clear(): Promise<unknown>;
  /** Stops because consent was withdrawn elsewhere. */
  withdrawn(): void;
  close: Database['close'];
}

/** What the rows report. */
export interface RowsListener {
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
