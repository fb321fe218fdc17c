// Shoppers of random behaviour for the audit: they open sessions in hours that lie in the past, and send their events to a
// relay until each is accepted. What they did is the truth that relay and network must agree with.
import { AUDITED, AUDITED_METRICS, type AuditedMetric } from '../../src/cli/audit/compareCounts.ts';
import type { BatchResult } from '../../src/wire/events.ts';

/** Sends a request to a relay; it may fail, as a page's requests do. */
export type SendToRelay = (path: string, body: unknown) => Promise<Response>;

interface Happened {
  readonly event_id: string;
  readonly event_name: string;
  readonly event_datetime: string;
  readonly session_id: string;
  readonly [field: string]: unknown;
}

export interface Shoppers {
  /** Opens sessions in the hour that begins at this time, whose clock the network shows. */
  open(hour: number, sessions: number): Promise<void>;
  /** Sends all events, in batches of mixed sessions, until each has been accepted. */
  deliver(): Promise<void>;
  /** How often each metric happened in each hour: `2026-11-20T23:00:00Z clicks`. */
  truth(): ReadonlyMap<string, number>;
  readonly events: readonly Happened[];
}

const MINUTE = 60_000;
const PLACEMENTS = [
  { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'below the fold' },
  { view: 'THANK_YOU', display_mode: 'OVERLAY' },
  { view: 'ORDER_STATUS', display_mode: 'INLINE', widget_id: 'größer' },
];
/** Requests at a time. */
const HANDS = 8;

export function createShoppers(options: {
  readonly send: SendToRelay;
  readonly random: () => number;
  /** No event happens later: the network's clock shows this when they are sent. */
  readonly end: number;
}): Shoppers {
  const { send, random, end } = options;
  const events: Happened[] = [];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

  async function openOne(hour: number): Promise<void> {
    const placement_details = pick(PLACEMENTS);
    const body = { user_details: { external_guid: crypto.randomUUID() }, placement_details };
    const response = await untilSent(() => send('/recommendations', body));
    const { session_id, recommendation_groups } = (await response.json()) as {
      session_id: string;
      recommendation_groups: { items: { offer_id: string; advertiser_id: string; insertion_id: string }[] }[];
    };
    let at = hour + random() * 59 * MINUTE;
    const happen = (event_name: string, fields: Record<string, unknown> = {}): void => {
      at = Math.min(at + random() * (random() < 0.05 ? 150 : 3) * MINUTE, end);
      const event_datetime = new Date(at).toISOString();
      events.push({ event_id: crypto.randomUUID(), event_name, event_datetime, session_id, ...fields });
    };
    happen('WIDGET_LOAD');
    if (random() < 0.1) return;
    happen('WIDGET_DISPLAY');
    for (const brand_properties of recommendation_groups.flatMap(({ items }) => items)) {
      const about = { brand_properties, initiating_target: 'INLINE_SLOT' };
      const button = { brand_properties, initiating_target: 'INLINE_ACTION_BUTTON' };
      happen('BRAND_DISPLAY', about);
      if (random() < 0.6) happen('BRAND_VIEW', about);
      if (random() < 0.3) happen('WIDGET_VIEW', { event_id: `view of ${session_id}` });
      // Somebody sets the device's clock back in the middle of the page.
      if (random() < 0.1) at = Math.max(at - 4 * MINUTE, hour);
      while (random() < 0.25) happen('BRAND_CLICK', button);
      if (random() < 0.5) return;
      happen('ELEMENT_CLICK', { brand_properties, initiating_target: 'INLINE_NAV_FORWARD' });
    }
  }

  async function sendBatch(batch: readonly Happened[]): Promise<void> {
    let left = batch;
    while (left.length > 0) {
      const response = await untilSent(() => send('/events/batch', { events: left }));
      if (response.status === 202) break;
      const { results } = (await response.json()) as { results: BatchResult[] };
      const refused = results.find(({ error }) => error?.retryable === false);
      if (refused) throw new Error(`An event was refused: ${JSON.stringify(refused)}`);
      left = left.filter((_, index) => results.find((result) => result.index === index)?.success !== true);
    }
    // A page that never got the response sends everything again.
    if (random() < 0.1) await untilSent(() => send('/events/batch', { events: batch }));
  }

  return {
    events,
    open: (hour, sessions) =>
      inHands(
        Array.from({ length: sessions }, () => hour),
        openOne,
      ),
    async deliver() {
      // An insertion has one view of the widget at most, whichever of its offers came first.
      const unique = new Map(events.map((event) => [`${event.session_id} ${event.event_id}`, event]));
      events.splice(0, events.length, ...unique.values());
      const mixed = events
        .map((event) => ({ event, order: random() }))
        .toSorted((one, other) => one.order - other.order);
      const batches: Happened[][] = [];
      for (let at = 0; at < mixed.length;) {
        const size = 1 + Math.floor(random() * 20);
        batches.push(mixed.slice(at, at + size).map(({ event }) => event));
        at += size;
      }
      await inHands(batches, sendBatch);
    },
    truth() {
      const counts = new Map<string, number>();
      for (const { event_name, event_datetime } of events) {
        const metric = AUDITED_METRICS.find((name: AuditedMetric) => AUDITED[name] === event_name);
        const key = `${event_datetime.slice(0, 13)}:00:00Z ${metric ?? ''}`;
        if (metric) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      return counts;
    },
  };
}

/** Sends a request until there is a response that says what became of it. */
async function untilSent(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send().catch(() => undefined);
    if (response && (response.status < 300 || (response.status === 502 && (await hasResults(response.clone())))))
      return response;
    if (response && response.status < 500 && response.status !== 429)
      throw new Error(`The relay refused: ${response.status} ${await response.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function hasResults(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => undefined);
  return Array.isArray((body as { results?: unknown } | undefined)?.results);
}

/** Does some things at a time. */
async function inHands<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: HANDS }, async () => {
      for (const one of rest) await work(one);
    }),
  );
}
