import { isObject, own } from '../wire/json.ts';
import { type Ask, type Exchange, expect, expectOk, expectRefusal, UntoldError } from './network.ts';
import { of, refused, rule, type Checked, type Rule } from './rule.ts';

const LIST = '/adnet/publishers/list/';
const ADD = '/adnet/publishers/add/';
const NOBODY = '00000000-0000-4000-8000-000000000000';

const get = (path: string, query: Ask['query'] = ''): Ask => ({ path, query, key: 'management' });
const put = (path: string, body: unknown): Ask => ({ method: 'PUT', path, key: 'management', body });
const exclusionsOf = (id: string): string => `/adnet/publishers/${id}/exclusions/`;
const bad = (id: string, says: string, ask: Ask): Omit<Rule, 'of'> => refused(id, says, ask, [400, 'fields']);

/** The publishers of the channel with this name. */
async function named(
  on: Checked,
  q: string,
): Promise<{ exchange: Exchange; publishers: readonly unknown[]; count: number }> {
  const exchange = await on.ask(get(LIST, { q }));
  const json = expectOk(exchange);
  return {
    exchange,
    publishers: (own(json, 'publishers') ?? []) as readonly unknown[],
    count: Number(own(json, 'count')),
  };
}

/** What names a publisher. An item to add has its categories as well, right or wrong. */
interface Item {
  readonly brand_name: string;
  readonly domain: string;
  readonly [other: string]: unknown;
}

/** A publisher to add, that no other run has added. */
async function newItem(on: Checked, more: object = {}): Promise<Item> {
  const categories = await on.world.categories();
  const category = categories.find(({ subcategories }) => subcategories.length > 0);
  if (!category) throw new UntoldError('The network has no category with a subcategory.');
  const name = `${on.world.mark}-${crypto.randomUUID().slice(0, 8)}`;
  return {
    brand_name: name,
    domain: `${name}.example`,
    primary_category_id: category.remote_id,
    subcategory_ids: [category.subcategories[0]?.remote_id],
    ...more,
  };
}

const add = (on: Checked, items: unknown): Promise<Exchange> =>
  on.ask({ path: ADD, key: 'management', body: { items } });

/** Adds publishers that the network must take, and remembers them. */
async function added(
  on: Checked,
  items: readonly { brand_name: string; domain: string }[],
): Promise<{ exchange: Exchange; results: readonly unknown[] }> {
  const exchange = await add(on, items);
  const results = own(expectOk(exchange, 201), 'results');
  expect(exchange, `${items.length} results`, Array.isArray(results) && results.length === items.length);
  for (const result of results as readonly unknown[]) {
    const id = own(own(result, 'create_request'), 'pending_publisher_id');
    if (own(result, 'status') !== 'created') continue;
    expect(exchange, 'create_request.pending_publisher_id', typeof id === 'string');
    on.world.added.push({
      brand_name: String(own(result, 'brand_name')),
      domain: String(own(result, 'domain')),
      id: String(id),
    });
  }
  return { exchange, results: results as readonly unknown[] };
}

/** One request that rules on pending publishers share: nothing can take it back. */
async function pending(
  on: Checked,
): Promise<{ readonly brand_name: string; readonly domain: string; readonly id: string }> {
  if (on.world.added.length === 0) await added(on, [await newItem(on)]);
  const [first] = on.world.added;
  if (!first) throw new UntoldError('No publisher could be added.');
  return first;
}

/** A rule that an item with `more` refuses the whole call. */
const refusesItem = (id: string, says: string, more: object): Omit<Rule, 'of'> =>
  rule(id, says, async (on) => expectRefusal(await add(on, [await newItem(on, more)]), 400, 'fields'));

