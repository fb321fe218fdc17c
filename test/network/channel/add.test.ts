import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DATABASE_KINDS } from '../databases.ts';
import { type TestNetwork, openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const ADD = '/adnet/publishers/add/';
const LIST = '/adnet/publishers/list/';

describe.each(DATABASE_KINDS)('adding publishers on %s', (kind) => {
  let world: TestNetwork;
  let tenant: Tenant;
  beforeAll(async () => void (world = await openTestNetwork(kind)));
  afterAll(() => world.close());
  beforeEach(async () => {
    tenant = await openTenant(world);
  });
  const add = (items: unknown) => tenant.call('POST', ADD, { items });
  const count = async (): Promise<number> => (await tenant.get(LIST)).count;
  const statuses = async (items: readonly unknown[]) =>
    (await add(items)).body.results.map((result: { status: string }) => result.status);

  test('C17 1 and 50 items are accepted', async () => {
    expect((await add([tenant.item()])).status).toBe(201);
    const { status, body } = await add(Array.from({ length: 50 }, () => tenant.item()));
    expect({ status, results: body.results.length }).toEqual({ status: 201, results: 50 });
    expect(await count()).toBe(52);
  });

  test('C17 0 and 51 items, a missing list and anything else are a 400', async () => {
    for (const items of [[], Array.from({ length: 51 }, () => tenant.item()), undefined, null, {}, 'x', 1]) {
      expect(await add(items)).toMatchObject({ status: 400, body: { items: [expect.any(String)] } });
    }
    expect(await count()).toBe(1);
  });

  test('C18 each field is required, and named when it is wrong', async () => {
    const [first, second] = tenant.categories;
    for (const [field, value] of [
      ['brand_name', undefined],
      ['brand_name', null],
      ['brand_name', '  '],
      ['brand_name', 7],
      ['brand_name', 'a\u0000b'],
      ['brand_name', '\ud800'],
      ['brand_name', 'x'.repeat(256)],
      ['domain', undefined],
      ['domain', ''],
      ['domain', 'no domain'],
      ['domain', 'https://'],
      ['domain', 'a..example'],
      ['domain', '-a.example'],
      ['domain', ['a.example']],
      ['domain', 'x'.repeat(64) + '.example'],
      ['primary_category_id', undefined],
      ['primary_category_id', ''],
      ['primary_category_id', 'x'],
      ['primary_category_id', randomUUID()],
      ['primary_category_id', first?.subcategories[0]?.remote_id],
      ['subcategory_ids', undefined],
      ['subcategory_ids', null],
      ['subcategory_ids', []],
      ['subcategory_ids', 'x'],
      ['subcategory_ids', [randomUUID()]],
      ['subcategory_ids', [5]],
      ['subcategory_ids', [second?.subcategories[0]?.remote_id]],
      ['subcategory_ids', [first?.remote_id]],
    ] as const) {
      const { status, body } = await add([tenant.item({ [field]: value })]);
      expect({ status, body }, `${field} ${String(value).slice(0, 20)}`).toEqual({
        status: 400,
        body: { items: [expect.stringMatching(new RegExp(`^items\\[0\\]\\.${field}: .+`))] },
      });
    }
    expect(await count()).toBe(1);
  });

  test('C18 subcategories of other categories are accepted with one of the primary category', async () => {
    const [first, second] = tenant.categories;
    const subcategory_ids = [second?.subcategories[0]?.remote_id, first?.subcategories[1]?.remote_id];
    const request = await tenant.add({ subcategory_ids });
    expect(request.subcategory_ids).toEqual(subcategory_ids);
  });

  test('C19 one invalid item refuses the call, and every invalid one is named', async () => {
    const { status, body } = await add([
      tenant.item(),
      tenant.item({ domain: '' }),
      null,
      tenant.item({ brand_name: 5, domain: 'x y' }),
    ]);
    expect(status).toBe(400);
    expect(body.items.map((message: string) => message.split(':')[0])).toEqual([
      'items[1].domain',
      'items[2]',
      'items[3].brand_name',
      'items[3].domain',
    ]);
    expect(await count()).toBe(1);
  });

  test('C20 a result for each item in its place; all duplicates are a 201 too', async () => {
    const [a, b, c] = [tenant.item(), tenant.item(), tenant.item()];
    await add([b]);
    const { status, body } = await add([a, b, c]);
    expect(status).toBe(201);
    expect(body.results).toEqual([
      { brand_name: a?.['brand_name'], domain: a?.['domain'], status: 'created', create_request: expect.any(Object) },
      { brand_name: b?.['brand_name'], domain: b?.['domain'], status: 'duplicate', error: expect.any(String) },
      { brand_name: c?.['brand_name'], domain: c?.['domain'], status: 'created', create_request: expect.any(Object) },
    ]);
    expect(await statuses([a, b, c])).toEqual(['duplicate', 'duplicate', 'duplicate']);
  });

  test('C21 a brand and a domain are the same however they are typed', async () => {
    await add([tenant.item({ brand_name: 'Café Ölberg', domain: 'bücher.example' })]);
    for (const [brand_name, domain] of [
      ['  café ölberg ', 'BÜCHER.example'],
      ['CAFÉ ÖLBERG', 'https://www.bücher.example/shop?x#y'],
      ['Cafe\u0301 Ölberg', 'xn--bcher-kva.example.'],
      ['Café  Ölberg', 'http://user@bücher.example:8080'],
    ] as const) {
      expect(await statuses([tenant.item({ brand_name, domain })]), domain).toEqual(['duplicate']);
    }
    expect(await statuses([tenant.item({ brand_name: 'Café Ölberg', domain: 'other.example' })])).toEqual(['created']);
    expect(await statuses([tenant.item({ brand_name: 'Other', domain: 'bücher.example' })])).toEqual(['created']);
  });

  test('C21 the same pair twice in one call is created, then a duplicate', async () => {
    const item = tenant.item();
    expect(await statuses([item, item])).toEqual(['created', 'duplicate']);
  });

  test('C21 in every status it stays a duplicate; another channel may have it; a removed one may come again', async () => {
    const item = tenant.item();
    const [{ create_request }] = (await add([item])).body.results;
    const move = (status: string) =>
      world.control('POST', `/sandbox/publishers/${create_request.pending_publisher_id}/status`, { status });
    for (const status of ['REJECTED', 'NEEDS_INFO', 'APPROVED']) {
      await move(status);
      expect(await statuses([item]), status).toEqual(['duplicate']);
    }
    const other = await openTenant(world, 'CH2');
    expect((await other.call('POST', ADD, { items: [item] })).body.results[0].status).toBe('created');
    const { publisher } = await tenant.get(`/adnet/publishers/details/${create_request.pending_publisher_id}/`);
    await tenant.call('DELETE', `/adnet/publishers/${publisher.publisher_remote_id}/remove/`);
    expect(await statuses([item])).toEqual(['created']);
  });

  test('C21 of two calls at once one creates', async () => {
    const items = Array.from({ length: 20 }, () => tenant.item());
    const answers = await Promise.all([add(items), add(items.toReversed()), add(items)]);
    const created = answers.flatMap(({ body }) => body.results).filter(({ status }) => status === 'created');
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(created.length).toBe(20);
    expect(await count()).toBe(21);
  });

  test('C23 a new request is pending, on top of the list, and says what was sent, each subcategory once', async () => {
    const item = tenant.item();
    const twice = [item['subcategory_ids'], item['subcategory_ids']].flat();
    const request = (await add([tenant.item(), { ...item, subcategory_ids: twice }])).body.results[1].create_request;
    const [category] = tenant.categories;
    expect(request).toEqual({
      pending_publisher_id: expect.any(String),
      status: 'PENDING',
      brand_name: item['brand_name'],
      domain: item['domain'],
      primary_category: { remote_id: category?.remote_id, name: category?.name },
      subcategory_ids: item['subcategory_ids'],
      staff_notes: '',
      created_at: '2025-11-20T10:30:00.000Z',
      updated_at: '2025-11-20T10:30:00.000Z',
    });
    const [top] = (await tenant.get(LIST)).publishers;
    expect(top).toMatchObject({
      pending_publisher_id: request.pending_publisher_id,
      status: 'PENDING',
      brand_name: item['brand_name'],
    });
  });

  test('C25 a body that is not a JSON object is a 400, unknown fields are ignored', async () => {
    for (const body of [
      '{ broken',
      '',
      '[]',
      'null',
      '"x"',
      '5',
      `{"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ]) {
      expect(await tenant.call('POST', ADD, body), body.slice(0, 20)).toMatchObject({
        status: 400,
        body: { non_field_errors: [expect.any(String)] },
      });
    }
    expect((await tenant.call('POST', ADD, { items: [tenant.item({ extra: 1 })], extra: true })).status).toBe(201);
  });
});
