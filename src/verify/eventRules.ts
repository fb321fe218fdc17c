import { own } from '../wire/json.ts';
import { batchStatus, EVENT_NAMES, type EventName, readBatchResponse } from '../wire/events.ts';
import { DAY_MS } from '../wire/utcDates.ts';
import { type Ask, type Exchange, expect, expectRefusal } from './network.ts';
import { denied, NO_VERSION, NOBODY, of, PLAIN, reading, refused, rule, type Checked, type Rule } from './rule.ts';
import type { Placed, Session } from './world.ts';

const ONE = '/events';
const MINUTE_MS = 60_000;

/** Targets and properties that an event needs besides its session and offer. */
const MORE: Partial<Record<EventName, object>> = {
  BRAND_DISPLAY: { initiating_target: 'INLINE_SLOT' },
  BRAND_VIEW: { initiating_target: 'INLINE_SLOT' },
  BRAND_CLICK: { initiating_target: 'INLINE_ACTION_BUTTON' },
  ELEMENT_CLICK: { initiating_target: 'INLINE_NAV_FORWARD' },
  PRODUCT_DISPLAY: { initiating_target: 'INLINE_TILE', product_properties: { product_id: '1' } },
  PRODUCT_VIEW: { initiating_target: 'INLINE_TILE', product_properties: { product_id: '1' } },
  PRODUCT_CLICK: { initiating_target: 'INLINE_TILE', product_properties: { product_id: '1' } },
};

type Shared = Session & { readonly first: Placed };

/** An event as it is correct, changed by `more`; `undefined` leaves a field out. */
export function eventOf({ session_id, first }: Shared, event_name: EventName, more: object = {}): object {
  return {
    event_id: crypto.randomUUID(),
    event_name,
    event_datetime: new Date().toISOString(),
    session_id,
    ...MORE[event_name],
    ...(!event_name.startsWith('WIDGET') && { brand_properties: first }),
    ...(event_name === 'CONVERSION' && { conversion_properties: { conversion_id: crypto.randomUUID() } }),
    ...more,
  };
}

const batch = (body: unknown, more: object = {}): Ask => ({ path: '/events/batch', key: 'integration', body, ...more });
const ANY = { events: [{}] };

export function sendBatch(on: Checked, events: readonly unknown[]): Promise<Exchange> {
  return on.ask(batch({ events }));
}

/** Throws unless a batch was answered with the status of these results, and with them. */
function expectBatch(exchange: Exchange, wanted: readonly boolean[]): void {
  const accepted = wanted.filter(Boolean).length;
  const status = batchStatus({ accepted, failed: wanted.length - accepted });
  expect(exchange, String(status), exchange.status === status);
  expectResults(exchange, wanted);
}

/** Throws unless the events of a batch had these results, whatever its status. */
function expectResults(exchange: Exchange, wanted: readonly boolean[]): void {
  const results = own(exchange.json, 'results');
  const isWhole = Array.isArray(results) && results.length === wanted.length;
  expect(exchange, `${wanted.length} results`, isWhole);
  const found = readBatchResponse(exchange.json, wanted.length).map((each) => each === 'accepted');
  expect(
    exchange,
    `success: ${wanted.join(', ')}`,
    found.every((each, at) => each === wanted[at]),
  );
}

/** How an event differs from a correct one: a function where that depends on the session or on the time. */
type Change = Readonly<Record<string, unknown>> | ((session: Shared, on: Checked) => object | Promise<object>);

async function changed(on: Checked, session: Shared, [name, change]: readonly [EventName, Change]): Promise<object> {
  return eventOf(session, name, typeof change === 'function' ? await change(session, on) : change);
}

/** A rule on one event, beside one that is correct: only the first is refused. */
function refuses(id: string, says: string, name: EventName, change: Change): Omit<Rule, 'of'> {
  return rule(id, says, async (on) => {
    const session = await on.world.session();
    const event = await changed(on, session, [name, change]);
    expectResults(await sendBatch(on, [event, eventOf(session, 'WIDGET_VIEW')]), [false, true]);
  });
}

/** A rule on one event that is accepted. */
function accepts(id: string, says: string, name: EventName, change: Change = {}): Omit<Rule, 'of'> {
  return rule(id, says, async (on) => {
    expectResults(await sendBatch(on, [await changed(on, await on.world.session(), [name, change])]), [true]);
  });
}

const without = (session: Shared, name: EventName, field: string): object =>
  eventOf(session, name, { [field]: undefined });
const at = (ms: number): object => ({ event_datetime: new Date(Date.now() + ms).toISOString() });