/** What adding publishers promises, and pending requests. */
export const PUBLISHER_RULES: readonly Rule[] = of('channel', [
  bad('C17.none', 'No items are refused.', { path: ADD, key: 'management', body: { items: [] } }),
  bad('C17.missing', 'items is required.', { path: ADD, key: 'management', body: {} }),
  bad('C17.no-list', 'items must be a list.', { path: ADD, key: 'management', body: { items: {} } }),
  rule('C17.too-many', '51 items are refused.', async (on) => {
    const item = await newItem(on);
    expectRefusal(
      await add(
        on,
        Array.from({ length: 51 }, () => item),
      ),
      400,
      'fields',
    );
  }),
  ...['brand_name', 'domain', 'primary_category_id', 'subcategory_ids'].map((name) =>
    refusesItem(`C18.${name.replaceAll('_', '-')}`, `${name} is required.`, { [name]: undefined }),
  ),
  refusesItem('C18.blank', 'A blank brand_name is refused.', { brand_name: '  ' }),
  refusesItem('C18.empty', 'An empty list of subcategories is refused.', { subcategory_ids: [] }),
  refusesItem('C18.category', 'An unknown category is refused.', { primary_category_id: NOBODY }),
  refusesItem('C18.subcategory', 'An unknown subcategory is refused.', { subcategory_ids: [NOBODY] }),
  rule('C18.primary', 'At least one subcategory must be of the primary category.', async (on) => {
    const [one, other] = (await on.world.categories()).filter(({ subcategories }) => subcategories.length > 0);
    if (!one || !other) throw new UntoldError('The network has fewer than two categories.');
    const item = await newItem(on, {
      primary_category_id: one.remote_id,
      subcategory_ids: [other.subcategories[0]?.remote_id],
    });
    expectRefusal(await add(on, [item]), 400, 'fields');
  }),
  rule('C19.all', 'One invalid item refuses the whole call, and creates nothing.', async (on) => {
    const good = await newItem(on);
    expectRefusal(await add(on, [good, await newItem(on, { domain: '' })]), 400, 'fields');
    const { exchange, count } = await named(on, good.brand_name);
    expect(exchange, 'no item of that name', count === 0);
  }),
  rule(
    'C20.results',
    'Results are in the order of the items: created, and a duplicate of what was there.',
    async (on) => {
      const before = await pending(on);
      const again = await newItem(on, { brand_name: before.brand_name, domain: before.domain });
      const { exchange, results } = await added(on, [again]);
      const [result] = results;
      expect(
        exchange,
        '"status": "duplicate" with an error and no create_request',
        own(result, 'status') === 'duplicate' &&
          typeof own(result, 'error') === 'string' &&
          !isObject(own(result, 'create_request')),
      );
    },
  ),
  rule('C21.normalized', 'A duplicate is found by its domain without scheme, www., path and case.', async (on) => {
    const { brand_name, domain } = await pending(on);
    const { exchange, results } = await added(on, [
      await newItem(on, { brand_name, domain: `https://WWW.${domain.toUpperCase()}/shop` }),
    ]);
    expect(exchange, '"status": "duplicate"', own(results[0], 'status') === 'duplicate');
  }),
  rule('C23.request', 'A new request is pending, has what was sent, and is in the list.', async (on) => {
    const { brand_name, id } = await pending(on);
    const { exchange, publishers } = await named(on, brand_name);
    const found = publishers.find((each) => own(each, 'pending_publisher_id') === id);
    expect(
      exchange,
      '"status": "PENDING" and its brand_name',
      own(found, 'status') === 'PENDING' && own(found, 'brand_name') === brand_name,
    );
    expect(exchange, 'publisher_remote_id: null', own(found, 'publisher_remote_id') === null);
  }),
  rule('C12.insertion', 'A publisher that is added during a walk hides no other.', async (on) => {
    const read = async (page: string) => {
      const exchange = await on.ask(get(LIST, { page, page_size: '2' }));
      const all = (own(expectOk(exchange), 'publishers') ?? []) as readonly unknown[];
      return { exchange, names: all.map((each) => String(own(each, 'brand_name'))) };
    };
    const [one, two] = [await read('1'), await read('2')];
    if (two.names.length < 2) throw new UntoldError('The channel has fewer than four publishers.');
    await added(on, [await newItem(on)]);
    const after = await read('2');
    const seen = new Set([...one.names, ...after.names]);
    expect(after.exchange, `"${two.names[0]}", the next one`, seen.has(two.names[0] ?? ''));
  }),
  rule('C16.pending', 'A pending request is read by its id, without a key.', async (on) => {
    const { id } = await pending(on);
    const exchange = await on.ask(get(`/adnet/publishers/details/${id}/`));
    const publisher = own(expectOk(exchange), 'publisher');
    expect(
      exchange,
      'api_key: null',
      (own(publisher, 'api_key') ?? null) === null && own(publisher, 'pending_publisher_id') === id,
    );
  }),
  rule('C7.pending', 'A pending request has no exclusions to set.', async (on) => {
    expectRefusal(await on.ask(put(exclusionsOf((await pending(on)).id), { subcategory_ids: [] })), 404, 'error');
  }),
  refused(
    'C24.unknown',
    'Removing an unknown publisher is a 404.',
    { method: 'DELETE', path: `/adnet/publishers/${NOBODY}/remove/`, key: 'management' },
    [404, 'error'],
  ),
  rule('C24.pending', 'A pending request cannot be removed.', async (on) => {
    expectRefusal(
      await on.ask({
        method: 'DELETE',
        path: `/adnet/publishers/${(await pending(on)).id}/remove/`,
        key: 'management',
      }),
      404,
      'error',
    );
  }),
]);
