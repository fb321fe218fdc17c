import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { type TestNetwork, ask, openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const LIST = '/adnet/publishers/list/';

describe.each(DATABASE_KINDS)('publishers of the Channel API on %s', (kind) => {
  let world: TestNetwork;
  let tenant: Tenant;
  beforeAll(async () => void (world = await openTestNetwork(kind)));
  afterAll(() => world.close());
  beforeEach(async () => {
    tenant = await openTenant(world);
    // Only what a test adds itself is in its list.
    await tenant.call('DELETE', `/adnet/publishers/${tenant.publisher.publisher_remote_id}/remove/`);
  });
  const addAll = (brands: readonly string[]) =>
    tenant.call('POST', '/adnet/publishers/add/', { items: brands.map((brand_name) => tenant.item({ brand_name })) });
  const names = async (query: string) =>
    (await tenant.get(`${LIST}${query}`)).publishers.map((one: { brand_name: string }) => one.brand_name);

  test('C10 the newest comes first, requests and publishers together', async () => {
    await tenant.approved({ brand_name: 'First' });
    await tenant.add({ brand_name: 'Second' });
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T10:31:00Z' });
    await tenant.add({ brand_name: 'Third' });
    await world.control('POST', '/sandbox/clock', { now: '2025-11-20T10:30:00Z' });
    expect(await names('')).toEqual(['Third', 'Second', 'First']);
  });

  test('C11 page_size goes from 1 to 200', async () => {
    await addAll(['A', 'B']);
    expect((await tenant.get(`${LIST}?page_size=200`)).count).toBe(2);
    for (const size of ['201', '0', '-1', 'x', '', '1.5', '1e2']) {
      expect(await tenant.call('GET', `${LIST}?page_size=${size}`), size).toMatchObject({
        status: 400,
        body: { page_size: [expect.any(String)] },
      });
    }
    for (const query of ['page=0', 'page=-1', 'page=x', 'page=', 'page=1&page=2', `page=${'9'.repeat(400)}`]) {
      expect(await tenant.call('GET', `${LIST}?${query}`), query).toMatchObject({
        status: 400,
        body: { page: [expect.any(String)] },
      });
    }
  });

  test('C11 a page past the end is empty and has no next page', async () => {
    await addAll(['A', 'B', 'C']);
    for (const page of ['2', '3', '999999999999999']) {
      expect(await tenant.get(`${LIST}?page=${page}`)).toMatchObject({ count: 3, next: null, publishers: [] });
    }
  });

  test('C12 following next yields each publisher once, and previous goes back', async () => {
    const brands = Array.from({ length: 23 }, (_, index) => `Walk & ${index}`);
    await addAll(brands);
    await addAll(['Other']);
    const seen: string[] = [];
    let address: string | null = `http://127.0.0.1:4600${LIST}?page_size=5&q=walk+%26`;
    let last = '';
    for (; address !== null;) {
      last = address;
      const { pathname, search } = new URL(address);
      const page = await tenant.get(pathname + search);
      expect(page.count).toBe(23);
      seen.push(...page.publishers.map((one: { brand_name: string }) => one.brand_name));
      address = page.next;
    }
    expect(seen.toSorted()).toEqual(brands.toSorted());
    expect(new Set(seen).size).toBe(23);
    const back = new URL((await tenant.get(new URL(last).pathname + new URL(last).search)).previous);
    expect(Object.fromEntries(back.searchParams)).toEqual({ page: '4', page_size: '5', q: 'walk &' });
    expect((await tenant.get(`${LIST}?page_size=5`)).previous).toBeNull();
    expect((await tenant.get(`${LIST}?page_size=5&page=99`)).previous).toContain('page=5&');
  });

  test('C13 each word of q matches anywhere in the name, ignoring case', async () => {
    await addAll(['Acme', 'Bolt', 'Corner Store', 'Ölberg']);
    expect((await names('?q=acme%20bolt')).toSorted()).toEqual(['Acme', 'Bolt']);
    expect(await names('?q=ORN')).toEqual(['Corner Store']);
    expect(await names('?q=%C3%B6LB')).toEqual(['Ölberg']);
    expect(await names('?q=nothing')).toEqual([]);
    for (const blank of ['?q=', '?q=%20', '?q=%20%09%0A']) expect((await names(blank)).length, blank).toBe(4);
  });

  test.each(['%09', '%0A', '%0D%0A', '%0B', '%0C', '%C2%A0', '%E2%80%83', '%E3%80%80', '%20%09%20'])(
    'q is split on any white space: %s',
    async (space) => {
      await addAll(['Rockets', 'Bolt', 'Corner Store']);
      expect((await names(`?q=rockets${space}bolt`)).toSorted()).toEqual(['Bolt', 'Rockets']);
      const { next } = await tenant.get(`${LIST}?q=rockets${space}bolt&page_size=1`);
      expect(new URL(next).searchParams.get('q')).toBe(decodeURIComponent(`rockets${space}bolt`));
    },
  );

  test('C13 percent signs, underscores and backslashes have no special meaning', async () => {
    await addAll(['100% Wool', 'under_score', 'back\\slash', 'Plain']);
    expect(await names('?q=%25')).toEqual(['100% Wool']);
    expect(await names('?q=_')).toEqual(['under_score']);
    expect(await names('?q=%5C')).toEqual(['back\\slash']);
  });

  test('C13 text that PostgreSQL cannot store is a 400', async () => {
    expect(await tenant.call('GET', `${LIST}?q=a%00`)).toMatchObject({
      status: 400,
      body: { q: [expect.any(String)] },
    });
    expect((await tenant.call('GET', `${LIST}?q=%ED%A0%80`)).status).toBe(200);
  });

  test("C14 an item has no key, and one id: until approval the request's, then the remote one", async () => {
    const request = await tenant.add({ brand_name: 'Pending' });
    const { publisher } = await tenant.approved({ brand_name: 'Approved' });
    const [approved, pending] = (await tenant.get(LIST)).publishers;
    expect(pending).toMatchObject({
      pending_publisher_id: request.pending_publisher_id,
      publisher_remote_id: null,
      status: 'PENDING',
    });
    expect(approved).toMatchObject({
      pending_publisher_id: null,
      publisher_remote_id: publisher.publisher_remote_id,
      status: 'APPROVED',
    });
    for (const one of [approved, pending]) expect(one).not.toHaveProperty('api_key');
  });

  test('C15 statuses are the four, times are ISO 8601 in UTC', async () => {
    const statuses = ['PENDING', 'NEEDS_INFO', 'APPROVED', 'REJECTED'];
    for (const status of statuses) {
      const { pending_publisher_id } = await tenant.add();
      await world.control('POST', `/sandbox/publishers/${pending_publisher_id}/status`, { status });
    }
    const { publishers } = await tenant.get(LIST);
    expect(publishers.map((one: { status: string }) => one.status)).toEqual(statuses.toReversed());
    for (const { created_at } of publishers) expect(created_at).toBe('2025-11-20T10:30:00.000Z');
  });

  test('C16 the detail is found by either id, and has the key from approval on', async () => {
    const { pending_publisher_id } = await tenant.add({ brand_name: 'Acme' });
    const before = (await tenant.get(`/adnet/publishers/details/${pending_publisher_id}/`)).publisher;
    expect(before).toMatchObject({
      pending_publisher_id,
      publisher_remote_id: null,
      api_key: null,
      brand_name: 'Acme',
      primary_category: tenant.categories[0]?.name,
    });
    await world.control('POST', `/sandbox/publishers/${pending_publisher_id}/status`, { status: 'APPROVED' });
    const after = (await tenant.get(`/adnet/publishers/details/${pending_publisher_id}/`)).publisher;
    expect(after).toMatchObject({
      pending_publisher_id,
      publisher_remote_id: expect.any(String),
      api_key: expect.stringMatching(/^adnet_pk_test_/),
    });
    expect(
      (await tenant.get(`/adnet/publishers/details/${after.publisher_remote_id.toUpperCase()}/`)).publisher,
    ).toEqual(after);
    expect((await tenant.call('GET', LIST, undefined, after.api_key)).status).toBe(200);
  });

  test('C16 anything but an id of the channel is a 404', async () => {
    for (const id of [randomUUID(), 'x', '%00', "'%20OR%201=1", '..%2flist', '0'.repeat(5000)]) {
      expect(await tenant.call('GET', `/adnet/publishers/details/${id}/`), id.slice(0, 40)).toMatchObject({
        status: 404,
        body: { error: expect.any(String) },
      });
    }
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
    expect((await tenant.get(LIST)).count).toBe(0);
    expect((await recommend()).status).toBe(401);
    expect((await tenant.call('GET', LIST, undefined, publisher.api_key)).status).toBe(401);
  });

  test('C24 neither a request nor an unknown id can be removed', async () => {
    const { pending_publisher_id } = await tenant.add();
    for (const id of [pending_publisher_id, randomUUID(), 'x']) {
      expect(await tenant.call('DELETE', `/adnet/publishers/${id}/remove/`), id).toMatchObject({
        status: 404,
        body: { error: expect.any(String) },
      });
    }
    expect((await tenant.get(LIST)).count).toBe(1);
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

  test('C25 wrong methods, missing slashes and huge bodies', async () => {
    for (const [method, path] of [
      ['POST', LIST],
      ['GET', '/adnet/channel/exclusions/'],
      ['PATCH', '/adnet/channel/details/'],
      ['GET', `/adnet/publishers/${randomUUID()}/remove/`],
    ] as const) {
      const answer = await tenant.call(method, path);
      expect({ status: answer.status, allow: answer.headers.get('allow') }, path).toEqual({
        status: 405,
        allow: expect.any(String),
      });
    }
    expect(await tenant.call('GET', LIST.slice(0, -1))).toMatchObject({
      status: 404,
      body: { error: expect.any(String) },
    });
    const huge = JSON.stringify({ subcategory_ids: [], padding: 'x'.repeat(1024 * 1024) });
    expect((await tenant.call('PUT', '/adnet/channel/exclusions/', huge)).status).toBe(413);
  });
});
