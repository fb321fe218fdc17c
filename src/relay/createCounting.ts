import { withDeadline } from '../http/withDeadline.ts';
import type { EventName, WireEvent } from '../wire/events.ts';
import { parseDatetime } from '../wire/json.ts';
import { DISPLAY_MODES, VIEWS } from '../wire/offers/request.ts';
import { eventKeys, sessionKey } from './dedupe/eventKeys.ts';
import { KeyTable, randomSalt, senderNumber } from './dedupe/keyTable.ts';
import { DEDUPE_MAX_AGE_MS } from '../wire/limits.ts';
import { dateOf } from '../wire/utcDates.ts';
import { explain, type Telemetry } from './telemetry.ts';
import { addCount, cellText, placementText, type Ledger, type LedgerCount } from './ledger.ts';

/** A session that the network opened with its response. */
export interface OpenedSession {
  readonly session: string;
  readonly placement: object;
  /** A hash of the shopper and the order that it was opened for. */
  readonly owner: string;
  /** The client that asked. */
  readonly sender: string | undefined;
}

/** Counts the work of a relay in its store's ledger. Nothing here fails a request. */
export interface Counting {
  /** What each event counts for once the network has accepted it. */
  cellsOf(events: readonly WireEvent[]): Promise<readonly Cell[]>;
  /** The cell in which an accepted event of a client counts: its own, or one without a name when there are too many. */
  admit(cell: Cell, sender: string | undefined): string;
  /** Counts an accepted event that has no id, and so no place in the store of accepted events. */
  addCell(cell: string): void;
  /** Counts something in the hours of some cells. */
  addInHours(name: LedgerCount, cells: readonly string[]): void;
  /** Counts something in the hour that it is. */
  add(name: LedgerCount): void;
  /** Counts what became of a request for offers, and remembers where the session's offers are shown. */
  addOffers(outcome: 'answered' | 'empty' | 'failed', opened?: OpenedSession): void;
}

/** Where an event counts, and the key of what a network counts once, however many events report it. */
export interface Cell {
  readonly text: string;
  readonly once: string | undefined;
}

export interface CountingOptions {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
  /** Milliseconds that the ledger has to look up sessions. */
  readonly timeoutMs: number;
  now(): number;
}

