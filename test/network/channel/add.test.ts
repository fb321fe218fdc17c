import { beforeEach, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { openTestNetwork } from '../testNetwork.ts';
import { type Tenant, openTenant } from './tenant.ts';

const ADD = '/adnet/publishers/add/';
const LIST = '/adnet/publishers/list/';

describe.each(DATABASE_KINDS)('adding publishers on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await openTenant(world);
  });
  const add = (items: unknown) => tenant.call('POST', ADD, { items });
  const count = async (): Promise<number> => (await tenant.get(LIST)).count;
  const statuses = async (items: readonly unknown[]) =>
    (await add(items)).body.results.map((result: { status: string }) => result.status);

  test('C17 50 items are accepted', async () => {
    const { status, body } = await add(Array.from({ length: 50 }, () => tenant.item()));
    expect({ status, results: body.results.length }).toEqual({ status: 201, results: 50 });
    expect(await count()).toBe(51);
  });

  test('C18 C19 every wrong item is named, whatever is wrong with it', async () => {
    const wrong = [
      ['brand_name', 7],
      ['brand_name', 'a\u0000b'],
      ['brand_name', '\ud800'],
      ['brand_name', 'x'.repeat(256)],
      ['domain', 'https://'],
      ['domain', '-a.example'],
      ['domain', `${'x'.repeat(64)}.example`],
    ] as const;
    const items = wrong.map(([name, value]) => tenant.item({ [name]: value }));
    const { status, body } = await add([tenant.item(), null, ...items]);
    expect([status, body.items.map((message: string) => message.split(':')[0])]).toEqual([
      400,
      ['items[1]', ...wrong.map(([name], at) => `items[${at + 2}].${name}`)],
    ]);
    const deep = `{"extra":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect((await tenant.call('POST', ADD, deep)).body).toEqual({ non_field_errors: [expect.any(String)] });
    expect(await count()).toBe(1);
  });

  test('C21 a brand and a domain are the same however they are typed', async () => {
    await add([tenant.item({ brand_name: 'Café Ölberg', domain: 'bücher.example' })]);
    for (const [brand_name, domain] of [
      ['  CAFÉ ölberg ', 'bücher.example'],
      ['Cafe\u0301 Ölberg', 'bücher.example'],
      ['Café  Ölberg', 'http://user@bücher.example'],
    ] as const) {
      expect(await statuses([tenant.item({ brand_name, domain })]), domain).toEqual(['duplicate']);
    }
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
});
