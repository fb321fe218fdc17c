import { describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, openTestNetwork, type Body } from '../testNetwork.ts';

describe.each(DATABASE_KINDS)('recommendations on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind, { seed: 'demo' }));
  const recommend = (parts: Record<string, unknown>, headers: Record<string, string> = {}) =>
    world.post('/recommendations', ask(parts), headers);

  test('A1 keys of every other kind are refused', async () => {
    const { integration, ...others } = world.network.describe().keys;
    for (const key of Object.values(others)) expect((await recommend({}, { 'x-api-key': key })).status).toBe(401);
    expect(Object.keys(others)).toContain('publishable');
    expect((await recommend({}, { 'x-api-key': integration ?? '' })).status).toBe(200);
  });

  test('offers in the language of the request come first, and none are in another', async () => {
    const headings = async (language: string): Promise<string[]> => {
      const { body } = await recommend({ attributes: { language } });
      const offers = Object.values(body.recommendations as Record<string, { offer: { heading: string } }>);
      return [body.recommendation_groups[0].heading, ...offers.map(({ offer }) => offer.heading)];
    };
    for (const [language, texts] of [
      ['ar-EG', /^\p{Script=Arabic}/u],
      ['de', /^(Von unseren|Kaffeeprobe|20 GB für)/],
      ['fr-CA', /^(Choisi pour|Un livre audio|Trois dîners)/],
      ['es', /^(Elegido para|Segunda vela|Viaje asegurado)/],
    ] as const) {
      const all = await headings(language);
      expect([language, all.filter((heading) => texts.test(heading))]).toEqual([language, all.slice(0, 3)]);
      expect(all).toHaveLength(11); // the rest is for everybody
    }
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

  test('what a session was shown is explained, in its order', async () => {
    const { session_id, items } = await world.session();
    const { offers } = await world.control('GET', `/sandbox/explain?session_id=${session_id}`);
    const shown = offers.filter((offer: Body) => offer.shown).toSorted((a: Body, b: Body) => a.position - b.position);
    expect(shown.map((offer: Body) => offer.offer_id)).toEqual(items.map(({ offer_id }) => offer_id));
    const values = shown.map((offer: Body) => offer.expected_value);
    expect(values).toEqual(values.toSorted((a: number, b: number) => b - a));
    expect(new Set(offers.map((offer: Body) => offer.reason))).toEqual(new Set(['shown', 'outdrawn']));
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
