import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import type { Audit } from '../../src/cli/audit/makeAudit.ts';
import { createRelay, openDedupeFile, type DedupeFile, type LedgerCounts } from '../../src/relay.ts';
import { mixedHash32 } from '../../src/wire/hash.ts';
import { type WireEvent } from '../../src/wire/events.ts';
import { isObject } from '../../src/wire/json.ts';
import { AUDITED } from '../../src/cli/audit/compareCounts.ts';
import { dateOf } from '../../src/wire/utcDates.ts';
import { allAccepted } from '../wire/offers/wholeResponse.ts';
import { postTo } from '../relay/scriptedNetwork.ts';
import { seeded } from '../fixtures/random.ts';
import { openAuditWorld, type AuditWorld, type Lie } from './auditWorld.ts';
import { createShoppers, type Shoppers } from './shoppers.ts';

let world: AuditWorld;
let store: DedupeFile;
let shoppers: Shoppers;

beforeEach(async () => {
  world = await openAuditWorld();
  store = await openDedupeFile(makeFolder());
  const relay = createRelay({
    apiKey: world.integrationKey,
    version: '1.0.0',
    networkUrl: 'http://127.0.0.1:4600',
    sandbox: true,
    rateLimit: false,
    forwardEventIds: true,
    dedupe: store,
    fetch: world.fetch,
    onLog: () => undefined,
  });
  shoppers = createShoppers({ send: (path, body) => postTo(relay, path, body), random: seeded(28), end: world.end });
});
afterEach(async () => {
  await store.close();
  await world.close();
});

/** A network that says it has stored all events, and has stored these. */
function storing(change: (event: WireEvent) => readonly WireEvent[]): Lie {
  return async (request, send) => {
    if (!request.url.endsWith('/events/batch')) return send(request);
    const { events } = (await request.clone().json()) as { events: readonly WireEvent[] };
    const stored = events.flatMap(change);
    for (let at = 0; at < stored.length; at += events.length) {
      const body = JSON.stringify({ events: stored.slice(at, at + events.length) });
      expect((await send(new Request(request, { method: 'POST', body }))).status).toBe(202);
    }
    return Response.json(allAccepted(events), { status: 202 });
  };
}

/** A network whose reports have nothing after this date. */
function reportedUntil(date: string): Lie {
  return async (request, send) => {
    const response = await send(request);
    const report: unknown = await response.clone().json();
    if (!isObject(report) || !Array.isArray(report['data'])) return response;
    const data = report['data'].filter(({ period_start }) => period_start.slice(0, 10) <= date);
    const meta = { ...Object(report['meta']), data_through: `${date}T23:00:00Z` };
    return Response.json({ ...report, data, meta });
  };
}

/** Lets shoppers come in every hour. Returns what the relay counted. */
async function shop(perHour = 15): Promise<LedgerCounts> {
  for (const hour of world.hours) {
    await world.setClock(hour);
    await shoppers.open(hour, perHour);
  }
  await world.setClock(world.end);
  await shoppers.deliver();
  await world.setClock(world.end + 24 * 3_600_000);
  return store.ledger.read({ from: dateOf(world.hours[0] ?? 0), to: dateOf(world.end) });
}

/** The hours and metrics that an audit finds, with the difference. */
function found({ rows }: Audit): Map<string, number> {
  const wrong = rows.filter(({ verdict }) => verdict !== 'ok');
  return new Map(wrong.map(({ period_start, metric, difference }) => [`${period_start} ${metric}`, difference]));
}

