import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, event, offerFields, openTestNetwork, type Body } from '../testNetwork.ts';

describe.each(DATABASE_KINDS)('the controls on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  const keys = (): Record<string, string> => world.network.describe().keys as Record<string, string>;
  const isOpen = async (key: string): Promise<boolean> =>
    (await world.call('GET', '/adnet/channel/details/', { key })).status === 200;
  beforeAll(async () => {
    await world.offer();
  });

  test('the clock stops at the given time, and null starts it again', async () => {
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T12:00:00Z' });
    const { items, session_id } = await world.session();
    await world.batch([event('WIDGET_LOAD', { items, session_id }, { event_datetime: '2025-11-20T12:04:00Z' })]);
    expect((await world.control('GET', `/sandbox/events?session_id=${session_id}`)).events).toMatchObject([
      { received_at: '2025-11-20T12:00:00.000Z' },
    ]);
    const freed = await world.control('POST', '/sandbox/clock', { now: null });
    expect(Math.abs(Date.parse(freed.now) - Date.now())).toBeLessThan(60_000);
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
  });

  test('a reset starts over, keeps the clock and the first keys, and returns what the first line says', async () => {
    const before = keys();
    const { key: extra } = await world.control('POST', '/sandbox/keys', { kind: 'management' });
    const answer = await world.control('POST', '/sandbox/reset', { seed: 'empty' });
    expect(answer).toMatchObject({
      url: 'http://127.0.0.1:4600',
      environment: 'staging',
      keys: before,
      channel: { name: expect.any(String) },
      publisher: { publisher_remote_id: expect.any(String), brand_name: expect.any(String) },
    });
    expect(keys()).toEqual(before);
    expect([await isOpen(before['management'] ?? ''), await isOpen(extra)]).toEqual([true, false]);
    expect(await world.control('GET', '/sandbox/health')).toMatchObject({
      status: 'ok',
      database: kind,
      now: '2025-11-20T10:30:00.000Z',
      counts: { channels: 1, publishers: 1, offers: 0, sessions: 0, events: 0 },
    });
    await world.offer();
    const unknown = await world.call('POST', '/sandbox/reset', { body: { seed: 'full' } });
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ path: 'seed' }] } });
  });

  test('C27 keys are issued, rotated without a grace period, revoked, and expire by the clock', async () => {
    const made = await world.control('POST', '/sandbox/keys', {
      kind: 'management',
      expires_at: '2025-11-21T00:00:00Z',
    });
    expect(made.key).toMatch(/^adnet_sk_test_/);
    expect(await isOpen(made.key)).toBe(true);
    const rotated = await world.control('POST', `/sandbox/keys/${made.id}/rotate`);
    expect([await isOpen(made.key), await isOpen(rotated.key)]).toEqual([false, true]);
    await world.control('POST', '/sandbox/clock', { now: '2025-11-21T00:00:00Z' });
    expect(await isOpen(rotated.key)).toBe(false);
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
    expect((await world.call('DELETE', `/sandbox/keys/${rotated.id}`)).status).toBe(204);
    expect(await isOpen(rotated.key)).toBe(false);
    expect((await world.call('DELETE', `/sandbox/keys/${rotated.id}`)).status).toBe(404);
    expect((await world.call('POST', `/sandbox/keys/${rotated.id}/rotate`)).status).toBe(404);
  });

  test('an offer is created, changed, deactivated and deleted', async () => {
    const categories = (await world.call('GET', '/adnet/adconfig/categories/', { key: keys()['management'] ?? '' }))
      .body.categories;
    const subcategory = categories[0].subcategories[0].remote_id;
    const fields = {
      ...offerFields(subcategory),
      heading: 'Brand new',
      metadata: { type: 'PROMO_CODE', code: 'TEN' },
      assets: [{ asset_type: 'IMAGE', image_url: 'https://cdn.example/a.png' }],
      disclosure_details: { copy: 'Ad' },
      subheading: 'Sub',
    };
    const { id } = await world.control('POST', '/sandbox/offers', fields);
    const shown = async (): Promise<Body> => (await world.post('/recommendations', ask())).body.recommendations[id];
    expect(await shown()).toMatchObject({
      advertiser: { id: 'advertiser-1', name: 'Teapots' },
      offer: {
        id,
        heading: 'Brand new',
        subheading: 'Sub',
        metadata: { code: 'TEN' },
        assets: [{ asset_type: 'IMAGE' }],
        disclosure_details: { copy: 'Ad' },
      },
    });
    await world.control('PUT', `/sandbox/offers/${id}`, { ...fields, heading: 'Changed' });
    expect((await shown()).offer.heading).toBe('Changed');
    await world.control('PUT', `/sandbox/offers/${id}`, { ...fields, active: false });
    expect(await shown()).toBeUndefined();
    expect((await world.call('DELETE', `/sandbox/offers/${id}`)).status).toBe(204);
    expect((await world.call('DELETE', `/sandbox/offers/${id}`)).status).toBe(404);
    expect((await world.call('PUT', `/sandbox/offers/${id}`, { body: fields })).status).toBe(404);
  });

  test('activity adds up, with four decimals', async () => {
    const { publisher_remote_id } = world.network.describe().publisher;
    const row = {
      hour: '2025-11-18T10:20:00Z',
      publisher_remote_id,
      page_type: 'CHECKOUT',
      widget_type: 'INLINE',
      widget_id: null,
      impressions: 3,
      channel_payout: '0.0025',
      revenue_with_email: 0.0025,
    };
    expect(await world.control('POST', '/sandbox/activity', { rows: [row, row] })).toEqual({ rows: 2 });
    expect(await world.control('POST', '/sandbox/activity', { rows: [row, row] })).toEqual({ rows: 2 });
    expect(await world.summary({ from: '2025-11-18', to: '2025-11-18' })).toMatchObject({
      impressions: 12,
      channel_payout: 0.01,
    });
  });

  test('/health needs no key and names the environment', async () => {
    expect((await world.call('GET', '/health')).body).toEqual({
      status: 'ok',
      environment: 'staging',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });
});
