import { CHANNEL_PATHS, PUBLISHER_STATUSES } from '../wire/channel.ts';
import { isObject, oneOf, own } from '../wire/json.ts';
import { bad, get, listed, put, remove } from './channel.ts';
import { type Exchange, expect, expectOk, expectRefusal, UntoldError } from './network.ts';
import {
  denied,
  isRising,
  missing,
  NO_SLASH,
  NOBODY,
  of,
  reading,
  refusesElsewhere,
  rule,
  type Checked,
  type Rule,
} from './rule.ts';

const { publishers: LIST, channelDetails: DETAILS, categories: CATEGORIES, add: ADD } = CHANNEL_PATHS;
const { channelExclusions: EXCLUSIONS, publisherExclusions: exclusionsOf, publisher: detailsOf } = CHANNEL_PATHS;

/** A rule that neither path with a body takes these. */
const refusesBodies = (id: string, says: string, bodies: readonly string[]): Omit<Rule, 'of'> =>
  rule(id, says, async (on) => {
    for (const body of bodies)
      for (const ask of [put(EXCLUSIONS, body), { ...put(ADD, body), method: 'POST' } as const]) {
        const exchange = await on.ask(ask);
        const isNamed = isObject(exchange.json) && Array.isArray(exchange.json['non_field_errors']);
        expect(exchange, '400 with { "non_field_errors": ["…"] }', exchange.status === 400 && isNamed);
      }
  });

const EMPTY = { subcategory_ids: [] };

/** The exclusions of the channel. */
async function channelExclusions(on: Checked): Promise<{ exchange: Exchange; ids: readonly string[] }> {
  const exchange = await on.ask(get(DETAILS));
  const ids = own(own(own(own(expectOk(exchange), 'channel'), 'exclusions'), 'subcategories'), 'channel');
  const shape = '{ "channel": { "name", "exclusions": { "subcategories": { "channel": […] } } } }';
  expect(exchange, shape, Array.isArray(ids));
  return { exchange, ids: ids as readonly string[] };
}

async function expectExclusions(on: Checked, wanted: readonly string[]): Promise<void> {
  const { exchange, ids } = await channelExclusions(on);
  expect(exchange, `exclusions ${JSON.stringify(wanted)}`, String(ids) === String(wanted));
}

async function subcategoryIds(on: Checked, least = 0): Promise<readonly string[]> {
  const all = (await on.world.categories()).flatMap(({ subcategories }) => subcategories);
  if (all.length < least) throw new UntoldError(`The network has fewer than ${least} subcategories.`);
  return all.map(({ remote_id }) => remote_id);
}

/** Runs `work`, and puts the exclusions of the channel back, now or at the end. */
async function keepingExclusions(on: Checked, work: () => Promise<void>): Promise<void> {
  const { ids } = await channelExclusions(on);
  const restore = async (): Promise<void> => void expectOk(await on.ask(put(EXCLUSIONS, { subcategory_ids: ids })));
  await on.world.undoing('the exclusions of the channel', restore, work);
}

const isByName = (all: readonly { name: string }[]): boolean => isRising(all.map(({ name }) => name.toLowerCase()));

