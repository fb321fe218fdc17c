import { beforeEach, expect, test } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { ChannelClient, ApiError, NotFoundError } from '../../../src/operator.ts';
import { openScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_0123456789';

const server = ofTest(openScriptedServer);
let client: ChannelClient;
beforeEach(() => void (client = new ChannelClient({ networkUrl: `${server.url}/`, apiKey: KEY, maxRetries: 0 })));

function publisherOf(id: string, pending = false): object {
  return {
    pending_publisher_id: pending ? id : null,
    publisher_remote_id: pending ? null : id,
    brand_name: id,
    status: pending ? 'PENDING' : 'APPROVED',
  };
}

function pageOf(ids: readonly string[], next: string | null): { body: object } {
  return { body: { count: 9, next, previous: null, publishers: ids.map((id) => publisherOf(id)) } };
}

async function namesOf(query?: { q?: string; pageSize?: number }): Promise<string[]> {
  const names = [];
  for await (const publisher of client.allPublishers(query)) names.push(publisher.brand_name);
  return names;
}

test('every call has the key in its header and nowhere else', async () => {
  server.responses = [{ body: { categories: [] } }];
  await client.categories();
  const [call] = server.seen;
  expect(call).toMatchObject({ method: 'GET', url: '/adnet/adconfig/categories/', body: '' });
  expect(call?.headers).toMatchObject({ 'x-api-key': KEY, accept: 'application/json' });
  expect(call?.headers['content-type']).toBeUndefined();
});

test('categories and details are returned without their envelope', async () => {
  const categories = [{ remote_id: 'c1', name: 'Food', subcategories: [{ remote_id: 's1', name: 'Tea' }] }];
  const channel = { name: 'CH1', exclusions: { subcategories: { channel: ['s1'] } } };
  server.responses = [{ body: { categories } }, { body: { channel } }];
  expect(await client.categories()).toEqual(categories);
  expect(await client.details()).toEqual(channel);
  expect(server.seen[1]?.url).toBe('/adnet/channel/details/');
});

test('a page of publishers is requested with the parameter names of the API', async () => {
  server.responses = [pageOf(['p1'], null)];
  const list = await client.publishers({ q: 'acme bolt', page: 2, pageSize: 10 });
  expect(list).toMatchObject({ count: 9, next: null, publishers: [{ brand_name: 'p1' }] });
  await client.publishers();
  expect(server.seen.map((call) => call.url)).toEqual([
    '/adnet/publishers/list/?q=acme+bolt&page=2&page_size=10',
    '/adnet/publishers/list/',
  ]);
});

test('an unknown status is passed through', async () => {
  server.responses = [{ body: { publisher: { ...publisherOf('p1'), status: 'ON_HOLD' } } }];
  expect((await client.publisher('p1')).status).toBe('ON_HOLD');
});

test('allPublishers() reads page by page until there is no next', async () => {
  server.responses = [pageOf(['p1', 'p2'], 'https://elsewhere.example/?page=2'), pageOf(['p3'], null)];
  expect(await namesOf({ q: 'p', pageSize: 2 })).toEqual(['p1', 'p2', 'p3']);
  expect(server.seen.map((call) => call.url)).toEqual([
    '/adnet/publishers/list/?q=p&page=1&page_size=2',
    '/adnet/publishers/list/?q=p&page=2&page_size=2',
  ]);
});

test('allPublishers() uses the largest page by default', async () => {
  server.responses = [pageOf([], null)];
  expect(await namesOf()).toEqual([]);
  expect(server.seen[0]?.url).toBe('/adnet/publishers/list/?page=1&page_size=200');
});

test('allPublishers() stops at a 404 after the first page, and at an empty page that promises more', async () => {
  server.responses = [pageOf(['p1'], '/x'), { status: 404, body: { error: 'no such page' } }];
  expect(await namesOf()).toEqual(['p1']);
  server.responses = [pageOf(['p1'], '/x'), pageOf([], '/x')];
  expect(await namesOf()).toEqual(['p1']);
});

test('allPublishers() gives up on a network that returns the same page for ever', async () => {
  server.responses = [pageOf(['p1', 'p2'], '/x')];
  await expect(namesOf()).rejects.toThrow('returns the same publishers on every page');
  expect(server.seen).toHaveLength(2);
});

test('a 404 on the first page and any other error reject', async () => {
  server.responses = [{ status: 404, body: {} }];
  await expect(namesOf()).rejects.toBeInstanceOf(NotFoundError);
  server.responses = [pageOf(['p1'], '/x'), { status: 500, body: {} }];
  await expect(namesOf()).rejects.toMatchObject({ status: 500 });
});

test('a publisher that moves to the next page meanwhile is yielded once', async () => {
  server.responses = [pageOf(['p1', 'p2'], '/x'), pageOf(['p2', 'p3'], null)];
  expect(await namesOf()).toEqual(['p1', 'p2', 'p3']);
});

test('an id is escaped in the path', async () => {
  server.responses = [{ body: { publisher: publisherOf('x') } }];
  await client.publisher('a/../b?c#d');
  expect(server.seen[0]?.url).toBe('/adnet/publishers/details/a%2F..%2Fb%3Fc%23d/');
});

test.each(['', ' ', '.', '..'])('the id %j would call another endpoint and is refused before the call', async (id) => {
  await expect(client.publisher(id)).rejects.toThrow(TypeError);
  await expect(client.remove(id)).rejects.toThrow('publisher_remote_id');
  await expect(client.setPublisherExclusions(id, [])).rejects.toThrow(TypeError);
  expect(server.seen).toEqual([]);
});

test('adding gives one result for each item, duplicates included', async () => {
  const items = [
    { brand_name: 'Acme', domain: 'acme.example', primary_category_id: 'c1', subcategory_ids: ['s1'] },
    { brand_name: 'Bolt', domain: 'bolt.example', primary_category_id: 'c1', subcategory_ids: ['s1'] },
  ];
  const results = [
    { brand_name: 'Acme', domain: 'acme.example', status: 'created', create_request: { pending_publisher_id: 'n1' } },
    { brand_name: 'Bolt', domain: 'bolt.example', status: 'duplicate', error: 'already requested' },
  ];
  server.responses = [{ status: 201, body: { results } }];
  expect(await client.add(items)).toEqual(results);
  expect(server.seen[0]).toMatchObject({
    method: 'POST',
    url: '/adnet/publishers/add/',
    body: JSON.stringify({ items }),
  });
  expect(server.seen[0]?.headers['content-type']).toBe('application/json');
});

test('a response with fewer results than items is an error', async () => {
  server.responses = [{ status: 201, body: { results: [] } }];
  const item = { brand_name: 'Acme', domain: 'acme.example', primary_category_id: 'c1', subcategory_ids: ['s1'] };
  await expect(client.add([item])).rejects.toThrow(
    'POST /adnet/publishers/add/ returned 201, but not one result for each item.',
  );
});

test('exclusions are replaced with PUT; an empty array clears them', async () => {
  server.responses = [{ body: { ok: true } }];
  await client.setChannelExclusions(['s1', 's2']);
  await client.setPublisherExclusions('p1', []);
  expect(server.seen).toMatchObject([
    { method: 'PUT', url: '/adnet/channel/exclusions/', body: '{"subcategory_ids":["s1","s2"]}' },
    { method: 'PUT', url: '/adnet/publishers/p1/exclusions/', body: '{"subcategory_ids":[]}' },
  ]);
});

test.each([
  ['addChannelExclusions', () => client.addChannelExclusions(['s1'])],
  ['addPublisherExclusions', () => client.addPublisherExclusions('p1', ['s1'])],
])('%s keeps what is there, and adds once more when somebody else has replaced the list', async (_, add) => {
  server.responses = [['s3'], ['s2'], ['s2', 's1']].flatMap((list) => {
    const owner = { exclusions: { subcategories: { channel: list, publisher: list } } };
    return [{ body: { channel: owner, publisher: owner } }, { body: { ok: true } }];
  });
  await add();
  const replaced = server.seen.flatMap(({ method, body }) => (method === 'PUT' ? [body] : []));
  expect(replaced).toEqual(['{"subcategory_ids":["s3","s1"]}', '{"subcategory_ids":["s2","s1"]}']);
});

test('remove() accepts only a 204', async () => {
  server.responses = [{ status: 204 }, { status: 200, body: '<html>Please log in</html>' }];
  await expect(client.remove('p1')).resolves.toBeUndefined();
  expect(server.seen[0]).toMatchObject({ method: 'DELETE', url: '/adnet/publishers/p1/remove/', body: '' });
  await expect(client.remove('p1')).rejects.toThrow('returned 200, but not the status 204.');
});

test.each([
  ['details', () => client.details()],
  ['publishers', () => client.publishers()],
  ['publisher', () => client.publisher('p1')],
  ['setChannelExclusions', () => client.setChannelExclusions([])],
])('%s rejects a response that is not what it requested', async (_, call) => {
  server.responses = [{ body: { hello: 'world' } }];
  await expect(call()).rejects.toBeInstanceOf(ApiError);
});