/** Placements that are counted apart on a day, besides those without a widget id, and how many of them one client may bring. */
const NAMES_MAX = 2_000;
const NAMES_PER_CLIENT = 20;
/** Codes of refusals that are counted apart. */
const CODES_MAX = 100;
/** Loads and displays that are remembered, in 46 bytes each. */
const ONCE_MAX = 200_000;
/** Events that a network counts once a session, and once an offer of it. */
const ONCE: ReadonlySet<EventName> = new Set(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', 'BRAND_DISPLAY']);
/** Hours that an event may lie ahead; a later one counts in the hour in which it arrived. */
const AHEAD_MAX_MS = 24 * 3_600_000;

/** Returns a `Counting` on a ledger. */
export function createCounting({ ledger, telemetry, timeoutMs, now }: CountingOptions): Counting {
  /** By name, the first client that used it today: empty before, `undefined` once there was a second one. */
  let names = new Map<string, string | undefined>();
  let namesOf = new Map<string, number>();
  let day = '';
  const codes = new Set<string>();
  const [seen, salt] = [new KeyTable({ max: ONCE_MAX, maxAgeMs: DEDUPE_MAX_AGE_MS }), randomSalt()];

  /** What is remembered of sessions, in order; nothing if the ledger fails. */
  async function valuesOf(sessions: readonly string[]): Promise<readonly (string | undefined)[]> {
    try {
      const keys = await eventKeys(sessions.map((session_id) => ({ session_id, event_id: '' })));
      const found = ledger.placementsOf(keys.map(String));
      return await withDeadline(found, { ms: timeoutMs });
    } catch (error) {
      return failed(error);
    }
  }

  function failed(error: unknown): readonly undefined[] {
    telemetry.log({ level: 'warn', message: 'The ledger failed.', error: explain(error) });
    return [];
  }

  async function inLedger(counts: ReadonlyMap<string, number>): Promise<void> {
    try {
      await ledger.add(counts);
    } catch (error) {
      failed(error);
    }
  }

  /**
   * Whether a placement may be counted by its name. Each needs an accepted event, a client brings few, and a name that
   * only one client used is forgotten at the end of the day: inventing many takes many clients, each day again.
   */
  function isNamed(placement: string, sender: string): boolean {
    const today = dateOf(now());
    if (today !== day) {
      names = new Map([...names].flatMap(([name, by]) => (by === undefined ? [[name, '']] : [])));
      [day, namesOf] = [today, new Map()];
    }
    const by = names.get(placement);
    if (names.has(placement)) {
      if (by !== sender) names.set(placement, by === '' ? sender : undefined);
      return true;
    }
    const count = namesOf.get(sender) ?? 0;
    if (names.size >= NAMES_MAX || count >= NAMES_PER_CLIENT) return false;
    names.set(placement, sender);
    namesOf.set(sender, count + 1);
    return true;
  }

  function add(name: LedgerCount): void {
    void inLedger(new Map([[cellText(hourText(now()), limitedName(name)), 1]]));
  }

  function limitedName(name: LedgerCount): string {
    const [kind = '', code] = name.split(':', 2);
    if (code === undefined) return name;
    if (codes.size < CODES_MAX && /^[\w.-]{1,64}$/.test(name.slice(kind.length + 1))) codes.add(name);
    return codes.has(name) ? name : (`${kind}:other` as LedgerCount);
  }

  /** Remembers a session. A network that gives it to several shoppers hides loads: the events of these are one's. */
  async function open({ session, placement, owner, sender }: OpenedSession): Promise<void> {
    const [key = ''] = await eventKeys([{ session_id: sessionKey(session), event_id: '' }]);
    const value = `${owner} ${placementText(placement)}`;
    const before = await ledger.openSession(key, value, sender);
    if (typeof before !== 'string' || before === value) return;
    add('sessions_shared');
    telemetry.log({ level: 'warn', message: 'The network gave a session to another shopper, order or place again.' });
  }

  return {
    async cellsOf(events) {
      const sessions = [...new Set(events.map(({ session_id }) => session_id))];
      const at = now();
      const latest = hourText(at + AHEAD_MAX_MS);
      // What is remembered is the owner, then the placement.
      const places = (await valuesOf(sessions)).map((value) => value?.slice(value.indexOf(' ') + 1));
      const once = await eventKeys(
        events.map(({ session_id, event_name, brand_properties }) => {
          const event_id = `${event_name} ${event_name === 'BRAND_DISPLAY' ? brand_properties?.insertion_id : ''}`;
          return ONCE.has(event_name) ? { session_id, event_id } : { session_id };
        }),
      );
      return events.map(({ session_id, event_name, event_datetime }, index) => ({
        text: cellText(hourOf(event_datetime, { now: at, latest }), event_name, places[sessions.indexOf(session_id)]),
        once: once[index],
      }));
    },
    admit({ text, once }, sender = '') {
      const [hour = '', name = '', view = '-', mode = '-'] = text.split(' ', 4);
      let placement = text.slice(hour.length + name.length + 2);
      const [isView, isMode] = [VIEW_NAMES.has(view), MODE_NAMES.has(mode)];
      if (!(isView && isMode && placement.endsWith(`${mode} `)) && !isNamed(placement, sender))
        placement = `${isView ? view : '-'} ${isMode ? mode : '-'} (other)`;
      seen.expire(now());
      if (once !== undefined && !seen.add(once, { at: now(), sender: senderNumber(sender, salt) }))
        void inLedger(new Map([[cellText(hour, `repeated:${name}`, placement), 1]]));
      return cellText(hour, name, placement);
    },
    addCell: (cell) => void inLedger(new Map([[cell, 1]])),
    addInHours(name, cells) {
      const counts = new Map<string, number>();
      for (const cell of cells) addCount(counts, cellText(cell.slice(0, 13), limitedName(name)));
      void inLedger(counts);
    },
    add,
    addOffers(outcome, opened) {
      const hour = hourText(now());
      const counted = ['offers_requested', `offers_${outcome}`];
      void inLedger(new Map(counted.map((name) => [cellText(hour, name), 1])));
      if (opened) void open(opened).catch(failed);
    },
  };
}

const [VIEW_NAMES, MODE_NAMES]: readonly [ReadonlySet<string>, ReadonlySet<string>] = [
  new Set(['-', ...VIEWS]),
  new Set(['-', ...DISPLAY_MODES]),
];

function hourText(time: number): string {
  return new Date(time).toISOString().slice(0, 13);
}

/** Times whose hour needs no parsing. */
const PLAIN_UTC = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):.*Z$/;

/** The UTC hour of an event. Pages set clocks wrong, and a network may accept that: it must not make a cell for each hour. */
function hourOf(datetime: string, { now, latest }: { now: number; latest: string }): string {
  const time = PLAIN_UTC.test(datetime) ? undefined : (parseDatetime(datetime) ?? now);
  if (time !== undefined && !(time >= 0 && time <= now + AHEAD_MAX_MS)) return hourText(now);
  const hour = time === undefined ? datetime.slice(0, 13) : hourText(time);
  return hour <= latest ? hour : hourText(now);
}
