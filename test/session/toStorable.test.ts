import { expect, test } from 'vitest';
import { toStorable } from '../../src/session/findOffers.ts';
import { isObject } from '../../src/wire/json.ts';
import { readRecommendations } from '../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../src/wire/offers/response.ts';
import { item, offerOf, read } from '../wire/offers/responses.ts';

const asset = { id: 'p', asset_type: 'PRODUCT', image_url: 'https://cdn.example/p.png', insertion_order: 2 };
const rich = offerOf(
  'a',
  {
    subheading: 'Fresh coffee',
    metadata: { type: 'PROMO_CODE', code: 'LARK' },
    assets: [{ ...asset, id: 'q', target_url: 'https://shop.example/q' }, asset],
    disclosure_details: { copy: 'Terms', content: 'All of them', target_url: 'https://shop.example/terms' },
  },
  { description: 'Roasters' },
);
const response = {
  recommendations: { a: rich, b: offerOf('b'), __proto__x: offerOf('__proto__x') },
  recommendation_groups: [
    { id: 'hero', slot_context: 'HERO', heading: 'For you', items: [item('b', 1), item('a', 0)] },
    {
      id: 'list',
      slot_context: 'SCROLLABLE',
      items: [{ ...item('a', 7), insertion_id: 'again' }, item('__proto__x', 3)],
    },
  ],
  footer: {
    attribution_details: { copy: 'By', net_logo_url: 'https://cdn.example/n.svg', target_url: 'https://net.example/' },
    privacy_policy: { copy: 'Privacy', target_url: 'https://net.example/privacy' },
  },
  sandbox: true,
};

function readBack(stored: unknown): SafeResponse {
  const parsed = readRecommendations(JSON.parse(JSON.stringify(stored)));
  if (!parsed.ok) throw new Error('not readable');
  return parsed.value;
}

test('a stored response reads as it was', () => {
  const first = read(response);
  expect(first.groups.flatMap(({ offers }) => offers)).toHaveLength(4);
  expect(readBack(toStorable(first))).toEqual(first);
});

test('no unknown field of a response is stored, at any depth', () => {
  const planted = JSON.stringify(response, (_, value: unknown) =>
    isObject(value) ? { ...value, email: 'canary@example.com', user: 'canary' } : value,
  );
  const stored = toStorable(read(JSON.parse(planted) as object));
  expect(readBack(stored).groups).toHaveLength(2);
  expect(JSON.stringify(stored)).not.toContain('canary');
});