/** What the Channel API promises. Removing an approved publisher is not among it: nothing could undo that. */
export const CHANNEL_RULES: readonly Rule[] = [
  ...of('channel', [
    reading('C1.no-key', 'A call without a key is refused.', async (on) => {
      for (const path of [LIST, DETAILS, CATEGORIES, detailsOf(NOBODY)])
        expectRefusal(await on.ask({ path, key: 'none' }), 401);
    }),
    rule('C1.no-key-changes', 'Without a key nothing is changed, whatever the body.', async (on) => {
      for (const path of [EXCLUSIONS, exclusionsOf(NOBODY)])
        expectRefusal(await on.ask({ ...put(path, '{"subcategory_ids":'), key: 'none' }), 401);
      expectRefusal(await on.ask({ path: ADD, key: 'none', body: '{"items":' }), 401);
      expectRefusal(await on.ask({ ...remove(NOBODY), key: 'none' }), 401);
    }),
    denied('C1.wrong-key', 'An unknown key is refused.', { path: DETAILS, key: 'wrong' }),
    refusesElsewhere('C1.environment', get(DETAILS)),
    denied('C1.first', 'The key is checked before anything else.', { path: detailsOf(NOBODY), key: 'wrong' }),
    missing('C3.details', 'The details of a publisher of another channel are a 404.', get(detailsOf(NOBODY))),
    reading('C4.shape', 'Categories have a remote_id, a name and subcategories.', async (on) => {
      const exchange = await on.ask(get(CATEGORIES));
      const categories = own(expectOk(exchange), 'categories');
      const isOf = (each: unknown): boolean =>
        typeof own(each, 'remote_id') === 'string' && typeof own(each, 'name') === 'string';
      const all = Array.isArray(categories) ? categories : [undefined];
      const isWhole = all.every(
        (each) => isOf(each) && (own(each, 'subcategories') as unknown[] | undefined)?.every?.(isOf),
      );
      expect(exchange, '{ categories: [{ remote_id, name, subcategories: [{ remote_id, name }] }] }', isWhole);
    }),
    reading('C4.sorted', 'Categories and their subcategories are sorted by name.', async (on) => {
      const exchange = await on.ask(get(CATEGORIES));
      const categories = await on.world.categories();
      expect(exchange, 'categories by name', isByName(categories));
      for (const { subcategories } of categories) expect(exchange, 'subcategories by name', isByName(subcategories));
    }),
    rule('C5.replace', "PUT replaces the channel's exclusions, and an empty list clears them.", (on) =>
      keepingExclusions(on, async () => {
        const [one = '', other = ''] = await subcategoryIds(on, 2);
        for (const wanted of [[other, one], [one], [one], []]) {
          const exchange = await on.ask(put(EXCLUSIONS, { subcategory_ids: wanted }));
          expect(exchange, '200 with { "ok": true }', exchange.status === 200 && own(exchange.json, 'ok') === true);
          await expectExclusions(on, wanted);
        }
      }),
    ),
    rule('C5.duplicates', 'An id that is given twice is stored once.', (on) =>
      keepingExclusions(on, async () => {
        const [one = '', other = ''] = await subcategoryIds(on, 2);
        expectOk(await on.ask(put(EXCLUSIONS, { subcategory_ids: [other, one, other] })));
        await expectExclusions(on, [other, one]);
      }),
    ),
    bad('C6.missing', 'subcategory_ids is required.', put(EXCLUSIONS, {})),
    bad('C6.null', 'subcategory_ids must be a list.', put(EXCLUSIONS, { subcategory_ids: null })),
    bad('C6.text', 'Its elements must be texts.', put(EXCLUSIONS, { subcategory_ids: [1] })),
    bad('C6.unknown', 'An unknown subcategory is refused.', put(EXCLUSIONS, { subcategory_ids: [NOBODY] })),
    rule('C6.category', 'The id of a category is not that of a subcategory.', async (on) => {
      const [category] = await on.world.categories();
      expectRefusal(await on.ask(put(EXCLUSIONS, { subcategory_ids: [category?.remote_id] })), 400);
    }),
    rule('C6.nothing', 'A list with one unknown id changes nothing.', (on) =>
      keepingExclusions(on, async () => {
        const [one = '', other = ''] = await subcategoryIds(on, 2);
        expectOk(await on.ask(put(EXCLUSIONS, { subcategory_ids: [one] })));
        expectRefusal(await on.ask(put(EXCLUSIONS, { subcategory_ids: [other, NOBODY] })), 400);
        await expectExclusions(on, [one]);
      }),
    ),
    missing('C7.unknown', 'The exclusions of an unknown publisher are a 404.', put(exclusionsOf(NOBODY), EMPTY)),
    missing('C7.first', 'An unknown publisher is a 404 even with an invalid body.', put(exclusionsOf(NOBODY), {})),
    rule('C7.replace', "PUT replaces one publisher's exclusions, and leaves the channel's.", async (on) => {
      const { publisher_remote_id: id } = await on.world.publisher();
      const ofPublisher = async () => {
        const exchange = await on.ask(get(detailsOf(id)));
        const lists = own(own(own(expectOk(exchange), 'publisher'), 'exclusions'), 'subcategories');
        const [external, publisher] = [own(lists, 'external'), own(lists, 'publisher')];
        const areLists = Array.isArray(external) && Array.isArray(publisher);
        expect(exchange, 'publisher.exclusions.subcategories: { external: […], publisher: […] }', areLists);
        return { exchange, external, publisher };
      };
      const [before, channel] = [await ofPublisher(), await channelExclusions(on)];
      const [one = '', other = ''] = await subcategoryIds(on, 2);
      const set = async (ids: unknown): Promise<void> =>
        void expectOk(await on.ask(put(exclusionsOf(id), { subcategory_ids: ids })));
      await on.world.undoing(
        `the exclusions of publisher ${id}`,
        () => set(before.publisher),
        async () => {
          await set([other, one, other]);
          expectRefusal(await on.ask(put(exclusionsOf(id), { subcategory_ids: [one, NOBODY] })), 400);
          const { exchange, external, publisher } = await ofPublisher();
          expect(exchange, `exclusions ["${other}","${one}"]`, String(publisher) === `${other},${one}`);
          expect(exchange, "the publisher's own exclusions as before", String(external) === String(before.external));
          await expectExclusions(on, channel.ids);
        },
      );
    }),
    reading('C9.shape', "The channel's details have its name and exclusions.", async (on) => {
      const { exchange } = await channelExclusions(on);
      expect(exchange, 'channel.name', typeof own(own(exchange.json, 'channel'), 'name') === 'string');
    }),
    reading('C10.order', 'The list is sorted, newest first.', async (on) => {
      const { exchange, publishers } = await listed(on, { page_size: '200' });
      const times = publishers.map((each) => Date.parse(String(own(each, 'created_at'))));
      expect(exchange, 'created_at falling', isRising(times.toReversed()));
    }),
    reading('C10.default', 'A page has 50 items by default.', async (on) => {
      const { exchange, publishers, count } = await listed(on, {});
      expect(exchange, `${Math.min(50, count)} items`, publishers.length === Math.min(50, count));
    }),
    reading('C11.200', 'page_size 200 is accepted.', async (on) => void (await listed(on, { page_size: '200' }))),
    ...['201', '0', '-1', '1.5', 'x'].map((value) =>
      bad(`C11.size-${value}`, `page_size ${value} is refused.`, get(LIST, { page_size: value })),
    ),
    ...['0', '-1', 'x'].map((value) =>
      bad(`C11.page-${value}`, `page ${value} is refused.`, get(LIST, { page: value })),
    ),
    reading('C11.beyond', 'A page beyond the end is empty, or a 404.', async (on) => {
      const exchange = await on.ask(get(LIST, { page: '100000' }));
      const publishers = own(exchange.json, 'publishers');
      expect(
        exchange,
        '200 with no publishers and "next": null, or 404',
        exchange.status === 404 ||
          (Array.isArray(publishers) && publishers.length === 0 && own(exchange.json, 'next') === null),
      );
    }),
    reading('C12.walk', 'Walking by next gives each item once, as many as count says.', async (on) => {
      const { count } = await listed(on, { page_size: '1' });
      const size = Math.min(200, Math.max(1, Math.ceil(count / 8)));
      if (count > size * 10) throw new UntoldError(`The channel has ${count} publishers, too many to walk politely.`);
      const seen = new Set<string>();
      let query: string | undefined = `page_size=${size}`;
      let [total, pages] = [0, 0];
      while (query !== undefined) {
        const exchange: Exchange = await on.ask({ path: LIST, query, key: 'management' });
        const json = expectOk(exchange);
        for (const each of (own(json, 'publishers') ?? []) as readonly unknown[]) {
          seen.add(String(own(each, 'publisher_remote_id') ?? own(each, 'pending_publisher_id')));
          total++;
        }
        const next = own(json, 'next') as string | null;
        expect(exchange, 'next: an absolute URL or null', next === null || /^https?:\/\//.test(next));
        query = next === null ? undefined : new URL(next).search.slice(1);
        const isEnd = next === null;
        pages++;
        expect(exchange, `${count} items, each once`, isEnd ? total === count && seen.size === count : total <= count);
        expect(exchange, `an end after ${Math.ceil(count / size)} pages`, isEnd || pages * size < count + size);
      }
    }),
    reading('C12.keeps', 'next and previous keep q and page_size; previous is null on the first page.', async (on) => {
      const { exchange, count } = await listed(on, { page_size: '1', q: 'a & e i o u' });
      expect(exchange, 'previous: null', own(exchange.json, 'previous') === null);
      if (count < 2) throw new UntoldError('Fewer than two publishers match a vowel.');
      const next = new URL(String(own(exchange.json, 'next')));
      const second = await on.ask(get(LIST, next.search.slice(1)));
      const previous = new URL(String(own(expectOk(second), 'previous')));
      for (const [name, { searchParams: query }] of Object.entries({ next, previous })) {
        const isKept = query.get('page_size') === '1' && query.get('q') === 'a & e i o u';
        expect(name === 'next' ? exchange : second, `${name} with page_size=1 and q`, isKept);
      }
      expect(second, 'previous: page 1', (previous.searchParams.get('page') ?? '1') === '1');
    }),
    reading('C13.words', 'q finds each of its words, whatever their case.', async (on) => {
      const { brand_name } = await on.world.publisher();
      const { exchange, publishers } = await listed(on, { q: `zzzzqqq ${brand_name.toUpperCase()}`, page_size: '200' });
      const isThere = publishers.some((each) => own(each, 'brand_name') === brand_name);
      expect(exchange, `"${brand_name}" among the items`, isThere);
    }),
    reading('C13.literal', 'Percent signs, underscores and backslashes in q are no wildcards.', async (on) => {
      for (const q of ['%', '_', '\\']) {
        const { exchange, publishers } = await listed(on, { q, page_size: '200' });
        for (const each of publishers)
          expect(exchange, `only names with ${q}`, String(own(each, 'brand_name')).includes(q));
      }
    }),
    reading('C13.none', 'A word that no name has finds nothing.', async (on) => {
      const { exchange, count } = await listed(on, { q: 'zzzzqqqxxx' });
      expect(exchange, 'count 0', count === 0);
    }),
    reading('C14.no-key', 'An item of the list has no api_key.', async (on) => {
      const { exchange, publishers } = await listed(on, { page_size: '200' });
      for (const each of publishers) expect(exchange, 'items without api_key', own(each, 'api_key') === undefined);
    }),
    reading(
      'C14.ids',
      'An approved item has its publisher_remote_id, a pending one its pending_publisher_id, and no other id.',
      async (on) => {
        const { exchange, publishers } = await listed(on, { page_size: '200' });
        for (const each of publishers) {
          const isApproved = own(each, 'status') === 'APPROVED';
          const ids = [own(each, 'publisher_remote_id') ?? null, own(each, 'pending_publisher_id') ?? null];
          const [id, other] = isApproved ? ids : ids.toReversed();
          expect(
            exchange,
            `the id of "${String(own(each, 'brand_name'))}" alone`,
            typeof id === 'string' && other === null,
          );
        }
      },
    ),
    reading('C15.status', 'status is one of the four, and created_at a time in UTC.', async (on) => {
      const { exchange, publishers } = await listed(on, { page_size: '200' });
      for (const each of publishers) {
        const isKnown = oneOf(PUBLISHER_STATUSES, own(each, 'status')) !== undefined;
        expect(exchange, PUBLISHER_STATUSES.join(', '), isKnown);
        expect(exchange, 'created_at in UTC', /T.*(Z|\+00:00)$/.test(String(own(each, 'created_at'))));
      }
    }),
    reading('C16.approved', 'The details of an approved publisher have its api_key.', async (on) => {
      const { publisher_remote_id: id } = await on.world.publisher();
      const exchange = await on.ask(get(detailsOf(id)));
      const publisher = own(expectOk(exchange), 'publisher');
      expect(exchange, 'publisher.publisher_remote_id', own(publisher, 'publisher_remote_id') === id);
      expect(exchange, 'publisher.api_key', typeof own(publisher, 'api_key') === 'string');
      const upper = await on.ask(get(detailsOf(id.toUpperCase())));
      expect(upper, 'the same details for the id in upper case', upper.text === exchange.text);
    }),
    missing('C16.text', 'Details of what is not a UUID are a 404.', get(detailsOf('nobody'))),
    refusesBodies('C25.not-json', 'A body that is not JSON is refused.', ['{"subcategory_ids":', '']),
    refusesBodies('C25.not-object', 'A body that is not an object is refused.', ['[]', 'null', '"x"', '5']),
    rule('C25.method', 'Another method is a 405 that says which are allowed.', async (on) => {
      for (const [method, path] of [
        ['DELETE', CATEGORIES],
        ['POST', LIST],
        ['GET', EXCLUSIONS],
        ['PUT', DETAILS],
        ['GET', remove(NOBODY).path],
      ] as const) {
        const exchange = await on.ask({ method, path, key: 'management' });
        expectRefusal(exchange, 405);
        expect(exchange, 'an Allow header', exchange.headers.has('allow'));
      }
    }),
    missing('C25.slash', NO_SLASH, get('/adnet/channel/details'), 'any'),
    rule('C25.large', 'A body over 1 MiB is a 413.', async (on) => {
      const exchange = await on.ask(put(EXCLUSIONS, { subcategory_ids: [], filler: 'x'.repeat(1_100_000) }));
      expectRefusal(exchange, 413);
    }),
    rule('C25.unknown', 'Unknown fields are ignored.', (on) =>
      keepingExclusions(
        on,
        async () => void expectOk(await on.ask(put(EXCLUSIONS, { subcategory_ids: [], surprise: 1 }))),
      ),
    ),
    reading('C27.prefix', 'A secret key has the prefix that pages refuse.', async (on) => {
      const exchange = await on.ask(get(DETAILS));
      expect(exchange, 'a key that begins with adnet_sk_', /^adnet_sk_(live|test)_/.test(on.keys.management ?? ''));
    }),
  ]),
  ...of('channel-and-offers', [
    rule('C8.applies', 'An exclusion applies to the next request for offers.', async (on) => {
      const { placed } = await on.world.openSession();
      if (placed.length === 0) throw new UntoldError('The network has no offer for this key.');
      const all = await subcategoryIds(on);
      await keepingExclusions(on, async () => {
        expectOk(await on.ask(put(EXCLUSIONS, { subcategory_ids: all })));
        const { exchange, placed: after } = await on.world.openSession();
        expect(exchange, 'no offer, as all subcategories are excluded', after.length === 0);
        expect(exchange, '"recommendations": {}', isObject(own(exchange.json, 'recommendations')));
      });
    }),
  ]),
];
