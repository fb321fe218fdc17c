import { CHANNEL_PATHS } from '../wire/channel.ts';
import { isObject, own } from '../wire/json.ts';
import { bad, get, listed, put, remove } from './channel.ts';
import { type Exchange, expect, expectOk, expectRefusal, UntoldError } from './network.ts';
import { missing, NOBODY, of, rule, type Checked, type Rule } from './rule.ts';
import type { World } from './world.ts';

const { publishers: LIST, add: ADD, publisherExclusions: exclusionsOf, publisher: detailsOf } = CHANNEL_PATHS;

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
    if (own(result, 'status') !== 'created') continue;
    const request = own(result, 'create_request');
    const id = own(request, 'pending_publisher_id');
    const [brand_name, domain] = [String(own(result, 'brand_name')), String(own(result, 'domain'))];
    on.world.added.push({ brand_name, domain, id: String(id), request, exchange });
    expect(exchange, 'create_request.pending_publisher_id', typeof id === 'string');
  }
  return { exchange, results: results as readonly unknown[] };
}

/** One request that rules on pending publishers share: nothing can take it back. Its domain is not in ASCII. */
async function pending(on: Checked): Promise<World['added'][number]> {
  if (on.world.added.length === 0) {
    const [one, other] = (await on.world.categories()).filter(({ subcategories }) => subcategories.length > 0);
    const ids = [one, other ?? one].flatMap((each) => each?.subcategories[0]?.remote_id ?? []);
    const item = await newItem(on, { subcategory_ids: [...ids, ...ids] });
    await added(on, [{ ...item, domain: `b\u00fccher-${item.domain}` }]);
  }
  const [first] = on.world.added;
  if (!first) throw new UntoldError('No publisher could be added.');
  return first;
}

/** A publisher with its key, as pages have it. */
async function publishable(on: Checked): Promise<{
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly subcategory_ids: unknown;
}> {
  const { publisher_remote_id: id } = await on.world.publisher();
  const exchange = await on.ask(get(detailsOf(id)));
  const publisher = own(expectOk(exchange), 'publisher');
  const key = own(publisher, 'api_key');
  expect(exchange, 'publisher.api_key', typeof key === 'string');
  const subcategory_ids = own(own(own(publisher, 'exclusions'), 'subcategories'), 'publisher');
  return { id, headers: { 'x-api-key': String(key) }, subcategory_ids };
}

/** Throws unless the call was refused for these places. */
function expectNamed(exchange: Exchange, places: readonly string[]): void {
  expectRefusal(exchange, 400);
  const messages = Object.values(exchange.json as object).flat();
  for (const place of places) {
    const isNamed = messages.some((each) => String(each).includes(place));
    expect(exchange, `a message that names ${place}`, isNamed);
  }
}

/** A rule that an item refuses the whole call with each of these values. */
const refusesItem = (id: string, says: string, name: string, values: readonly unknown[]): Omit<Rule, 'of'> =>
  rule(id, says, async (on) => {
    for (const value of values)
      expectNamed(await add(on, [await newItem(on, { [name]: value })]), [`items[0].${name}`]);
  });

