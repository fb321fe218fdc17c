import { expect, test } from 'vitest';
import { safeUrl } from '../../src/wire/offers/readRecommendations.ts';

const REFUSED = [
  'javascript:alert(1)',
  'JAVASCRIPT:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  'java\r\nscript:alert(1)',
  'javascript\n:alert(1)',
  'javascript://x.example/%0aalert(1)',
  'javascript:https://x.example',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'DATA:image/svg+xml;base64,AAAA',
  'blob:https://x.example/1',
  'filesystem:https://x.example/1',
  'view-source:https://x.example',
  'about:blank',
  'file:///etc/passwd',
  'http://x.example/',
  'ftp://x.example/',
  'ws://x.example/',
  'wss://x.example/',
  'mailto:a@x.example',
  'tel:123',
  'intent://x#Intent;end',
  'https://user@x.example/',
  'https://user:word@x.example/',
  'https://:word@x.example/',
  'https://x.example@evil.example/',
  'https://',
  'https://[::1',
  'https://x.example:99999/',
  'https://x y.example/',
  '//x.example/',
  '/path',
  'path',
  '?q',
  '#f',
  '',
  ' ',
  'https:',
  '&#106;avascript:alert(1)',
  'javascript&colon;alert(1)',
  'http://127.0.0.1/',
  'http://localhost/',
  'https://%00.example/',
  `https://x.example/${'a'.repeat(8192)}`,
] as const;

test.each(REFUSED)('%j is refused', (address) => {
  expect(safeUrl(address)).toBeUndefined();
});

const NOT_TEXT: readonly unknown[] = [
  null,
  undefined,
  0,
  1,
  true,
  {},
  [],
  ['https://x.example/'],
  { href: 'https://x.example/' },
  { toString: () => 'https://x.example/' },
];

test('a value that is not a string is refused', () => {
  for (const value of NOT_TEXT) expect(safeUrl(value)).toBeUndefined();
});

test.each([
  ['https://x.example', 'https://x.example/'],
  ['HTTPS://X.EXAMPLE/Path?q=1#f', 'https://x.example/Path?q=1#f'],
  ['  https://x.example/  ', 'https://x.example/'],
  ['ht\ntps://x.example/', 'https://x.example/'],
  ['https:x.example', 'https://x.example/'],
  ['https:\\\\x.example\\a', 'https://x.example/a'],
  ['https://x.example/"><script>', 'https://x.example/%22%3E%3Cscript%3E'],
  ['https://bücher.example/ä', 'https://xn--bcher-kva.example/%C3%A4'],
  ['https://x.example:8443/?u=javascript:alert(1)', 'https://x.example:8443/?u=javascript:alert(1)'],
])('%j becomes %j', (address, href) => {
  expect(safeUrl(address)).toBe(href);
});

test.each([
  'http://127.0.0.1:4600/a',
  'http://127.9.9.9/',
  'http://localhost:4600/',
  'http://shop.localhost/',
  'http://[::1]:4600/',
])('a sandbox accepts %s', (address) => {
  expect(safeUrl(address, { allowLoopback: true })).toBe(address);
  expect(safeUrl(address)).toBeUndefined();
});

test.each([
  'http://127.0.0.1.evil.example/',
  'http://localhost.evil.example/',
  'http://evil-localhost/',
  'http://x.example/',
  'http://u@localhost/',
  'ws://localhost/',
])('a sandbox refuses %s too', (address) => {
  expect(safeUrl(address, { allowLoopback: true })).toBeUndefined();
});

test('a URL that escaping makes longer than 8 KB is refused', () => {
  expect(safeUrl(`https://x.example/${'ä'.repeat(2000)}`)).toBeUndefined();
});

test('a URL of exactly 8 KB is accepted', () => {
  const address = `https://x.example/${'a'.repeat(8192 - 18)}`;
  expect(address).toHaveLength(8192);
  expect(safeUrl(address)).toBe(address);
  expect(safeUrl(`${address}a`)).toBeUndefined();
});
