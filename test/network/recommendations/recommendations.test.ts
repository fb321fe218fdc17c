import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, event, openTestNetwork, type Body, type TestNetwork } from '../testNetwork.ts';

describe.each(DATABASE_KINDS)('recommendations on %s', (kind) => {
  let world: TestNetwork;
  beforeAll(async () => {
    world = await openTestNetwork(kind, { seed: 'demo' });
  });
  afterAll(() => world.close());
  const recommend = (parts: Record<string, unknown>, headers: Record<string, string> = {}) =>
    world.post('/recommendations', ask(parts), headers);

  test.each([
    ['no key', { 'x-api-key': '' }, 401],
    ['an unknown key', { 'x-api-key': 'adnet_rk_test_unknown' }, 401],
    ['no version', { version: '' }, 400],
    ['an invalid version', { version: 'latest' }, 400],
    ['a version of two parts', { version: '1.0' }, 400],
    ['a version that is not served', { version: '2.0.0' }, 400],
    ['text', { 'content-type': 'text/plain' }, 415],
  ])('A1 %s is refused', async (_what, headers, status) => {
    const answer = await recommend({}, headers);
    expect({ status: answer.status, message: answer.body.message }).toEqual({ status, message: expect.any(String) });
    if (Object.values(headers).includes('2.0.0')) expect(answer.body.message).toContain('1.0.0');
  });

  test('A1 a key of another environment and a key of another kind are refused', async () => {
    const production = await world.control('POST', '/sandbox/keys', { kind: 'integration', environment: 'production' });
    const mismatch = await recommend({}, { 'x-api-key': production.key });
    expect({ status: mismatch.status, message: mismatch.body.message }).toEqual({
      status: 401,
      message: expect.stringContaining('environment'),
    });
    expect((await recommend({}, { 'x-api-key': world.network.describe().keys.management ?? '' })).status).toBe(401);
  });

  test('offers in the language of the request come first, and none are in another', async () => {
    const headings = async (language?: string): Promise<string[]> => {
      const { body } = await recommend(language === undefined ? {} : { attributes: { language } });
      return Object.values(body.recommendations as Record<string, { offer: { heading: string } }>).map(
        ({ offer }) => offer.heading,
      );
    };
    const arabic = await headings('ar-EG');
    expect(arabic.slice(0, 2).every((heading) => /^\p{Script=Arabic}/u.test(heading))).toBe(true);
    expect(arabic).toHaveLength(10); // the rest is for everybody
    const { body } = await recommend({ attributes: { language: 'ar' } });
    for (const [language, texts] of [
      ['de', /^(Kaffeeprobe|20 GB für)/],
      ['fr-CA', /^(Un livre audio|Trois dîners)/],
      ['es', /^(Segunda vela|Viaje asegurado)/],
    ] as const) {
      const local = await headings(language);
      expect([language, local.filter((heading) => texts.test(heading))]).toEqual([language, local.slice(0, 2)]);
    }
    expect(body.recommendation_groups[0].heading).toMatch(/^\p{Script=Arabic}/u);
    for (let round = 0; round < 20; round++)
      expect((await headings('en')).join()).not.toMatch(
        /(^|,)[\p{Script=Arabic}\p{Script=Hebrew}]|Kaffeeprobe|Un livre|Segunda/u,
      );
  });

  test('A1 the other methods are a 405 that names POST', async () => {
    const answer = await world.call('GET', '/recommendations');
    expect({ status: answer.status, allow: answer.headers.get('allow'), body: answer.body }).toEqual({
      status: 405,
      allow: 'POST',
      body: { message: expect.any(String) },
    });
    expect((await world.call('POST', '/recommendations/')).status).toBe(404);
  });

  test.each([
    ['A2 no user_details', { user_details: undefined }, 'user_details'],
    ['A2 no placement_details', { placement_details: undefined }, 'placement_details'],
    ['A2 two identifiers', { user_details: { email: 'a@b.example', phone: '1' } }, 'user_details'],
    ['A2 a blank identifier', { user_details: { email: '  ' } }, 'user_details'],
    ['A3 an email hash of 63 characters', { user_details: { email_hash: 'a'.repeat(63) } }, 'user_details.email_hash'],
    [
      'A4 a view in lower case',
      { placement_details: { view: 'checkout', display_mode: 'INLINE' } },
      'placement_details.view',
    ],
    ['A4 no display mode', { placement_details: { view: 'CHECKOUT' } }, 'placement_details.display_mode'],
    ['A8 is_sandbox as text', { custom_metadata: { is_sandbox: 'true' } }, 'custom_metadata.is_sandbox'],
    [
      'a widget_id that no key can hold',
      { placement_details: { view: 'CHECKOUT', display_mode: 'INLINE', widget_id: 'w'.repeat(201) } },
      'placement_details.widget_id',
    ],
  ])('%s is a 400 that names the field', async (_what, parts, path) => {
    const { status, body } = await recommend(parts);
    expect({ status, paths: body.errors?.map((error: { path: string }) => error.path) }).toEqual({
      status: 400,
      paths: expect.arrayContaining([path]),
    });
  });

  test('A5 optional parts and unknown keys are accepted, a quantity may be a number', async () => {
    const { status } = await recommend({
      order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
      purchases: [{ product_id: 'p', name: 'n', quantity: 2 }],
      attributes: { device_type: 'MOBILE', language: 'de' },
      unknown: { deep: [1] },
    });
    expect(status).toBe(200);
  });

  test('A6 each call opens a session whose offers a widget can show', async () => {
    const [first, second] = [await recommend({}), await recommend({})];
    expect(first.body.session_id).not.toBe(second.body.session_id);
    const answer = readRecommendations(first.body, { allowLoopback: true });
    if (!answer.ok) throw new Error(JSON.stringify(answer.problems));
    expect(answer.value.left_out).toEqual([]);
    expect(answer.value.groups.flatMap((group) => group.offers).length).toBe(10);
    expect(answer.value.sandbox).toBe(false);
  });

  test('A7 C8 an excluded subcategory is never offered; all excluded is {} with a session', async () => {
    const categories = (
      await world.call('GET', '/adnet/adconfig/categories/', { key: world.network.describe().keys.management ?? '' })
    ).body.categories;
    const ids: string[] = categories.flatMap((category: Body) =>
      category.subcategories.map((sub: Body) => sub.remote_id),
    );
    const { publisher_remote_id } = world.network.describe().publisher;
    const [third, half] = [Math.floor(ids.length / 3), Math.floor((2 * ids.length) / 3)];
    const key = world.network.describe().keys.management ?? '';
    await world.control('PUT', `/sandbox/publishers/${publisher_remote_id}/external-exclusions`, {
      subcategory_ids: ids.slice(0, third),
    });
    await world.call('PUT', '/adnet/channel/exclusions/', {
      key,
      body: { subcategory_ids: ids.slice(third, half) },
      headers: { 'content-type': 'application/json' },
    });
    await world.call('PUT', `/adnet/publishers/${publisher_remote_id}/exclusions/`, {
      key,
      body: { subcategory_ids: ids.slice(half) },
      headers: { 'content-type': 'application/json' },
    });
    const none = await recommend({});
    expect(none.body).toMatchObject({ session_id: expect.any(String), recommendations: {}, recommendation_groups: [] });
    await world.call('PUT', `/adnet/publishers/${publisher_remote_id}/exclusions/`, {
      key,
      body: { subcategory_ids: [] },
      headers: { 'content-type': 'application/json' },
    });
    expect(Object.keys((await recommend({})).body.recommendations).length).toBeGreaterThan(0);
    const explained = await world.control('GET', `/sandbox/explain?session_id=${none.body.session_id}`);
    expect(new Set(explained.offers.map((offer: Body) => offer.reason))).toEqual(new Set(['subcategory_excluded']));
    await world.call('PUT', '/adnet/channel/exclusions/', {
      key,
      body: { subcategory_ids: [] },
      headers: { 'content-type': 'application/json' },
    });
    await world.control('PUT', `/sandbox/publishers/${publisher_remote_id}/external-exclusions`, {
      subcategory_ids: [],
    });
  });

  test('A8 a sandbox request returns marked offers', async () => {
    const { body } = await recommend({ custom_metadata: { is_sandbox: true } });
    expect(body.sandbox).toBe(true);
    for (const { offer } of Object.values<Body>(body.recommendations)) expect(offer.is_sandbox).toBe(true);
  });

  test('A9 events refer to session_id and insertion_id', async () => {
    const session = await world.session();
    expect((await world.batch([event('BRAND_DISPLAY', session), event('BRAND_DISPLAY', session, {}, 1)])).status).toBe(
      202,
    );
  });

  test('every offer of the catalogue is shown sometimes, and its absence is explained', async () => {
    const seen = new Set<string>();
    let catalogue = 0;
    for (let round = 0; round < 150 && (catalogue === 0 || seen.size < catalogue); round += 1) {
      const { session_id, items } = await world.session();
      for (const { offer_id } of items) seen.add(offer_id);
      const { offers } = await world.control('GET', `/sandbox/explain?session_id=${session_id}`);
      catalogue = offers.filter((offer: Body) => offer.reason === 'shown' || offer.reason === 'outdrawn').length;
      const shown = offers.filter((offer: Body) => offer.shown).toSorted((a: Body, b: Body) => a.position - b.position);
      expect(shown.map((offer: Body) => offer.offer_id)).toEqual(items.map(({ offer_id }) => offer_id));
      expect(shown.map((offer: Body) => offer.expected_value)).toEqual(
        shown.map((offer: Body) => offer.expected_value).toSorted((a: number, b: number) => b - a),
      );
    }
    expect(seen.size).toBe(catalogue);
  });

  test('a partner-wide key serves any publisher of its channel, by name', async () => {
    const { key } = await world.control('POST', '/sandbox/keys', { kind: 'partner_wide' });
    const list = await world.call('GET', '/adnet/publishers/list/', {
      key: world.network.describe().keys.management ?? '',
    });
    const named = list.body.publishers.find(
      (publisher: Body) =>
        publisher.status === 'APPROVED' &&
        publisher.publisher_remote_id !== world.network.describe().publisher.publisher_remote_id,
    );
    const answer = await recommend({ publisher_remote_id: named.publisher_remote_id }, { 'x-api-key': key });
    expect(answer.status).toBe(200);
    const load = {
      event_id: 'wide',
      event_name: 'WIDGET_LOAD',
      event_datetime: '2025-11-20T10:30:00Z',
      session_id: answer.body.session_id,
    };
    expect((await world.post('/events', load, { 'x-api-key': key })).status).toBe(201);
    expect(
      (await recommend({ publisher_remote_id: '00000000-0000-4000-8000-000000000000' }, { 'x-api-key': key })).status,
    ).toBe(400);
    expect((await recommend({}, { 'x-api-key': key })).status).toBe(200);
  });
});
