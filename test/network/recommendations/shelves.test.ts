import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  explainChoice,
  shelve,
  type ChoiceOptions,
  type OfferRow,
} from '../../../src/network/recommendations/shelves.ts';

const NONE: ReadonlySet<string> = new Set();

function offer(offer_id: string, fields: Partial<OfferRow> & { language?: string | undefined } = {}): OfferRow {
  const { language, ...rest } = fields;
  return {
    offer_id,
    advertiser_id: 'a',
    advertiser_name: 'A',
    logo_url: '',
    description: null,
    subcategory_id: 'tea',
    heading: offer_id,
    target_url: '',
    details: {
      cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
      ...(language === undefined ? {} : { language }),
    },
    expected_value: 1,
    active: true,
    ...rest,
  };
}

function choose(offers: readonly OfferRow[], options: Partial<ChoiceOptions> = {}, spent = NONE): string[] {
  return shelve(offers, spent)
    .choose({ session_id: 'session', exclusions: NONE, ...options })
    .map(({ offer_id }) => offer_id);
}

const catalogue = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 10_000 }),
    subcategory_id: fc.constantFrom('tea', 'wine', 'toys'),
    language: fc.constantFrom(undefined, 'de', 'fr'),
    expected_value: fc.constantFrom(0, 1e-9, 0.1, 1, 1, 3.3, 1e6, 1e12),
    active: fc.boolean(),
    isSpent: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
);

test('of any catalogue a session gets as many eligible offers as there are, none twice, its language first, the dearest first', () => {
  fc.assert(
    fc.property(
      catalogue,
      fc.uuid(),
      fc.subarray(['tea', 'wine', 'toys']),
      fc.constantFrom(undefined, 'de', 'de-AT', 'xx'),
      fc.integer({ min: 1, max: 12 }),
      (entries, session_id, excluded, language, maxOffers) => {
        const offers = entries.map(({ id, subcategory_id, language: its, expected_value, active }) =>
          offer(String(id), { subcategory_id, language: its, expected_value, active }),
        );
        const spent = new Set(entries.flatMap(({ id, isSpent }) => (isSpent ? [String(id)] : [])));
        const exclusions = new Set(excluded);
        const wanted = language?.slice(0, 2);
        const options = { session_id, exclusions, language, maxOffers };
        const eligible = new Set(
          entries
            .filter((one) => one.active && !one.isSpent && !exclusions.has(one.subcategory_id))
            .filter((one) => wanted === undefined || one.language === undefined || one.language === wanted)
            .map(({ id }) => String(id)),
        );
        const shown = choose(offers, options, spent);
        expect(choose(offers, options, spent)).toEqual(shown);
        expect(new Set(shown).size).toBe(shown.length);
        expect(shown.length).toBe(Math.min(eligible.size, maxOffers, 10));
        expect(shown.filter((id) => !eligible.has(id))).toEqual([]);
        const ranks = shown.map((id) => {
          const found = offers.find(({ offer_id }) => offer_id === id);
          return [wanted !== undefined && found?.details.language === wanted ? 0 : 1, -(found?.expected_value ?? 0)];
        });
        expect(ranks).toEqual(ranks.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
        const choice = { catalogue: '', budgets: '', excluded, language, max_offers: maxOffers, shown };
        const explained = explainChoice(offers, spent, choice);
        expect(explained.filter(({ reason }) => reason === 'shown' || reason === 'outdrawn').length).toBe(
          eligible.size,
        );
      },
    ),
  );
});

test('beside an offer whose value hides the sum of the others, these are drawn as well', () => {
  const offers = [1e12, 0, 0].map((expected_value, index) => offer(String(index), { expected_value }));
  const session_id = '00000000-0000-1000-8000-000000000000';
  expect(new Set(choose(offers, { session_id, maxOffers: 3 }))).toEqual(new Set(['0', '1', '2']));
});

test('offers are drawn one after the other, each in proportion to its share of what is left', () => {
  const values = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 4],
  ]);
  const offers = [...values].map(([id, expected_value], index) =>
    offer(id, { expected_value, subcategory_id: index % 2 === 0 ? 'tea' : 'wine' }),
  );
  const shelves = shelve(offers, NONE);
  const counts = new Map<string, number>();
  const rounds = 40_000;
  for (let round = 0; round < rounds; round += 1) {
    const pair = shelves.choose({ session_id: `session ${round}`, exclusions: NONE, maxOffers: 2 });
    const name = pair.map(({ offer_id }) => offer_id).join('');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  // Either may be the first: P(x, then y) = x/10 × y/(10 − x).
  for (const [one, x] of values)
    for (const [other, y] of values) {
      if (x <= y) continue;
      const expected = (x / 10) * (y / (10 - x)) + (y / 10) * (x / (10 - y));
      const deviation = Math.sqrt((expected * (1 - expected)) / rounds);
      expect(Math.abs((counts.get(one + other) ?? 0) / rounds - expected)).toBeLessThan(4 * deviation);
    }
});

test('offers of the same value are in no fixed order', () => {
  const shelves = shelve([offer('a'), offer('b')], NONE);
  const firsts = Array.from({ length: 100 }, (_, round) =>
    shelves.choose({ session_id: `session ${round}`, exclusions: NONE }),
  ).map(([first]) => first?.offer_id);
  expect(new Set(firsts)).toEqual(new Set(['a', 'b']));
});

test('a session reads as many offers of ten thousand as of forty', () => {
  const readsOf = (size: number): number => {
    let reads = 0;
    const offers = Array.from({ length: size }, (_, index) =>
      Object.defineProperty({ ...offer(`o${index}`, { subcategory_id: `s${index % 36}` }) }, 'expected_value', {
        get: () => {
          reads += 1;
          return 1 + (index % 7);
        },
      }),
    );
    const shelves = shelve(offers, NONE);
    reads = 0;
    for (let session = 0; session < 50; session += 1)
      expect(shelves.choose({ session_id: `session ${session}`, exclusions: NONE })).toHaveLength(10);
    return reads;
  };
  // Sorting ten offers compares a few more or fewer.
  expect(readsOf(10_000)).toBeLessThan(1.2 * readsOf(40));
});
