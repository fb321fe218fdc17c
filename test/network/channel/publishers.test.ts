import { beforeEach, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { ask, openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const LIST = '/adnet/publishers/list/';

describe.each(DATABASE_KINDS)('publishers of the Channel API on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await openTenant(world);
    // Only what a test adds itself is in its list.
    await tenant.call('DELETE', `/adnet/publishers/${tenant.publisher.publisher_remote_id}/remove/`);
  });
  const addAll = (brands: readonly string[]) =>
    tenant.call('POST', '/adnet/publishers/add/', { items: brands.map((brand_name) => tenant.item({ brand_name })) });
  const names = async (query: string) =>
    (await tenant.get(`${LIST}${query}`)).publishers.map((one: { brand_name: string }) => one.brand_name);

  test('C13 q is split on any white space, ignores case beyond ASCII, and nothing but white space is no filter', async () => {
    await addAll(['Rockets', 'Bolt', 'Corner Store', 'Ölberg']);
    expect(await names('?q=%C3%B6LB')).toEqual(['Ölberg']);
    for (const space of ['%09', '%0A', '%0D%0A', '%0B', '%0C', '%C2%A0', '%E2%80%83', '%E3%80%80', '%20%09%20']) {
      expect((await names(`?q=rockets${space}bolt`)).toSorted(), space).toEqual(['Bolt', 'Rockets']);
      const { next } = await tenant.get(`${LIST}?q=rockets${space}bolt&page_size=1`);
      expect(new URL(next).searchParams.get('q')).toBe(decodeURIComponent(`rockets${space}bolt`));
      expect((await names(`?q=${space}`)).length, space).toBe(4);
    }
    // From beyond the end, the last page is the one before.
    expect((await tenant.get(`${LIST}?page_size=2&page=99`)).previous).toContain('page=2&');
  });

  test('C24 a removed publisher is gone, and so are its keys', async () => {
    const { publisher, keys } = await tenant.approved();
    const id = publisher.publisher_remote_id;
    const recommend = () => world.post('/recommendations', ask(), { 'x-api-key': keys.integration });
    expect((await recommend()).status).toBe(200);
    const removed = await tenant.call('DELETE', `/adnet/publishers/${id}/remove/`);
    expect({ status: removed.status, body: removed.body }).toEqual({ status: 204, body: undefined });
    expect(await tenant.call('DELETE', `/adnet/publishers/${id}/remove/`)).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    for (const gone of [id, publisher.pending_publisher_id])
      expect((await tenant.call('GET', `/adnet/publishers/details/${gone}/`)).status).toBe(404);
    expect((await tenant.call('PUT', `/adnet/publishers/${id}/exclusions/`, '{ broken')).status).toBe(404);
    expect((await tenant.get(LIST)).count).toBe(0);
    expect((await recommend()).status).toBe(401);
    expect((await tenant.call('GET', LIST, undefined, publisher.api_key)).status).toBe(401);
  });

  test('C26 staff moves a request on; approval gives it its ids and keys once', async () => {
    const { pending_publisher_id } = await tenant.add();
    const move = (status: string, staff_notes?: string) =>
      world.control('POST', `/sandbox/publishers/${pending_publisher_id}/status`, {
        status,
        ...(staff_notes ? { staff_notes } : {}),
      });
    const noted = await move('NEEDS_INFO', 'Which shop?');
    expect(noted).toMatchObject({ publisher: { status: 'NEEDS_INFO', publisher_remote_id: null } });
    expect(noted.keys).toBeUndefined();
    const approved = await move('APPROVED');
    expect(approved.keys).toEqual({
      integration: expect.stringMatching(/^adnet_rk_test_/),
      publisher_reporting: expect.stringMatching(/^adnet_sk_test_/),
    });
    expect(approved.publisher).toMatchObject({
      status: 'APPROVED',
      pending_publisher_id,
      publisher_remote_id: expect.any(String),
    });
  });
});
