import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { shopperCheck, whyUnusable } from '../../../src/wire/offers/prefetched.ts';

const HASH = 'a'.repeat(64);
const REQUEST = {
  user_details: { email_hash: HASH },
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  order_details: { order_id: '1001' },
} as const;
const BLOCK = {
  view: 'THANK_YOU',
  display_mode: 'INLINE',
  order_id: '1001',
  shopper: { email_hash: shopperCheck(HASH, '1001') },
  response: {},
};
const before = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

// The page was opened a second ago, however long ago these tests were.
beforeEach(() => void vi.spyOn(performance, 'now').mockReturnValue(1_000));
afterEach(() => void vi.restoreAllMocks());

test.each<[what: string, block: unknown, why: string]>([
  ['the same order', BLOCK, ''],
  ['an order that is a number', { ...BLOCK, order_id: 1001 }, ''],
  ['another kind of identifier, which says nothing', { ...BLOCK, shopper: { external_guid: '0000' } }, ''],
  ['a shopper that is no check', { ...BLOCK, shopper: ['?'] }, ''],
  ['a response of nine minutes ago', { ...BLOCK, at: before(9) }, ''],
  ['another order', { ...BLOCK, order_id: '1002' }, 'They are for another order'],
  ['no order', { ...BLOCK, order_id: undefined }, 'They are for another order'],
  ['an order that throws', { ...BLOCK, order_id: { toString: 1 } }, 'They are for another order'],
  ['another view', { ...BLOCK, view: 'ORDER_STATUS' }, 'They are for another view'],
  ['another display mode', { ...BLOCK, display_mode: 'OVERLAY' }, 'They are for another display mode'],
  ['another shopper', { ...BLOCK, shopper: { email_hash: 'zzzz' } }, 'They are for another shopper'],
  ['a response of eleven minutes ago', { ...BLOCK, at: before(11) }, 'They are more than ten minutes old'],
  ['a response of the future', { ...BLOCK, at: before(-11) }, 'They are more than ten minutes old'],
  ['a list', [BLOCK], 'They are not JSON'],
  ['nothing', undefined, 'They are not JSON'],
  ['fields of its prototype', JSON.parse('{"__proto__":{"view":"THANK_YOU"}}'), 'They are for another view'],
])('a block with %s: %#', (_, block, why) => {
  expect(whyUnusable(block, REQUEST)).toBe(why);
});

test('an order in another case is another order', () => {
  const order_details = { order_id: 'a-1' };
  expect(whyUnusable({ ...BLOCK, order_id: 'A-1' }, { ...REQUEST, order_details })).toContain('another order');
});

test('without a time, the age of the page decides', () => {
  vi.spyOn(performance, 'now').mockReturnValue(600_001);
  expect(whyUnusable(BLOCK, REQUEST)).toContain('ten minutes');
});
