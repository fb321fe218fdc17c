import { describe, expect, test } from 'vitest';
import { DatabaseUnavailableError, SlowReadError, type Database } from '../../../src/network/database/database.ts';
import { networkOn } from '../database/recordedNetwork.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';
import { ask, event, NOW, testNetworkOf } from '../testNetwork.ts';
import { openSession, session, useShownOffer, world } from './useShownOffer.ts';

const MONEY =
  'conversions,attributed_ad_spend_amount,billable_ad_spend_amount,channel_payout,revenue_with_email,revenue_without_email,order_revenue_amount';
const at = (time: string): { event_datetime: string } => ({ event_datetime: `2025-11-${time}:00Z` });

/** A database of which some transactions find the disk full. */
function failing(
  db: Database,
  isFull: (options: Parameters<Database['transaction']>[1]) => boolean,
  error: Error = new DatabaseUnavailableError('The disk is full'),
): Database {
  return {
    ...db,
    async transaction(work, options) {
      if (isFull(options)) throw error;
      return db.transaction(work, options);
    },
  };
}

describe.each(DATABASE_KINDS)('money on %s', (kind) => {
  useShownOffer(kind);
  const money = async (): Promise<Record<string, number>> => world.summary({ metrics: MONEY });

  test('a conversion after a click earns the price, and the payouts are shares of what the advertiser pays', async () => {
    await world.batch([event('BRAND_CLICK', session), event('CONVERSION', session)]);
    expect(await money()).toEqual({
      conversions: 1,
      attributed_ad_spend_amount: 2.5,
      billable_ad_spend_amount: 2.5,
      channel_payout: 0.5,
      revenue_with_email: 0.5,
      revenue_without_email: 0,
      order_revenue_amount: 0,
    });
    const { body } = await world.call(
      'GET',
      '/api/analysis/publisher-reporting/v2/report/?from=2025-11-20&to=2025-11-20&metrics=publisher_payout',
      { key: world.network.describe().keys.publisher_reporting ?? '' },
    );
    expect(body.summary).toEqual({ publisher_payout: 1.5 });
  });

  test('the order in which click and conversion arrive does not matter', async () => {
    await openSession('2025-11-20T08:59:00Z');
    await world.batch([event('CONVERSION', session, at('20T10:00'))]);
    expect((await money())['attributed_ad_spend_amount']).toBe(0);
    await world.batch([event('BRAND_CLICK', session, at('20T09:00'))]);
    expect(await money()).toMatchObject({ conversions: 1, attributed_ad_spend_amount: 2.5 });
  });

  test('a conversion without a click, or before it, counts but earns nothing', async () => {
    await openSession('2025-11-20T08:59:00Z');
    await world.batch([event('CONVERSION', session, at('20T09:00')), event('BRAND_CLICK', session, at('20T10:00'))]);
    expect(await money()).toMatchObject({ conversions: 1, attributed_ad_spend_amount: 0, billable_ad_spend_amount: 0 });
  });

  test('a click more than 30 days before the conversion earns nothing, one of exactly 30 days does', async () => {
    await openSession('2025-10-25T10:05:00Z');
    await world.batch([event('BRAND_CLICK', session, { event_datetime: '2025-10-25T10:00:00Z' })]);
    await world.control('POST', '/sandbox/clock', { now: '2025-11-24T10:00:01Z' });
    await world.batch([event('CONVERSION', session, { event_datetime: '2025-11-24T10:00:01Z' })]);
    const range = { from: '2025-10-01', to: '2025-11-24', metrics: MONEY };
    expect(await world.summary(range)).toMatchObject({ conversions: 1, attributed_ad_spend_amount: 0 });
    await world.batch([event('CONVERSION', session, { event_datetime: '2025-11-24T10:00:00Z' })]);
    expect(await world.summary(range)).toMatchObject({ conversions: 2, attributed_ad_spend_amount: 2.5 });
  });

  test('several clicks of the offer and several events of one conversion count once', async () => {
    const conversion_properties = { conversion_id: 'c-1' };
    await world.batch([
      event('BRAND_CLICK', session),
      event('BRAND_CLICK', session),
      event('CONVERSION', session, { conversion_properties }),
    ]);
    await world.batch([event('CONVERSION', session, { conversion_properties }), event('BRAND_CLICK', session)]);
    expect(await money()).toMatchObject({ conversions: 1, attributed_ad_spend_amount: 2.5 });
  });

  test('no other event reports a conversion, whatever it carries', async () => {
    const forged = { conversion_properties: { conversion_id: 'forged' } };
    const names = ['BRAND_CLICK', 'BRAND_DISPLAY', 'WIDGET_LOAD'];
    const { status } = await world.batch(names.map((name) => event(name, session, forged)));
    expect(status).toBe(202);
    expect(await money()).toMatchObject({ conversions: 0, attributed_ad_spend_amount: 0 });
  });

  test('a conversion counts for the offer that it names, and only if that was clicked', async () => {
    await world.offer({ heading: 'Another', price_per_conversion: '10' });
    await openSession();
    const [dear, cheap] = [0, 1];
    await world.batch([
      event('BRAND_CLICK', session, {}, cheap),
      event('CONVERSION', session, {}, dear),
      event('CONVERSION', session, {}, cheap),
    ]);
    expect(await money()).toMatchObject({ conversions: 2, attributed_ad_spend_amount: 2.5 });
  });

  test('a spent budget ends billing and display, but not attribution', async () => {
    await world.control('POST', '/sandbox/reset', { seed: 'empty' });
    await world.offer({ price_per_conversion: 2, budget: 5 });
    await openSession();
    await world.batch([event('BRAND_CLICK', session), ...[1, 2, 3].map(() => event('CONVERSION', session))]);
    expect(await money()).toMatchObject({
      conversions: 3,
      attributed_ad_spend_amount: 6,
      billable_ad_spend_amount: 4,
      channel_payout: 0.8,
    });
    const next = await world.session();
    expect(next.items).toEqual([]);
    expect((await world.control('GET', `/sandbox/explain?session_id=${next.session_id}`)).offers[0].reason).toBe(
      'budget_spent',
    );
  });

  test('money is exact: ten conversions of 0.1 at a share of 1/3 add up before they are rounded', async () => {
    await world.control('PUT', '/sandbox/settings', { shares: { publisher: 0.3333, channel: 0.0333 } });
    await world.control('POST', '/sandbox/reset', { seed: 'empty' });
    await world.control('PUT', '/sandbox/settings', { shares: { publisher: 0.3333, channel: 0.0333 } });
    await world.offer({ price_per_conversion: '0.1' });
    await openSession();
    await world.batch([
      event('BRAND_CLICK', session),
      ...Array.from({ length: 10 }, () => event('CONVERSION', session)),
    ]);
    expect(await money()).toMatchObject({ attributed_ad_spend_amount: 1, channel_payout: 0.03 });
  });

  test('revenue is split by whether the shopper came with an email', async () => {
    const others = [
      await world.session({ user_details: { phone: '+1' } }),
      await world.session({ user_details: { email_hash: 'a'.repeat(64) } }),
    ];
    for (const each of others) await world.batch([event('BRAND_CLICK', each), event('CONVERSION', each)]);
    expect(await money()).toMatchObject({ channel_payout: 1, revenue_with_email: 0.5, revenue_without_email: 0.5 });
  });

  test('an order counts once, when its session loads', async () => {
    const ordered = await world.earlierSession('2025-11-20T06:59:00Z', {
      order_details: { order_id: '1', cost_details: { amount: '42.50', currency_code: 'EUR' } },
    });
    await world.session({ order_details: { order_id: '2', cost_details: { amount: 100, currency_code: 'EUR' } } });
    await world.batch([event('WIDGET_LOAD', ordered), event('WIDGET_LOAD', ordered, at('20T08:00'))]);
    await world.batch([event('WIDGET_LOAD', ordered, at('20T07:00'))]);
    expect((await money())['order_revenue_amount']).toBe(42.5);
  });

  test('R56 A8 a sandbox session counts views and clicks, but no conversions and no money', async () => {
    const test = await world.session({
      custom_metadata: { is_sandbox: true },
      order_details: { cost_details: { amount: 10 } },
    });
    await world.batch(
      ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW', 'BRAND_DISPLAY', 'BRAND_CLICK', 'CONVERSION'].map((name) =>
        event(name, test),
      ),
    );
    expect(await world.summary()).toMatchObject({
      impressions: 1,
      clicks: 1,
      conversions: 0,
      feed_loads: 1,
      widget_displays: 1,
      viewable_widget_displays: 1,
      channel_payout: 0,
      order_revenue_amount: 0,
      attributed_ad_spend_amount: 0,
      billable_ad_spend_amount: 0,
    });
  });
});

