import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, type Body, type TestNetwork, openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const CHANNEL = '/adnet/channel/exclusions/';

describe.each(DATABASE_KINDS)('categories and exclusions on %s', (kind) => {
  let world: TestNetwork;
  let tenant: Tenant;
  let ids: readonly string[];
  beforeAll(async () => {
    world = await openTestNetwork(kind);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    tenant = await openTenant(world);
    ids = tenant.categories.flatMap(({ subcategories }) => subcategories.map(({ remote_id }) => remote_id));
  });
  const excluded = async (): Promise<readonly string[]> =>
    (await tenant.get('/adnet/channel/details/')).channel.exclusions.subcategories.channel;
  const put = async (path: string, subcategory_ids: unknown) => {
    const { status, body } = await tenant.call('PUT', path, { subcategory_ids });
    return { status, body };
  };

  test('C5 the channel’s list is replaced, in the order given, and [] clears it', async () => {
    const [a = '', b = '', c = ''] = ids;
    expect(await put(CHANNEL, [b, a])).toEqual({ status: 200, body: { ok: true } });
    expect(await excluded()).toEqual([b, a]);
    await put(CHANNEL, [c]);
    await put(CHANNEL, [c]);
    expect(await excluded()).toEqual([c]);
    await put(CHANNEL, []);
    expect(await excluded()).toEqual([]);
  });

  test('C5 a repeated id is stored once, upper case is the same id', async () => {
    const [a = '', b = ''] = ids;
    await put(CHANNEL, [a, b, a.toUpperCase()]);
    expect(await excluded()).toEqual([a, b]);
  });

  test('C5 of two concurrent lists one replaces the other as a whole', async () => {
    const lists = [ids.slice(0, 8), ids.slice(4, 12), ids.slice(2, 5), []];
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(lists.map((list) => put(CHANNEL, list)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(lists).toContainEqual(await excluded());
    }
  });

  test('C6 an invalid list is a 400 by field and changes nothing', async () => {
    const [a = ''] = ids;
    await put(CHANNEL, [a]);
    for (const wrong of [
      undefined,
      null,
      'x',
      {},
      a,
      [1],
      [null],
      [a, 'x'],
      [a, randomUUID()],
      [tenant.categories[0]?.remote_id],
      [[a]],
      ['\u0000'],
    ]) {
      const answer = await put(CHANNEL, wrong);
      expect(answer, JSON.stringify(wrong)).toEqual({
        status: 400,
        body: { subcategory_ids: expect.arrayContaining([expect.any(String)]) },
      });
      expect(await excluded()).toEqual([a]);
    }
  });

  test('C6 of a list of wrong ids the first twenty are named', async () => {
    const { body } = await put(CHANNEL, [ids[0], ...Array<number>(50_000).fill(1)]);
    expect(body.subcategory_ids).toHaveLength(20);
    expect(body.subcategory_ids[1]).toBe('Item 2: expected the id of a subcategory as a string.');
  });

  test('C6 the id of a category is refused as such', async () => {
    const { body } = await put(CHANNEL, [tenant.categories[0]?.remote_id]);
    expect(body.subcategory_ids[0]).toContain('is a category');
  });

  test('C7 a publisher’s list is replaced; the other lists stay; an invalid list is a 400 and changes nothing', async () => {
    const [a = '', b = '', c = ''] = ids;
    const { publisher } = await tenant.approved();
    const id = publisher.publisher_remote_id;
    await world.control('PUT', `/sandbox/publishers/${id}/external-exclusions`, { subcategory_ids: [c] });
    await put(CHANNEL, [a]);
    expect(await put(`/adnet/publishers/${id}/exclusions/`, [b, a, b])).toEqual({ status: 200, body: { ok: true } });
    const read = async () => (await tenant.get(`/adnet/publishers/details/${id}/`)).publisher.exclusions;
    expect(await read()).toEqual({ subcategories: { external: [c], publisher: [b, a] } });
    expect(await excluded()).toEqual([a]);
    const { status } = await put(`/adnet/publishers/${id}/exclusions/`, [a, 3]);
    expect([status, await read()]).toEqual([400, { subcategories: { external: [c], publisher: [b, a] } }]);
    await put(`/adnet/publishers/${id}/exclusions/`, []);
    expect(await read()).toEqual({ subcategories: { external: [c], publisher: [] } });
  });

  test('C7 an unknown, a pending and a removed publisher are a 404, even with an invalid list', async () => {
    const request = await tenant.add();
    const { publisher } = await tenant.approved();
    await tenant.call('DELETE', `/adnet/publishers/${publisher.publisher_remote_id}/remove/`);
    for (const id of [randomUUID(), request.pending_publisher_id, publisher.publisher_remote_id, 'x', '%00']) {
      const answer = await tenant.call('PUT', `/adnet/publishers/${id}/exclusions/`, '{ broken');
      expect({ status: answer.status, body: answer.body }, id).toEqual({
        status: 404,
        body: { error: expect.any(String) },
      });
    }
  });

  test('A7 C8 the exclusions of channel and publisher apply from the next call on; with all excluded, a session has no offers', async () => {
    const [a = '', b = '', c = '', d = ''] = ids;
    const { publisher, keys } = await tenant.approved();
    const offers = new Map<string, string>();
    for (const id of [a, b, c, d])
      offers.set(await world.offer({ subcategory_id: id, heading: id, weight: 1_000_000 }), id);
    const recommend = () => world.post('/recommendations', ask(), { 'x-api-key': keys.integration });
    const offered = async () => {
      const { body } = await recommend();
      return Object.keys(body.recommendations)
        .flatMap((id) => offers.get(id) ?? [])
        .toSorted();
    };
    const id = publisher.publisher_remote_id;
    expect(await offered()).toEqual([a, b, c, d].toSorted());
    await put(CHANNEL, [a]);
    expect(await offered()).toEqual([b, c, d].toSorted());
    await put(`/adnet/publishers/${id}/exclusions/`, [b]);
    await world.control('PUT', `/sandbox/publishers/${id}/external-exclusions`, { subcategory_ids: [c] });
    expect(await offered()).toEqual([d]);
    await put(CHANNEL, [a, d]);
    const { body } = await recommend();
    expect(body).toMatchObject({ session_id: expect.any(String), recommendations: {}, recommendation_groups: [] });
    const explained = await world.control('GET', `/sandbox/explain?session_id=${body.session_id}`);
    expect(new Set(explained.offers.map(({ reason }: Body) => reason))).toEqual(new Set(['subcategory_excluded']));
    await put(CHANNEL, []);
    expect(await offered()).toEqual([a, d].toSorted());
  });
});
