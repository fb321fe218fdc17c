import { expect, test } from 'vitest';
import { maskUrl } from '../../src/inspector/writeReport.ts';
import { MASK, maskRequest } from '../../src/inspector/observePage.ts';

test('only the placement and the sandbox mark of a request stay readable', () => {
  const masked = maskRequest({
    user_details: { email_hash: 'abc', first_name: 'Jane', address: { city: 'Bristol' } },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', note: 'Jane' },
    order_details: { order_id: '4711', cost_details: { amount: 12, currency_code: 'EUR' } },
    purchases: [{ name: 'Beans', quantity: '2' }],
    custom_metadata: { is_sandbox: true, clerk: 'Jim' },
    shipping: 'Harbour Walk',
  });
  expect(masked).toEqual({
    user_details: { email_hash: MASK, first_name: MASK, address: { city: MASK } },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', note: MASK },
    order_details: { order_id: MASK, cost_details: { amount: MASK, currency_code: MASK } },
    purchases: [{ name: MASK, quantity: MASK }],
    custom_metadata: { is_sandbox: true, clerk: MASK },
    shipping: MASK,
  });
});

test('segments of a URL that may identify an order or a person are masked', () => {
  expect(maskUrl('https://shop.example/en/orders/4711?token=x#y')).toBe('https://shop.example/en/orders/…');
  expect(maskUrl('https://shop.example/of/jane%40example.com')).toBe('https://shop.example/of/…');
});