/** What adding publishers promises, and pending requests. */
export const PUBLISHER_RULES: readonly Rule[] = of('channel', [
  bad('C17.none', 'No items are refused.', { path: ADD, key: 'management', body: { items: [] } }),
  bad('C17.missing', 'items is required.', { path: ADD, key: 'management', body: {} }),
  bad('C17.no-list', 'items must be a list.', { path: ADD, key: 'management', body: { items: {} } }),
  rule('C17.too-many', '51 items are refused.', async (on) => {
    const items = Array<Item>(51).fill(await newItem(on));
    expectRefusal(await add(on, items), 400);
  }),
  ...['brand_name', 'domain', 'primary_category_id', 'subcategory_ids'].map((name) =>
    refusesItem(`C18.${name.replaceAll('_', '-')}`, `${name} is required.`, name, [undefined, null]),
  ),
  refusesItem('C18.blank', 'A blank brand_name is refused.', 'brand_name', ['  ']),
  refusesItem('C18.no-domain', 'What is not a domain is refused.', 'domain', ['', 'no domain', 'a..example']),
  refusesItem('C18.empty', 'An empty list of subcategories is refused.', 'subcategory_ids', [[]]),
  refusesItem('C18.category', 'An unknown category is refused.', 'primary_category_id', [NOBODY, 'x']),
  refusesItem('C18.subcategory', 'An unknown subcategory is refused.', 'subcategory_ids', [[NOBODY], [5]]),
  rule('C18.kinds', 'The id of a subcategory is not that of a category, and the other way round.', async (on) => {
    const { primary_category_id: category, subcategory_ids } = await newItem(on);
    const [subcategory] = subcategory_ids as readonly unknown[];
    const swapped = { primary_category_id: subcategory, subcategory_ids: [category] };
    for (const [name, value] of Object.entries(swapped))
      expectNamed(await add(on, [await newItem(on, { [name]: value })]), [`items[0].${name}`]);
  }),
  rule('C18.primary', 'At least one subcategory must be of the primary category.', async (on) => {
    const [one, other] = (await on.world.categories()).filter(({ subcategories }) => subcategories.length > 0);
    if (!one || !other) throw new UntoldError('The network has fewer than two categories.');
    const item = await newItem(on, {
      primary_category_id: one.remote_id,
      subcategory_ids: [other.subcategories[0]?.remote_id],
    });
    expectNamed(await add(on, [item]), ['items[0].subcategory_ids']);
  }),
  rule('C19.all', 'One invalid item refuses the whole call, is named, and creates nothing.', async (on) => {
    const good = await newItem(on);
    expectNamed(await add(on, [good, await newItem(on, { domain: '' })]), ['items[1].domain']);
    const { exchange, count } = await listed(on, { q: good.brand_name });
    expect(exchange, 'no item of that name', count === 0);
  }),
  rule('C20.results', 'Results are in the order of the items: created, or a duplicate with an error.', async (on) => {
    const { brand_name, domain } = await pending(on);
    // The same brand on another domain, which the call has twice.
    const item = await newItem(on, { brand_name });
    const { exchange, results } = await added(on, [await newItem(on, { brand_name, domain }), item, item]);
    const found = results.map((each) => [own(each, 'status'), own(each, 'domain')].join(' '));
    const wanted = [`duplicate ${domain}`, `created ${item.domain}`, `duplicate ${item.domain}`];
    expect(exchange, wanted.join(', '), found.join() === wanted.join());
    const isSo = (each: unknown): boolean =>
      own(each, 'status') === 'created'
        ? isObject(own(each, 'create_request'))
        : typeof own(each, 'error') === 'string' && !isObject(own(each, 'create_request'));
    expect(exchange, 'a create_request, or an error for a duplicate', results.every(isSo));
  }),
  rule(
    'C21.normalized',
    'A duplicate is found by its domain without scheme, www., port, path, case and final dot, in punycode.',
    async (on) => {
      const { brand_name, domain } = await pending(on);
      const others = [
        `https://WWW.${domain.toUpperCase()}/shop?a#b`,
        `http://${domain}:8080`,
        `${new URL(`http://${domain}`).hostname}.`,
      ];
      const items = await Promise.all(others.map((other) => newItem(on, { brand_name, domain: other })));
      const { exchange, results } = await added(on, items);
      const found = results.map((each) => own(each, 'status'));
      expect(exchange, '"status": "duplicate" for each', String(found) === 'duplicate,duplicate,duplicate');
    },
  ),
  rule('C23.request', 'A new request is pending, has what was sent, and is in the list.', async (on) => {
    const { brand_name, id, request, exchange: made } = await pending(on);
    const [category, ids] = [own(request, 'primary_category'), own(request, 'subcategory_ids')];
    const areOnce = Array.isArray(ids) && ids.length > 0 && new Set(ids).size === ids.length;
    const isNamed = typeof own(category, 'name') === 'string';
    expect(made, 'each subcategory_id once, and a primary_category with its name', areOnce && isNamed);
    const isNew = own(request, 'status') === 'PENDING' && own(request, 'staff_notes') === '';
    expect(made, '"status": "PENDING" and "staff_notes": ""', isNew);
    const { exchange, publishers } = await listed(on, { q: brand_name });
    const found = publishers.find((each) => own(each, 'pending_publisher_id') === id);
    const isPending = own(found, 'status') === 'PENDING' && own(found, 'brand_name') === brand_name;
    expect(exchange, '"status": "PENDING" and its brand_name', isPending);
    expect(exchange, 'publisher_remote_id: null', own(found, 'publisher_remote_id') === null);
  }),
  rule('C12.insertion', 'A publisher that is added during a walk is first, and hides no other.', async (on) => {
    // Another brand on the same domain is no duplicate.
    const { domain } = await pending(on);
    const read = async (page: string) => {
      const { exchange, publishers } = await listed(on, { page, page_size: '2' });
      return { exchange, names: publishers.map((each) => String(own(each, 'brand_name'))) };
    };
    const [one, two] = [await read('1'), await read('2')];
    if (two.names.length < 2) throw new UntoldError('The channel has fewer than four publishers.');
    const item = await newItem(on, { domain });
    await added(on, [item]);
    const top = await read('1');
    expect(top.exchange, `"${item.brand_name}" at first`, top.names[0] === item.brand_name);
    const after = await read('2');
    const seen = new Set([...one.names, ...after.names]);
    expect(after.exchange, `"${two.names[0]}", the next one`, seen.has(two.names[0] ?? ''));
  }),
  rule('C2.reads', 'The api_key of a publisher reads this publisher, and no other.', async (on) => {
    const { id, headers } = await publishable(on);
    const list = await on.ask({ path: LIST, key: 'none', headers });
    const publishers = own(expectOk(list), 'publishers');
    const isAlone = Array.isArray(publishers) && publishers.length === 1;
    expect(list, `${id} alone`, isAlone && own(publishers[0], 'publisher_remote_id') === id);
    expectOk(await on.ask({ path: detailsOf(id), key: 'none', headers }));
    const { publishers: all } = await listed(on, {});
    const ids = all.map((one) => own(one, 'publisher_remote_id'));
    const others = ids.flatMap((one) => (typeof one === 'string' && one !== id ? one : []));
    for (const other of [(await pending(on)).id, ...others.slice(0, 1)])
      expectRefusal(await on.ask({ path: detailsOf(other), key: 'none', headers }), 404);
  }),
  rule('C2.changes', 'The api_key of a publisher changes nothing, and gets a 403.', async (on) => {
    const { id, headers, subcategory_ids } = await publishable(on);
    const { brand_name, domain } = await pending(on);
    // What is there already, or nobody: a network that takes it has lost nothing.
    for (const ask of [
      put(exclusionsOf(id), { subcategory_ids }),
      { path: ADD, body: { items: [await newItem(on, { brand_name, domain })] } },
      remove(NOBODY),
    ])
      expectRefusal(await on.ask({ ...ask, key: 'none', headers }), 403);
  }),
  rule('C16.pending', 'A pending request is read by its id, without a key.', async (on) => {
    const { id } = await pending(on);
    const exchange = await on.ask(get(detailsOf(id)));
    const publisher = own(expectOk(exchange), 'publisher');
    const isWithoutKey = (own(publisher, 'api_key') ?? null) === null;
    expect(exchange, 'api_key: null', isWithoutKey && own(publisher, 'pending_publisher_id') === id);
  }),
  rule('C7.pending', 'A pending request has no exclusions to set.', async (on) => {
    expectRefusal(await on.ask(put(exclusionsOf((await pending(on)).id), { subcategory_ids: [] })), 404);
  }),
  missing('C24.unknown', 'Removing an unknown publisher is a 404.', remove(NOBODY)),
  rule('C24.pending', 'A pending request cannot be removed.', async (on) => {
    expectRefusal(await on.ask(remove((await pending(on)).id)), 404);
  }),
]);
