import { expect, test } from 'vitest';
import { CallError, failureOf } from '../../../src/operator/console/page/app/call.ts';
import { searchCategories } from '../../../src/operator/console/page/exclusions/CategoryTree.tsx';
import { exclusionDiff } from '../../../src/operator/console/page/exclusions/ExclusionsPage.tsx';
import { ChannelClient } from '../../../src/operator.ts';
import { addPublishers, type AddOutcome } from '../../../src/operator/publishers/addPublishers.ts';
import { previewList } from '../../../src/operator/console/page/publishers/AddPage.tsx';
import type { AddResult, PublisherItem } from '../../../src/wire/channel.ts';
import { freePort } from '../../fixtures/serve.ts';

const CATEGORIES = [
  { remote_id: 'c1', name: 'Home & Garden', subcategories: [{ remote_id: 's1', name: 'Candles' }] },
  { remote_id: 'c2', name: 'Pets', subcategories: [{ remote_id: 's2', name: 'Pet Food' }] },
];
const HEAD = 'brand_name,domain,primary_category,subcategories\n';
const problemOf = (line: string): string => {
  const [publisher] = previewList(HEAD + line, CATEGORIES).publishers;
  return publisher && 'problem' in publisher ? publisher.problem : '';
};

test('a row becomes an item, its categories by name or id', () => {
  expect(previewList(`${HEAD}One,one.example,home & garden,Candles;s2`, CATEGORIES).publishers[0]).toMatchObject({
    item: { brand_name: 'One', domain: 'one.example', primary_category_id: 'c1', subcategory_ids: ['s1', 's2'] },
  });
});

test.each([
  [',one.example,Pets,Pet Food', 'brand_name is missing'],
  ['One,one,Pets,Pet Food', 'domain is not a domain: "one". Use something like shop.example.'],
  ['One,one.example,Pests,Pet Food', 'primary_category_id is not a category: "Pests". Did you mean Pets?'],
  ['One,one.example,Pets,', 'subcategory_ids is empty'],
  ['One,one.example,Pets,Wheels', 'subcategory_ids: "Wheels" is not a subcategory.'],
  ['One,one.example,Pets,Candles', 'subcategory_ids needs one of the category Pets'],
])('a mistake is found before anything is sent: %s', (line, problem) => {
  expect(problemOf(line)).toBe(problem);
});

test('a subcategory that two categories have is not guessed', () => {
  const both = CATEGORIES.map((category) => ({
    ...category,
    subcategories: [...category.subcategories, { remote_id: `${category.remote_id}-gifts`, name: 'Gifts' }],
  }));
  const preview = (words: string) => previewList(`${HEAD}One,one.example,Pets,Pet Food;${words}`, both).publishers[0];
  expect(preview('Gifts')).toMatchObject({ item: { subcategory_ids: ['s2', 'c2-gifts'] } });
  const other = [...both, { remote_id: 'c3', name: 'Food', subcategories: [{ remote_id: 's3', name: 'Tea' }] }];
  expect(previewList(`${HEAD}One,one.example,Food,Tea;Gifts`, other).publishers[0]).toMatchObject({
    problem: 'subcategory_ids: "Gifts" is ambiguous: "Home & Garden / Gifts" or "Pets / Gifts".',
  });
});

test('a publisher that is in the list twice is requested once', () => {
  const line = 'One,one.example,Pets,Pet Food\n';
  const other = 'ONE ,https://www.one.example/shop,Pets,Pet Food\n';
  const { publishers } = previewList(HEAD + line + line.toUpperCase() + other, CATEGORIES);
  expect(publishers.map((one) => ('problem' in one ? one.problem : 'fine'))).toEqual([
    'fine',
    'is in line 2 already',
    'is in line 2 already',
  ]);
});

