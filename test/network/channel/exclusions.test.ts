import { beforeEach, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, type Body, openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const CHANNEL = '/adnet/channel/exclusions/';

describe.each(DATABASE_KINDS)('categories and exclusions on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  let tenant: Tenant;
  let ids: readonly string[];
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

  test('C6 of a list of wrong ids the first twenty are named, a category as such', async () => {
    const category = await put(CHANNEL, [tenant.categories[0]?.remote_id]);
    expect(category.body.subcategory_ids[0]).toContain('is a category');
    const { body } = await put(CHANNEL, [ids[0], ...Array<number>(50_000).fill(1)]);
    expect(body.subcategory_ids).toHaveLength(20);
    expect(body.subcategory_ids[1]).toBe('Item 2: expected the id of a subcategory as a string.');
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
