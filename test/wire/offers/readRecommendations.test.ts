import { describe, expect, test } from 'vitest';
import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import { item, offerOf, read, shape, three } from './responses.ts';

describe('what cannot be shown', () => {
  test('an item without a matching offer is left out; the others are shown', () => {
    const response = read({ recommendation_groups: [{ id: 'g', items: [item('zz', 0), item('a', 1), null, 5, {}] }] });
    expect(shape(response)).toEqual([['g', ['a/ins_a']]]);
    expect(response.left_out).toEqual([{ offer_id: 'zz', reason: 'offer_id is not in recommendations' }]);
  });

  test.each([
    ['a script target', offerOf('x', { target_url: 'javascript:alert(1)' }), 'offer.target_url'],
    ['no target', offerOf('x', { target_url: undefined }), 'offer.target_url'],
    ['a heading that is an object', offerOf('x', { heading: { toString: 'x' } }), 'offer.heading'],
    ['an empty heading', offerOf('x', { heading: ' \u0000 ' }), 'offer.heading'],
    ['no advertiser name', offerOf('x', {}, { name: 5 }), 'advertiser.name'],
    ['no advertiser id', offerOf('x', {}, { id: null }), 'advertiser.id'],
    ['no call to action', offerOf('x', { cta_details: null }), 'offer.cta_details'],
    ['no way to decline', offerOf('x', { cta_details: { accept_copy: 'Yes' } }), 'offer.cta_details'],
    ['no parts', {}, 'advertiser.name'],
    ['null', null, 'advertiser.name'],
    ['a list', [], 'advertiser.name'],
    ['a string', 'offer', 'advertiser.name'],
  ])('an offer with %s is left out with a reason; the others are shown', (_, x, reason) => {
    const response = read({ recommendations: { x, a: three.a } });
    expect(shape(response)).toEqual([['group_0', ['a/a']]]);
    expect(response.left_out).toHaveLength(1);
    expect(response.left_out[0]?.offer_id).toBe('x');
    expect(response.left_out[0]?.reason).toContain(reason);
  });

  test('a group without offers is dropped', () => {
    expect(
      shape(
        read({
          recommendation_groups: [
            { id: 'g', items: [] },
            { id: 'h', items: [item('a', 0)] },
          ],
        }),
      ),
    ).toEqual([['h', ['a/ins_a']]]);
  });

  test('an insertion_id is used once', () => {
    const response = read({ recommendation_groups: [{ id: 'g', items: [item('a', 0), item('a', 1)] }] });
    expect(shape(response)).toEqual([['g', ['a/ins_a']]]);
    expect(response.left_out[0]?.reason).toContain('insertion_id');
  });

  test('of 10,000 offers 20 are used and 50 reasons are reported', () => {
    const recommendations = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`o${index}`, offerOf(`o${index}`)]),
    );
    const response = read({ recommendations });
    expect(response.groups[0]?.offers).toHaveLength(20);
    expect(response.left_out).toHaveLength(50);
  });

  test('any number of bad offers does not hide the good one after them', () => {
    const recommendations = {
      ...Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`o${index}`, {}])),
      good: offerOf('good'),
    };
    expect(shape(read({ recommendations }))).toEqual([['group_0', ['good/good']]]);
  });
});

test('a response without offers is valid', () => {
  expect(read({ recommendations: {}, recommendation_groups: [] })).toEqual({
    session_id: 's1',
    groups: [],
    footer: {},
    sandbox: false,
    left_out: [],
  });
  expect(readRecommendations({ session_id: 's1' }).ok).toBe(true);
});

test.each([
  null,
  undefined,
  [],
  'x',
  5,
  {},
  { session_id: '' },
  { session_id: {} },
  { session_id: 's', recommendations: [] },
  { session_id: 's', recommendations: 'x' },
])('a response whose events could not be attributed is refused: %j', (json) => {
  expect(readRecommendations(json).ok).toBe(false);
});

test('every optional field is read', () => {
  const asset = (id: string, insertion_order: number, fields: object = {}): object => ({
    id,
    asset_type: 'IMAGE',
    image_url: `https://cdn.example/${id}.png`,
    insertion_order,
    should_trigger_claim_flow: false,
    ...fields,
  });
  const product = { asset_type: 'PRODUCT', target_url: 'https://shop.example/1', should_trigger_claim_flow: true };
  const [first, second] = [asset('t1', 1, product), asset('t2', 2)];
  const unusable = [asset('t3', 3, { asset_type: 'VIDEO' }), asset('t4', 4, { image_url: 'data:image/png;base64,AA' })];
  const parts = {
    subheading: 'Sub',
    cta_details: {
      accept_copy: 'Yes',
      decline_copy: 'No',
      transition_copy: 'One moment',
      claimed_accept_copy: 'Open',
      claimed_decline_copy: 'Close',
    },
    metadata: { type: 'PROMO_CODE', code: 'SAVE20', layout_type: 'WIDE' },
    disclosure_details: { copy: 'Terms', target_url: 'https://shop.example/terms', content: 'Long terms' },
  };
  const attribution = { copy: 'Offers by', target_url: 'https://network.example/' };
  const privacy_policy = { copy: 'Privacy', target_url: 'https://network.example/privacy' };
  const response = read({
    sandbox: true,
    recommendations: {
      a: offerOf('a', { ...parts, assets: [second, first, ...unusable] }, { description: 'Since 1900' }),
    },
    footer: {
      attribution_details: { ...attribution, network_logo_url: 'https://cdn.example/n.svg' },
      privacy_policy,
    },
  });
  expect(response).toEqual({
    session_id: 's1',
    sandbox: true,
    left_out: [],
    footer: { attribution_details: { ...attribution, logo_url: 'https://cdn.example/n.svg' }, privacy_policy },
    groups: [
      {
        id: 'group_0',
        offers: [
          {
            insertion_id: 'a',
            offer_id: 'a',
            advertiser_id: 'adv_a',
            ...offerOf('a', { ...parts, assets: [first, second] }, { description: 'Since 1900' }),
          },
        ],
      },
    ],
  });
});

test('optional fields of the wrong type are ignored and cost no offer', () => {
  const wrong = { subheading: {}, metadata: 'x', assets: {}, disclosure_details: [], id: {} };
  const response = read({
    recommendations: { a: offerOf('a', wrong, { logo_url: 'javascript:1', description: 5 }) },
    footer: { attribution_details: 5, privacy_policy: { copy: {} } },
  });
  expect(response.groups[0]?.offers[0]).toEqual({
    insertion_id: 'a',
    offer_id: 'a',
    advertiser_id: 'adv_a',
    advertiser: { id: 'adv_a', name: 'Brand a' },
    offer: {
      id: 'a',
      heading: 'Heading a',
      target_url: 'https://shop.example/a',
      cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
    },
  });
  expect(response.footer).toEqual({});
});

test('http on loopback passes in a sandbox only', () => {
  const recommendations = {
    a: offerOf('a', { target_url: 'http://127.0.0.1:4600/t' }, { logo_url: 'http://127.0.0.1:4600/l.svg' }),
  };
  expect(read({ recommendations }).groups).toEqual([]);
  const offer = read({ recommendations }, { allowLoopback: true }).groups[0]?.offers[0];
  expect(offer?.offer.target_url).toBe('http://127.0.0.1:4600/t');
  expect(offer?.advertiser.logo_url).toBe('http://127.0.0.1:4600/l.svg');
});

test('only sandbox: true means sandbox', () => {
  expect(read({ sandbox: 'true' }).sandbox).toBe(false);
  expect(read({ sandbox: 1 }).sandbox).toBe(false);
});