const ITEMS = Array.from({ length: 120 }, (_, index): PublisherItem => ({
  brand_name: `Brand ${index}`,
  domain: `brand-${index}.example`,
  primary_category_id: 'c1',
  subcategory_ids: ['s1'],
}));
const created = (items: readonly PublisherItem[]): AddResult[] =>
  items.map(({ brand_name, domain }) => ({ brand_name, domain, status: 'created', create_request: {} }) as AddResult);

test('items are sent in batches of 50, and one that is refused does not keep the others out', async () => {
  const sizes: number[] = [];
  const outcomes = new Map<number, AddOutcome>();
  await addPublishers({
    items: ITEMS,
    failureOf,
    onOutcome: (index, outcome) => outcomes.set(index, outcome),
    async send(items) {
      sizes.push(items.length);
      if (items.some(({ brand_name }) => brand_name === 'Brand 60'))
        throw new CallError({
          kind: 'invalid',
          message: 'refused',
          fields: [{ path: 'items', message: 'bad domain' }],
        });
      return created(items);
    },
  });
  expect(sizes.slice(0, 2)).toEqual([50, 50]);
  expect(outcomes.get(60)).toEqual({ status: 'invalid', reason: 'items: bad domain' });
  expect([...outcomes.values()].filter(({ status }) => status === 'added')).toHaveLength(119);
});

test('when responses end, what was in flight is unknown, and the rest was not sent', async () => {
  const outcomes = new Map<number, AddOutcome>();
  const adding = addPublishers({
    items: ITEMS,
    failureOf,
    onOutcome: (index, outcome) => outcomes.set(index, outcome),
    wait: async () => undefined,
    async send(items) {
      if (items[0]?.brand_name !== 'Brand 0') throw new CallError({ kind: 'unreachable', message: 'gone' });
      return created(items);
    },
  });
  await expect(adding).rejects.toMatchObject({ failure: { kind: 'unreachable' } });
  const count = (status: string) => [...outcomes.values()].filter((one) => one.status === status).length;
  expect([count('added'), count('unknown'), count('not sent')]).toEqual([50, 50, 20]);
});

test('a refused key leaves nothing unknown: nothing was done', async () => {
  const outcomes: AddOutcome[] = [];
  const adding = addPublishers({
    items: ITEMS.slice(0, 2),
    failureOf,
    onOutcome: (_, outcome) => outcomes.push(outcome),
    wait: () => Promise.reject(new Error('it is tried again')),
    send: () => Promise.reject(new CallError({ kind: 'key_refused', message: 'no', status: 401 })),
  });
  await expect(adding).rejects.toMatchObject({ failure: { status: 401 } });
  expect(outcomes.map(({ status }) => status)).toEqual(['not sent', 'not sent']);
});

test('a network that is gone ends the adding at once: nothing was sent, so nothing is unknown', async () => {
  const statuses: string[] = [];
  const networkUrl = `http://127.0.0.1:${await freePort()}`;
  const gone = new ChannelClient({ networkUrl, apiKey: 'adnet_sk_test_1', maxRetries: 0 });
  const adding = gone.addAll(ITEMS.slice(0, 2), { onOutcome: (_, { status }) => void statuses.push(status) });
  await expect(adding).rejects.toMatchObject({ code: 'refused' });
  expect(statuses).toEqual(['not sent', 'not sent']);
});

test('a diff names what is added and removed, whatever the order', () => {
  expect(exclusionDiff(['a', 'b'], ['c', 'a'])).toEqual({ added: ['c'], removed: ['b'] });
  expect(exclusionDiff(['a', 'b'], ['b', 'a'])).toEqual({ added: [], removed: [] });
});

test('a search finds categories, and subcategories with their category', () => {
  expect(searchCategories(CATEGORIES, 'garden')).toEqual([CATEGORIES[0]]);
  expect(searchCategories(CATEGORIES, 'FOOD pet')).toEqual([CATEGORIES[1]]);
  expect(searchCategories(CATEGORIES, 'nothing')).toEqual([]);
});