test('events are accepted once they are committed, and billed later', async () => {
  const { db, close } = await openTestDatabase('pglite');
  let isFull = false;
  const network = await networkOn(failing(db, (options) => isFull && options?.statementTimeoutMs !== undefined));
  const alone = testNetworkOf(network);
  await alone.control('POST', '/sandbox/clock', { now: NOW });
  await alone.offer({ price_per_conversion: 2 });
  const shown = await alone.session();
  isFull = true;
  const events = ['BRAND_CLICK', 'CONVERSION'].map((name) => event(name, shown));
  expect((await alone.batch(events)).status).toBe(202);
  expect(await alone.summary()).toMatchObject({ conversions: 1, attributed_ad_spend_amount: 0 });
  isFull = false;
  await expect.poll(() => alone.summary(), { timeout: 10_000 }).toMatchObject({ billable_ad_spend_amount: 2 });
  await network.close();
  await close();
});

test('a conversion that cannot be billed holds up no other, and is found later, a day at a time', async () => {
  const { db, close } = await openTestDatabase('pglite');
  let odd = 0;
  const network = await networkOn({
    ...failing(
      db,
      (options) => options?.statementTimeoutMs !== undefined && odd-- > 0,
      new Error('It cannot be billed'),
    ),
    read: (work) =>
      db.read((on) =>
        work({
          ...on,
          async query(sql, params = []) {
            const isDay = Number(params[1]) - Number(params[0]) < 1.1 * 86_400_000;
            if (sql.includes('NOT c.attributed') && !isDay) throw new SlowReadError('It takes too long');
            return on.query(sql, params);
          },
        }),
      ),
  });
  const alone = testNetworkOf(network);
  await alone.control('POST', '/sandbox/clock', { now: NOW });
  await alone.offer({ price_per_conversion: 2 });
  const sessions = [await alone.session(), await alone.session()];
  odd = 1;
  await alone.batch(sessions.flatMap((shown) => ['BRAND_CLICK', 'CONVERSION'].map((name) => event(name, shown))));
  const spent = (amount: number): object => ({ conversions: 2, attributed_ad_spend_amount: amount });
  await expect.poll(() => alone.summary(), { timeout: 10_000 }).toMatchObject(spent(2));
  network.sweep();
  await expect.poll(() => alone.summary(), { timeout: 10_000 }).toMatchObject(spent(4));
  await network.close();
  await close();
});

