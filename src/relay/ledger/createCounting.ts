import type { WireEvent } from '../../wire/events.ts';
import { parseDatetime } from '../../wire/json.ts';
import { createEventKeys, sessionKey } from '../dedupe/createDedupeMemory.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import { addCount, cellText, placementText, type Ledger, type LedgerCount, type StatedPlacement } from './ledger.ts';

/** Counts the work of a relay in its store's ledger. Nothing here fails a request. */
export interface Counting {
  /** What each event counts for once the network has accepted it. */
  cellsOf(events: readonly WireEvent[]): readonly string[] | Promise<readonly string[]>;
  /** Counts accepted events that have no id, and so no line in the store of accepted events. */
  addCells(cells: readonly string[]): void;
  /** Counts something in the hours of some cells. */
  addInHours(name: LedgerCount, cells: readonly string[]): void;
  /** Counts something in the hour that it is. */
  add(name: LedgerCount, count?: number): void;
  /** Counts what became of a request for offers, and remembers where the session's offers are shown. */
  addOffers(outcome: 'answered' | 'empty' | 'failed', opened?: { session: string; placement: StatedPlacement }): void;
}

export interface CountingOptions {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  now(): number;
}

/** Sessions whose placement this process knows without reading the store. */
const SESSIONS_MAX = 10_000;
/** Different placements and codes that are counted apart. Pages name them, and a page can be manipulated. */
const NAMES_MAX = 500;
const OTHER_PLACEMENT = placementText({ widget_id: '(other)' });
/** Hours that an event may lie ahead; a later one counts in the hour in which it arrived. */
const AHEAD_MAX_MS = 24 * 3_600_000;

/** Returns a `Counting` on a ledger. */
export function createCounting({ ledger, telemetry, now }: CountingOptions): Counting {
  const keysOf = createEventKeys();
  const placements = new Map<string, string>();
  const known = { placements: new Set<string>(), codes: new Set<string>() };

  async function keyOf(session: string): Promise<string> {
    const [key = ''] = await keysOf([{ session_id: session, event_id: '' }]);
    return key;
  }

  function remember(session: string, placement: string): void {
    placements.set(session, placement);
    const [oldest] = placements.size > SESSIONS_MAX ? placements.keys() : [];
    if (oldest !== undefined) placements.delete(oldest);
  }

  /** Asks the store for the placements of sessions that this process did not open. */
  async function lookUp(sessions: readonly string[]): Promise<void> {
    try {
      const found = await ledger.placementsOf(await Promise.all(sessions.map(keyOf)));
      for (const [at, session] of sessions.entries()) {
        const placement = found[at];
        if (placement !== undefined) remember(session, placement);
      }
    } catch (error) {
      noteFailure(error);
    }
  }

  /** The events of a batch are mostly of one session and one hour, and cost a look each. */
  function cellsOf(events: readonly WireEvent[]): readonly string[] {
    const at = now();
    const latest = hourText(at + AHEAD_MAX_MS);
    let [session, hour, cells] = ['', '', new Map<string, string>()];
    return events.map(({ session_id, event_name, event_datetime }) => {
      if (
        session_id !== session ||
        !event_datetime.startsWith(hour) ||
        !PLAIN_UTC.test(event_datetime) ||
        hour === ''
      ) {
        const next = hourOf(event_datetime, { now: at, latest });
        if (session_id !== session || next !== hour) [session, hour, cells] = [session_id, next, new Map()];
      }
      let cell = cells.get(event_name);
      if (cell === undefined) {
        cell = cellText(hour, event_name, placements.get(sessionKey(session_id)));
        cells.set(event_name, cell);
      }
      return cell;
    });
  }

  function inLedger(counts: ReadonlyMap<string, number>): void {
    void settle(() => ledger.add(counts));
  }

  async function settle(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      noteFailure(error);
    }
  }

  function noteFailure(error: unknown): void {
    telemetry.log({ level: 'warn', message: 'The ledger failed.', error: explain(error) });
  }

  /** The name itself, or `other` once there are too many. */
  function limited(name: string, names: Set<string>, other: string): string {
    if (names.size < NAMES_MAX) names.add(name);
    return names.has(name) ? name : other;
  }

  return {
    cellsOf(events) {
      let unknown: Set<string> | undefined;
      let last = '';
      for (const { session_id } of events) {
        if (session_id === last) continue;
        last = session_id;
        const session = sessionKey(session_id);
        if (!placements.has(session)) (unknown ??= new Set()).add(session);
      }
      if (!unknown) return cellsOf(events);
      return lookUp([...unknown]).then(() => cellsOf(events));
    },
    addCells(cells) {
      const counts = new Map<string, number>();
      for (const cell of cells) addCount(counts, cell);
      inLedger(counts);
    },
    addInHours(name, cells) {
      const counts = new Map<string, number>();
      for (const cell of cells) addCount(counts, cellText(cell.slice(0, 13), limitedName(name)));
      inLedger(counts);
    },
    add(name, count = 1) {
      inLedger(new Map([[cellText(hourText(now()), limitedName(name)), count]]));
    },
    addOffers(outcome, opened) {
      const hour = hourText(now());
      inLedger(
        new Map([
          [cellText(hour, 'offers_requested'), 1],
          [cellText(hour, `offers_${outcome}`), 1],
        ]),
      );
      if (!opened) return;
      const session = sessionKey(opened.session);
      const placement = limited(placementText(opened.placement), known.placements, OTHER_PLACEMENT);
      remember(session, placement);
      void settle(async () => ledger.openSession(await keyOf(session), placement));
    },
  };

  function limitedName(name: LedgerCount): string {
    if (!name.startsWith('refused:')) return name;
    const code = name.slice('refused:'.length);
    return limited(/^[\w.-]{1,64}$/.test(code) ? name : 'refused:other', known.codes, 'refused:other');
  }
}

function hourText(time: number): string {
  return new Date(time).toISOString().slice(0, 13);
}

/** Times whose hour needs no parsing. */
const PLAIN_UTC = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):.*Z$/;

/** The UTC hour of an event. Pages set clocks wrong, and a network may accept that: it must not make a file for each day. */
function hourOf(datetime: string, { now, latest }: { now: number; latest: string }): string {
  const hour = PLAIN_UTC.test(datetime) ? datetime.slice(0, 13) : hourText(parseDatetime(datetime) ?? now);
  return hour <= latest ? hour : hourText(now);
}