test('finds the hours and metrics of 1 % of accepted events that were silently dropped', async () => {
  world.distort(storing((event) => (mixedHash32(idOf(event)) % 100 === 0 ? [] : [event])));
  const ledger = await shop(60);
  // What is missing by the network's own list of what it stored.
  const missing = new Map<string, number>();
  for (const metric of ['widget_loads', 'widget_displays', 'viewable_widget_displays', 'clicks'] as const) {
    const { events } = (await world.control('GET', `/sandbox/events?event_name=${AUDITED[metric]}`)) as {
      events: { status: string; event: { event_id: string; session_id: string } }[];
    };
    const stored = new Set(events.filter(({ status }) => status === 'stored').map(({ event }) => idOf(event)));
    for (const event of shoppers.events) {
      if (event.event_name !== AUDITED[metric] || stored.has(idOf(event))) continue;
      const key = `${event.event_datetime.slice(0, 13)}:00:00Z ${metric}`;
      missing.set(key, (missing.get(key) ?? 0) - 1);
    }
  }
  expect(missing.size).toBeGreaterThan(3);
  const audit = await world.audit(ledger);
  // An impression is there as long as its display or its view is.
  const differing = [...found(audit)].filter(([key]) => !key.endsWith(' impressions'));
  expect(new Map(differing)).toEqual(missing);
  expect(audit.within).toBe(false);
  expect(audit.explanations[0]).toMatchObject({ cause: 'network', direction: 'missing' });
});

function idOf({ session_id, event_id = '' }: { session_id: string; event_id?: string }): string {
  return `${session_id} ${event_id}`;
}

test('finds clicks that were counted twice, in each hour that has any, and nothing else', async () => {
  const again = (event: WireEvent): WireEvent => ({ ...event, event_id: `${event.event_id} again` });
  world.distort(storing((event) => (event.event_name === 'BRAND_CLICK' ? [event, again(event)] : [event])));
  const audit = await world.audit(await shop());
  const clicks = [...shoppers.truth()].filter(([key]) => key.endsWith(' clicks'));
  expect(found(audit)).toEqual(new Map(clicks));
  expect(audit.totals.map(({ metric, verdict }) => `${metric} ${verdict}`)).toContain('clicks extra');
  expect(audit.explanations.map(({ cause }) => cause)).toEqual(['network', 'other_relay', 'other_senders']);
});

test('finds an hour that was lost, and names it even when days are compared', async () => {
  const lost = new Date(world.hours[5] ?? 0).toISOString();
  world.distort(storing((event) => (event.event_datetime.startsWith(lost.slice(0, 13)) ? [] : [event])));
  const ledger = await shop();
  const hour = `${lost.slice(0, 13)}:00:00Z`;
  const missing = [...shoppers.truth()]
    .filter(([key]) => key.startsWith(hour))
    .map(([key, count]) => [key, -count] as const);
  expect(missing.length).toBeGreaterThan(3);
  const byHour = found(await world.audit(ledger));
  for (const [key, count] of missing) if (!key.endsWith(' impressions')) expect(byHour.get(key)).toBe(count);
  const days = await world.audit(ledger, { grain: 'day' });
  expect(days.within).toBe(false);
  expect(
    days.hours.filter(({ metric }) => metric !== 'impressions').every(({ period_start }) => period_start === hour),
  ).toBe(true);
  expect(days.hours.length).toBeGreaterThan(3);
});

test('finds a report that is a day late, and says from when on', async () => {
  const ledger = await shop();
  world.distort(reportedUntil(dateOf(world.hours[0] ?? 0)));
  // On the day after the night, the report reaches to the day before the night's end.
  const audit = await world.audit(ledger, { grain: 'day' });
  const last = dateOf(world.end);
  expect(audit.within).toBe(false);
  expect(audit.data_through).toBe(`${dateOf(world.hours[0] ?? 0)}T23:00:00Z`);
  expect(new Set(audit.hours.map(({ period_start, verdict }) => `${period_start?.slice(0, 10)} ${verdict}`))).toEqual(
    new Set([`${last} late`]),
  );
  expect(audit.explanations[0]).toMatchObject({ cause: 'data_through', direction: 'missing' });
  world.distort((request, send) => send(request));
  expect((await world.audit(ledger, { grain: 'day' })).within).toBe(true);
});