/** What POST /events and POST /events/batch promise. */
export const EVENT_RULES: readonly Rule[] = of('events', [
  rule('E1.one', 'One event is answered with 201 and an empty body.', async (on) => {
    const exchange = await on.ask({
      path: ONE,
      key: 'integration',
      body: eventOf(await on.world.session(), 'WIDGET_LOAD'),
    });
    expect(exchange, '201 with an empty body', exchange.status === 201 && exchange.text === '');
  }),
  rule('E1.one-refused', 'One event that is wrong is a 400.', async (on) => {
    const body = without(await on.world.session(), 'WIDGET_LOAD', 'event_name');
    expectRefusal(await on.ask({ path: ONE, key: 'integration', body }), 400);
  }),
  refused('E1.none', 'A batch of no event is refused.', batch({ events: [] }), 400),
  refused('E1.no-list', 'events must be a list.', batch({ events: {} }), 400),
  rule('E1.too-many', 'A batch of 21 events is refused as a whole.', async (on) => {
    const session = await on.world.session();
    const events = Array.from({ length: 21 }, () => eventOf(session, 'WIDGET_VIEW'));
    expectRefusal(await sendBatch(on, events), 400);
  }),
  rule('E1.twenty', 'A batch of 20 events is accepted.', async (on) => {
    const session = await on.world.session();
    const events = Array.from({ length: 20 }, () => eventOf(session, 'ELEMENT_CLICK'));
    expectBatch(
      await sendBatch(on, events),
      events.map(() => true),
    );
  }),
  rule('E2.some', 'A batch of which some are accepted is a 207 with a result for each, in order.', async (on) => {
    const session = await on.world.session();
    const wrong = without(session, 'BRAND_VIEW', 'session_id');
    const events = [eventOf(session, 'BRAND_VIEW'), wrong, eventOf(session, 'BRAND_VIEW'), wrong];
    expectBatch(await sendBatch(on, events), [true, false, true, false]);
  }),
  rule('E2.indexes', 'The results of a batch are numbered from 0.', async (on) => {
    const session = await on.world.session();
    const exchange = await sendBatch(on, [eventOf(session, 'BRAND_VIEW'), eventOf(session, 'BRAND_VIEW')]);
    const results = own(exchange.json, 'results');
    const indexes = Array.isArray(results) ? results.map((each) => own(each, 'index')).join() : '';
    expect(exchange, 'index 0 and 1', indexes === '0,1');
  }),
  rule('E2.none', 'A batch of which none is accepted is a 502 with results.', async (on) => {
    const wrong = without(await on.world.session(), 'BRAND_VIEW', 'session_id');
    expectBatch(await sendBatch(on, [wrong, wrong]), [false, false]);
  }),
  rule('E2.counts', 'accepted and failed, where they are given, are those of the results.', async (on) => {
    const session = await on.world.session();
    const good = (): object => eventOf(session, 'BRAND_VIEW');
    const exchange = await sendBatch(on, [good(), good(), without(session, 'BRAND_VIEW', 'session_id')]);
    const [accepted, failed] = [own(exchange.json, 'accepted'), own(exchange.json, 'failed')];
    expect(exchange, 'accepted 2 and failed 1', (accepted ?? 2) === 2 && (failed ?? 1) === 1);
  }),
  ...EVENT_NAMES.map((name) => accepts(`E2.${name.toLowerCase().replaceAll('_', '-')}`, `${name} is accepted.`, name)),
  rule('E3.again', 'What a 207 has accepted is accepted again.', async (on) => {
    const session = await on.world.session();
    const events = [eventOf(session, 'BRAND_DISPLAY'), without(session, 'BRAND_DISPLAY', 'session_id')];
    expectResults(await sendBatch(on, events), [true, false]);
    expectResults(await sendBatch(on, events), [true, false]);
  }),
  rule('E4.same-batch', 'The same event twice in a batch is accepted.', async (on) => {
    const event = eventOf(await on.world.session(), 'BRAND_CLICK');
    expectResults(await sendBatch(on, [event, event]), [true, true]);
  }),
  accepts('E4.no-id', 'An event without an event_id is accepted.', 'BRAND_VIEW', { event_id: undefined }),
  rule('E4.other-session', 'An event_id of one session can be used in another.', async (on) => {
    const session = await on.world.session();
    const { session_id } = await on.world.openSession();
    const event = eventOf(session, 'WIDGET_VIEW');
    expectResults(await sendBatch(on, [event, { ...event, session_id }]), [true, true]);
  }),
  rule('E6.for-good', 'What no repetition mends says "retryable": false.', async (on) => {
    const session = await on.world.session();
    const foreign = eventOf(session, 'WIDGET_VIEW', { session_id: NOBODY });
    const wrong = without(session, 'WIDGET_VIEW', 'event_name');
    const exchange = await sendBatch(on, [foreign, wrong, eventOf(session, 'WIDGET_VIEW')]);
    const results = own(exchange.json, 'results');
    const isForGood = (each: unknown): boolean => own(own(each, 'error'), 'retryable') === false;
    const isSo = Array.isArray(results) && results.filter((each) => isForGood(each)).length === 2;
    expect(exchange, '"retryable": false in the first two results', isSo);
  }),
  refuses('E6.session', 'An event of an unknown session is refused.', 'WIDGET_VIEW', { session_id: NOBODY }),
  refuses('E6.insertion', 'An insertion of another session is refused.', 'BRAND_VIEW', async ({ first }, on) => {
    const other = await on.world.openSession();
    return { brand_properties: { ...first, insertion_id: other.placed[0]?.insertion_id ?? NOBODY } };
  }),
  refuses('E6.unknown-insertion', 'An unknown insertion is refused.', 'BRAND_VIEW', ({ first }) => ({
    brand_properties: { ...first, insertion_id: NOBODY },
  })),
  refuses('E6.offer', 'An offer that was not in this place is refused.', 'BRAND_VIEW', ({ first }) => ({
    brand_properties: { ...first, offer_id: NOBODY },
  })),
  refuses('E6.no-brand', 'An event on an offer must name it.', 'BRAND_VIEW', { brand_properties: undefined }),
  refuses('E6.case', 'An event_name in another case is refused.', 'WIDGET_VIEW', { event_name: 'widget_view' }),
  refuses('E6.name', 'An unknown event_name is refused.', 'WIDGET_VIEW', { event_name: 'WIDGET_HOVER' }),
  refuses('E6.no-name', 'event_name is required.', 'WIDGET_VIEW', { event_name: undefined }),
  refuses('E6.no-session', 'session_id is required.', 'WIDGET_VIEW', { session_id: undefined }),
  refuses('E6.target', 'An unknown initiating_target is refused.', 'ELEMENT_CLICK', { initiating_target: 'SIDEBAR' }),
  refuses('E6.no-target', 'An ELEMENT_CLICK must say what was clicked.', 'ELEMENT_CLICK', {
    initiating_target: undefined,
  }),
  refuses('E6.no-conversion', 'A CONVERSION must have its conversion_id.', 'CONVERSION', {
    conversion_properties: undefined,
  }),
  rule('E6.no-object', 'An event must be an object.', async (on) => {
    expectResults(await sendBatch(on, [[], eventOf(await on.world.session(), 'WIDGET_VIEW')]), [false, true]);
  }),
  rule('E7.order', 'A click before its display, and a conversion before its click, are accepted.', async (on) => {
    const session = await on.world.openSession();
    const [first] = session.placed;
    const shared = { ...session, first: first ?? (await on.world.session()).first };
    const names = ['CONVERSION', 'BRAND_CLICK', 'BRAND_DISPLAY', 'WIDGET_LOAD'] as const;
    expectResults(
      await sendBatch(
        on,
        names.map((name) => eventOf(shared, name)),
      ),
      names.map(() => true),
    );
  }),
  refuses('E8.no-time', 'event_datetime is required.', 'WIDGET_VIEW', { event_datetime: undefined }),
  refuses('E8.format', 'An event_datetime that is not RFC 3339 is refused.', 'WIDGET_VIEW', {
    event_datetime: '11/28/2026 09:00',
  }),
  refuses('E8.ahead', 'An event an hour ahead is refused.', 'WIDGET_VIEW', () => at(60 * MINUTE_MS)),
  accepts('E8.little-ahead', 'An event four minutes ahead is accepted.', 'WIDGET_VIEW', () => at(4 * MINUTE_MS)),
  refuses('E8.old', 'An event of 31 days ago is refused.', 'WIDGET_VIEW', () => at(-31 * DAY_MS)),
  refuses('E8.before-session', 'An event an hour before its session is refused.', 'WIDGET_VIEW', () =>
    at(-60 * MINUTE_MS),
  ),
  accepts('E8.offset', 'A time with an offset is accepted.', 'WIDGET_VIEW', () => ({
    event_datetime: new Date(Date.now() + 120 * MINUTE_MS).toISOString().replace('Z', '+02:00'),
  })),
  refused('E9.not-json', 'A body that is not JSON is refused.', batch('{"events":['), 400),
  denied('E9.no-key', 'A batch without a key is refused as a whole.', batch(ANY, { key: 'none' })),
  denied('E9.wrong-key', 'A batch with an unknown key is refused as a whole.', batch(ANY, { key: 'wrong' })),
  refused('E9.no-version', 'A batch without a version is refused.', batch(ANY, { headers: NO_VERSION }), 400),
  refused('E9.content-type', 'A batch that is not called JSON is refused.', batch(ANY, { headers: PLAIN }), 415),
  rule('E9.large', 'A body over 64 KiB is a 413.', async (on) => {
    const session = await on.world.session();
    const events = [eventOf(session, 'WIDGET_VIEW', { filler: 'x'.repeat(70_000) })];
    expectRefusal(await sendBatch(on, events), 413);
  }),
  reading('E9.retry-after', 'Each 429 of this run had a Retry-After.', async (on) => {
    for (const exchange of on.delayed)
      if (exchange.status === 429)
        expect(exchange, 'Retry-After: seconds', /^\d+$/.test(exchange.headers.get('retry-after') ?? ''));
  }),
]);
