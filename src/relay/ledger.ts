import { escaped } from '../text/printable.ts';
import { ID_MAX_LENGTH } from '../wire/limits.ts';

/**
 * Counts what the network accepted, by hour and placement, for `offerlet audit`. A part of the store of accepted events:
 * what is written together is lost together. A cell is one line of printable ASCII, which names what is counted; a store
 * counts by it and need not understand it.
 */
export interface Ledger {
  /** Adds to the counts of cells. For what no accepted event carries, such as failed requests. */
  add(counts: ReadonlyMap<string, number>): void | Promise<void>;
  /**
   * Remembers a line of printable ASCII about a session for eight days: a hash of whom it is for, and the placement.
   * `session` is a hash, `sender` as in `accept`. What is remembered of it already stays, and is returned.
   */
  openSession(session: string, value: string, sender?: string): string | undefined | Promise<string | undefined>;
  /** What is remembered of sessions, in order; `undefined` for one that is not known. */
  placementsOf(sessions: readonly string[]): readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>;
  /** What was counted from one UTC date to another, both included. */
  read(dates: { readonly from: string; readonly to: string }): Promise<LedgerCounts>;
}

/** What a ledger has counted. */
export interface LedgerCounts {
  readonly rows: readonly LedgerRow[];
  /** What could not be read, in sentences for people. */
  readonly problems: readonly string[];
}

/** How often one thing happened in one UTC hour and one placement. */
export interface LedgerRow {
  /** The beginning of the hour: `2026-11-23T10:00:00Z`. */
  readonly hour: string;
  /** The name of an event, or a `LedgerCount`. */
  readonly name: string;
  /** The placement; `null` where it is not known or does not matter. */
  readonly view: string | null;
  readonly display_mode: string | null;
  /** Also `null` for a placement without one. */
  readonly widget_id: string | null;
  readonly count: number;
}

/** What is counted besides accepted events. */
export type LedgerCount =
  /** Requests for offers that reached the network. Each is also one of the next three. */
  | 'offers_requested'
  | 'offers_answered'
  | 'offers_empty'
  | 'offers_failed'
  /** Sessions that the network gave to another shopper, order or place again: their events count as one shopper's. */
  | 'sessions_shared'
  /** Events that were refused for good, by the code of relay or network. */
  | `refused:${string}`
  /** Attempts that the network refused or failed in a way that lets pages try again, by code. */
  | `deferred:${string}`
  /** Events that the relay refused because they were older than 30 days. */
  | 'expired'
  /** Accepted events that report what another one of the session has reported: a network counts both as one. */
  | `repeated:${string}`
  /** Events that the network may have stored: its response was lost or unclear, or was a redirect (3xx) or a server error (5xx). */
  | 'answers_lost'
  /** Events sent again after that, or after their relay was killed, without an id that the network could recognize. */
  | 'possible_duplicates';

/** Placement details as a page or a server sends them. */
export interface StatedPlacement {
  readonly view?: unknown;
  readonly display_mode?: unknown;
  readonly widget_id?: unknown;
}

/** The placement of what has none. */
const NO_PLACEMENT = '- - ';

/** Returns a placement as one line: view, display mode and, last because it may contain spaces, the widget id. */
export function placementText({ view, display_mode, widget_id }: StatedPlacement): string {
  const word = (value: unknown): string => (typeof value === 'string' && /^[A-Z_]{1,32}$/.test(value) ? value : '-');
  return `${word(view)} ${word(display_mode)} ${typeof widget_id === 'string' ? escape(widget_id) : ''}`;
}

/** Returns the cell of something that happened in an hour, such as `2026-11-23T10`. */
export function cellText(hour: string, name: string, placement = NO_PLACEMENT): string {
  return `${hour} ${name} ${placement}`;
}

const CELL = /^(\d{4}-\d\d-\d\dT\d\d) ([\w:.-]{1,80}) ([A-Z_]{1,32}|-) ([A-Z_]{1,32}|-) ([ -~]*)$/;

/** Reads a cell; `undefined` for any other text. */
export function readCell(cell: string): Omit<LedgerRow, 'count'> | undefined {
  const [, hour, name, view = '-', mode = '-', widget = ''] = CELL.exec(cell) ?? [];
  if (hour === undefined || name === undefined) return undefined;
  return {
    hour: `${hour}:00:00Z`,
    name,
    view: view === '-' ? null : view,
    display_mode: mode === '-' ? null : mode,
    widget_id: widget === '' ? null : unescape(widget),
  };
}

function escape(text: string): string {
  return text.slice(0, ID_MAX_LENGTH).replace(/[^ -[\]-~]/g, escaped);
}

function unescape(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** Adds to a count. */
export function addCount(counts: Map<string, number>, cell: string, count = 1): void {
  counts.set(cell, (counts.get(cell) ?? 0) + count);
}

/** Returns counts as rows in order of time, those of unreadable cells left out. */
export function ledgerRows(counts: ReadonlyMap<string, number>): LedgerRow[] {
  return [...counts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([cell, count]) => {
      const read = readCell(cell);
      return read ? { ...read, count } : [];
    });
}
