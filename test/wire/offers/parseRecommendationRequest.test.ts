import { expect, test } from 'vitest';
import { parseRecommendationRequest } from '../../../src/wire/offers/parseRecommendationRequest.ts';
import { DISPLAY_MODES, VIEWS } from '../../../src/wire/offers/request.ts';

const HASH = '86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d';
const least = { user_details: { email_hash: HASH }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } };

function problemsOf(json: unknown): string[] {
  const parsed = parseRecommendationRequest(json);
  return parsed.ok ? [] : parsed.problems.map((problem) => problem.path);
}

function valueOf(json: unknown): object {
  const parsed = parseRecommendationRequest(json);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

test('the minimal request is accepted unchanged', () => {
  expect(valueOf(least)).toStrictEqual(least);
});

test('the full request is accepted; unknown top-level fields are dropped, nested ones kept', () => {
  const whole = {
    user_details: { email_hash: HASH, first_name: 'Jane', loyalty: { tier: 1 } },
    placement_details: { view: 'CHECKOUT', display_mode: 'OVERLAY', widget_id: 'w1', sub_view: 'top', slot: 3 },
    order_details: {
      order_id: '1001',
      cost_details: { amount: '42.50', currency_code: 'EUR', tax: 1 },
      channel: 'web',
    },
    purchases: [{ product_id: 'p1', name: 'Tea', quantity: '2', cost_details: { amount: 4.5 } }],
    attributes: { device_type: 'MOBILE', language: 'de', more: [1] },
    custom_metadata: { is_sandbox: true, test: 'x' },
    shipping: { city: 'Berlin' },
    billing: 'b',
    running_experiments: ['e1'],
  };
  expect(valueOf({ ...whole, api_key: 'x', session_id: 'y' })).toStrictEqual(whole);
});

test.each([[undefined], [null]])('user_details and placement_details are required; %j counts as missing', (none) => {
  expect(problemsOf({ ...least, user_details: none })).toEqual(['user_details']);
  expect(problemsOf({ ...least, placement_details: none })).toEqual(['placement_details']);
});

test('exactly one identifier', () => {
  expect(problemsOf({ ...least, user_details: {} })).toEqual(['user_details']);
  expect(problemsOf({ ...least, user_details: { email: 'a@b.example', phone: '+491' } })).toEqual(['user_details']);
  expect(problemsOf({ ...least, user_details: { first_name: 'Jane' } })).toEqual(['user_details']);
  for (const name of ['email', 'phone', 'external_guid']) {
    expect(valueOf({ ...least, user_details: { [name]: ' a@b.example ' } })).toMatchObject({
      user_details: { [name]: 'a@b.example' },
    });
  }
});

test('blank identifiers are ignored and dropped', () => {
  expect(
    valueOf({ ...least, user_details: { email: '', phone: '  ', external_guid: 'g1', email_hash: null } }),
  ).toStrictEqual({ ...least, user_details: { external_guid: 'g1' } });
  expect(problemsOf({ ...least, user_details: { email: ' ' } })).toEqual(['user_details']);
});

test('an identifier is a string', () => {
  expect(problemsOf({ ...least, user_details: { phone: 491 } })).toEqual(['user_details.phone']);
  expect(problemsOf({ ...least, user_details: { email: {} } })).toEqual(['user_details.email']);
});

test('an email_hash has 64 hex characters; upper case is accepted', () => {
  expect(valueOf({ ...least, user_details: { email_hash: HASH.toUpperCase() } })).toStrictEqual(least);
  for (const email_hash of [HASH.slice(1), `${HASH}0`, 'jane@example.com', `${HASH.slice(1)}g`]) {
    expect(problemsOf({ ...least, user_details: { email_hash } })).toEqual(['user_details.email_hash']);
  }
});

test('every view with every display mode', () => {
  for (const view of VIEWS)
    for (const display_mode of DISPLAY_MODES)
      expect(problemsOf({ ...least, placement_details: { view, display_mode } })).toEqual([]);
});

test.each(['thank_you', 'THANKYOU', '', null, 1, {}, ['THANK_YOU'], 'MODAL'])('view is not %j', (view) => {
  expect(problemsOf({ ...least, placement_details: { view, display_mode: 'INLINE' } })).toEqual([
    'placement_details.view',
  ]);
});

test.each(['inline', 'POPUP', '', null, 1, {}, ['INLINE'], 'toString'])('display_mode is not %j', (display_mode) => {
  expect(problemsOf({ ...least, placement_details: { view: 'THANK_YOU', display_mode } })).toEqual([
    'placement_details.display_mode',
  ]);
});

test('numbers in text fields become strings', () => {
  const parsed = valueOf({ ...least, order_details: { order_id: 1001 }, purchases: [{ product_id: 7, quantity: 2 }] });
  expect(parsed).toMatchObject({
    order_details: { order_id: '1001' },
    purchases: [{ product_id: '7', quantity: '2' }],
  });
});

test('optional fields are null or have the right type', () => {
  expect(
    valueOf({
      ...least,
      order_details: null,
      purchases: null,
      attributes: null,
      custom_metadata: null,
      shipping: null,
    }),
  ).toStrictEqual(least);
  expect(problemsOf({ ...least, order_details: 'x', purchases: {}, attributes: [], custom_metadata: 5 })).toEqual([
    'order_details',
    'purchases',
    'attributes',
    'custom_metadata',
  ]);
  expect(problemsOf({ ...least, purchases: [null, 'x', {}] })).toEqual(['purchases[0]', 'purchases[1]']);
  expect(problemsOf({ ...least, order_details: { cost_details: 5 } })).toEqual(['order_details.cost_details']);
  expect(problemsOf({ ...least, order_details: { cost_details: { amount: -1, currency_code: 'EURO' } } })).toEqual([
    'order_details.cost_details.amount',
    'order_details.cost_details.currency_code',
  ]);
  expect(problemsOf({ ...least, purchases: [{ quantity: {}, cost_details: { amount: 'x' } }] })).toEqual([
    'purchases[0].quantity',
    'purchases[0].cost_details.amount',
  ]);
  expect(problemsOf({ ...least, attributes: { device_type: 'phone', language: {} } })).toEqual([
    'attributes.language',
    'attributes.device_type',
  ]);
  expect(problemsOf({ ...least, custom_metadata: { is_sandbox: 'true' } })).toEqual(['custom_metadata.is_sandbox']);
  expect(problemsOf({ ...least, placement_details: { ...least.placement_details, widget_id: 'a\u0000b' } })).toEqual([
    'placement_details.widget_id',
  ]);
});

test('the parser does not modify its input', () => {
  const json = {
    user_details: { email: ' A@b.example ', phone: '' },
    placement_details: { ...least.placement_details },
    purchases: [{ quantity: 2 }],
  };
  const copy = structuredClone(json);
  parseRecommendationRequest(json);
  expect(json).toEqual(copy);
});

test.each([null, undefined, 'x', 5, [], [least]])('a request is an object, not %j', (json) => {
  expect(problemsOf(json)).toEqual(['']);
});

test('a thousand bad purchases produce twenty problems', () => {
  expect(problemsOf({ ...least, purchases: Array.from({ length: 1_000 }, () => 5) })).toHaveLength(20);
});

test('a text field has at most 1,000 characters', () => {
  expect(problemsOf({ ...least, attributes: { user_agent: 'x'.repeat(1_000) } })).toEqual([]);
  expect(problemsOf({ ...least, attributes: { user_agent: 'x'.repeat(1_001) } })).toEqual(['attributes.user_agent']);
});