test('a batch of two publishers of which only the first could be stored may be stored, and the network says so', async () => {
  const { db, close } = await openTestDatabase('pglite');
  let left = Infinity;
  const network = testNetworkOf(await networkOn(failing(db, () => left-- <= 0)));
  await network.control('POST', '/sandbox/clock', { now: NOW });
  await db.query(
    `INSERT INTO publishers SELECT gen_random_uuid(), gen_random_uuid(), channel_id, brand_name, 'twin', domain, 'twin', primary_category_id,
       subcategory_ids, status, staff_notes, api_key, external_exclusions, publisher_exclusions, created_at, updated_at, removed_at FROM publishers`,
    [],
  );
  const { key } = await network.control('POST', '/sandbox/keys', { kind: 'partner_wide' });
  const publishers = await db.query('SELECT publisher_remote_id FROM publishers ORDER BY 1', []);
  const events: unknown[] = [];
  for (const { publisher_remote_id } of publishers) {
    const { body } = await network.post('/recommendations', ask({ publisher_remote_id }), { 'x-api-key': key });
    events.push(event('WIDGET_LOAD', { session_id: body.session_id, items: [] }));
  }
  left = 1;
  const { status, headers } = await network.post('/events/batch', { events }, { 'x-api-key': key });
  expect([events.length, status, headers.get('retry-after')]).toEqual([2, 500, null]);
  left = 0;
  expect((await network.post('/events/batch', { events: events.slice(1) }, { 'x-api-key': key })).status).toBe(503);
  await network.close();
  await close();
});
