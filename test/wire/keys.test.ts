import { expect, test } from 'vitest';
import { hideKey, isInTheClear, looksSecret, readKey, refuseBrowser } from '../../src/wire/keys.ts';

test.each([
  ['adnet_sk_live_abc', 'secret', 'production'],
  ['adnet_pk_test_abc', 'publishable', 'staging'],
  ['adnet_rk_live_abc', 'integration', 'production'],
  ['adnet_rp_test_abc', 'partner_wide', 'staging'],
])('%s is a %s key of %s', (key, family, environment) => {
  expect(readKey(key)).toEqual({ family, environment });
});

test.each([
  '',
  'abc',
  'adnet_sk_live_',
  'adnet_xx_live_a',
  'adnet_sk_prod_a',
  ' adnet_sk_live_a',
  'adnet_sk_live_a b',
  'ADNET_SK_LIVE_A',
])('%j is not a key', (key) => {
  expect(readKey(key)).toBeUndefined();
});

test('every key except the publishable one looks secret, anywhere in a text', () => {
  expect(['adnet_sk_test_a', 'key=adnet_rk_live_a', '"adnet_rp_test_a"'].map(looksSecret)).toEqual([true, true, true]);
  expect(['adnet_pk_live_a', 'sk_live_a', ''].map(looksSecret)).toEqual([false, false, false]);
});

test('a key is hidden in any letter case, and its characters are not read as a pattern', () => {
  expect(hideKey('A.b+ a.B+ axb', 'a.b+')).toBe('[key] [key] axb');
  expect(hideKey('nothing', '')).toBe('nothing');
});

test.each([
  ['http://shop.example/', undefined, true],
  ['http://shop.example/', 'production', true],
  ['http://shop.example/', 'staging', false],
  ['http://localhost:4600/', 'production', false],
  ['https://shop.example/', 'production', false],
] as const)('%s, key of %s, would carry it in the clear: %s', (url, environment, isClear) => {
  expect(isInTheClear(new URL(url), environment)).toBe(isClear);
});

test('a page is refused, and nothing else is', () => {
  const refused = /^offerlet\/relay holds a secret key and must not run in a browser/;
  expect(() => refuseBrowser('offerlet/relay', { window: {}, document: {} })).toThrow(refused);
  for (const scope of [{}, { window: {} }, { document: {} }, undefined])
    expect(() => refuseBrowser('offerlet/relay', scope)).not.toThrow();
});
