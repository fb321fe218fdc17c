import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, openTestNetwork, type Body, type TestNetwork } from '../testNetwork.ts';

describe.each(DATABASE_KINDS)('recommendations on %s', (kind) => {
  let world: TestNetwork;
  beforeAll(async () => {
    world = await openTestNetwork(kind, { seed: 'demo' });
  });
  afterAll(() => world.close());
  const recommend = (parts: Record<string, unknown>, headers: Record<string, string> = {}) =>
    world.post('/recommendations', ask(parts), headers);

  test.each(['1.0', '2.0.0'])('A1 version %s is refused, and what is served is named', async (version) => {
    const answer = await recommend({}, { version });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('1.0.0')]);
    expect((await world.call('POST', '/recommendations/')).status).toBe(404);
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

  test('a widget_id that no key can hold is a 400 that names the field', async () => {
    const placement_details = { view: 'CHECKOUT', display_mode: 'INLINE', widget_id: 'w'.repeat(201) };
    const { status, body } = await recommend({ placement_details });
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ path: 'placement_details.widget_id' }],
    });
  });

  test('A8 a sandbox request returns marked offers', async () => {
    const { body } = await recommend({ custom_metadata: { is_sandbox: true } });
    expect(body.sandbox).toBe(true);
    for (const { offer } of Object.values<Body>(body.recommendations)) expect(offer.is_sandbox).toBe(true);
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
