import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../src/text/printable.ts';
import { HASH, json, KEY, REQUEST, setUp } from '../relay/scriptedNetwork.ts';

const hex = (character: string, digits = 2): string => character.charCodeAt(0).toString(16).padStart(digits, '0');
const each =
  (write: (character: string) => string) =>
  (text: string): string =>
    Array.from(text, write).join('');

const DISGUISES: Readonly<Record<string, (text: string) => string>> = {
  capitals: (text) => text.toUpperCase(),
  JSON: each((c) => `\\u${hex(c, 4)}`),
  'a JSON string': (text) => JSON.stringify(text),
  'a URL': each((c) => `%${hex(c)}`),
  'a URL, where it is needed': encodeURIComponent,
};

describe('the key', () => {
  test('is not taken for what only resembles it', () => {
    const { isIn } = createSecrets(KEY);
    for (const text of [KEY.slice(0, -1), [...KEY].join(' '), JSON.stringify({ text: 'Grüße & 100 % ☕' })])
      expect(isIn(text)).toBe(false);
  });

  test.each([
    ['one letter', (size: number) => 'x'.repeat(size)],
    ['backslashes', (size: number) => '\\'.repeat(size)],
    ['escaped percent signs', (size: number) => '%25'.repeat(size / 3)],
  ])('is looked for in 1 MiB of %s in a time that grows with the text only', (_, write) => {
    const { isIn } = createSecrets(KEY);
    const least = (size: number): number => {
      const text = write(size);
      const times = Array.from({ length: 5 }, () => {
        const begun = performance.now();
        expect(isIn(text)).toBe(false);
        return performance.now() - begun;
      });
      return Math.min(...times);
    };
    // If it grew with its square, 256 times.
    expect(least(1024 * 1024) / least(64 * 1024)).toBeLessThan(100);
  });
});

describe('a line of log', () => {
  const { redact } = createSecrets(KEY);

  test.each([
    ['jane.doe@shop.example is unknown', '[email] is unknown'],
    ['jane.doe\uFF20shop.example is unknown', '[email] is unknown'],
    ['jane.doe%40shop.example is unknown', '[email] is unknown'],
    ['"jane.doe\\u0040shop.example"', '"[email]"'],
    [`hash_${HASH}`, 'hash_[hash]'],
    [`${HASH}_hash`, '[hash]_hash'],
    [`key${HASH.toUpperCase()}`, 'key[hash]'],
    ['+41 79 123 45 67 is unknown', '[phone] is unknown'],
    ['adnet_sk_live_0123', '[key]'],
    ['x_adnet_rp_test_0123.', 'x_[key].'],
    [KEY.toUpperCase(), '[key]'],
    [`got ${KEY}`, 'got [key]'],
    ['one\nlevel=info two', 'one level=info two'],
    ['one%0Ajane@shop.example', 'one [email]'],
    [
      'nothing to hide: 50%25 off, 1048576 bytes, 2026-11-21T09:00:00Z',
      'nothing to hide: 50%25 off, 1048576 bytes, 2026-11-21T09:00:00Z',
    ],
  ])('of "%s" is "%s"', (text, line) => {
    expect(redact(text)).toBe(line);
  });

  test.each(['', 'u:', 'ab'])('never contains the key in Base64, after "%s"', (before) => {
    const line = redact(`Authorization: Basic ${btoa(`${before}${KEY}:x`)} ${btoa(KEY)}`);
    expect(line).toMatch(/^Authorization: Basic \S{0,3}\[key\]\S{0,6} \[key\]\S{0,3}$/);
  });

  test.each(Object.entries(DISGUISES))('never contains the key in %s', (_, disguise) => {
    const line = redact(`failed: ${disguise(KEY)}`);
    expect(line).toMatch(/^(failed: )?"?\[(key|withheld: it contained the key)\]"?$/);
  });

  test('never contains a part of the key, wherever a long text is cut', () => {
    for (const text of [KEY, encodeURIComponent(KEY), each((c) => `\\u${hex(c, 4)}`)(KEY)])
      for (let length = 900; length < 1_300; length += 7) {
        const line = redact(`${'a@b.example '.repeat(length / 12)}${text}`);
        expect(line.replaceAll(/\[\w+\]/g, '')).not.toMatch(/adnet|\\u00/i);
      }
  });
});

test('what the network repeats of the shopper is not logged', async () => {
  const { network, post, logs } = setUp();
  const user_details = { phone: '0791234567', first_name: 'Wilhelmina', external_guid: 'guid-4711' };
  network.respondWith(() => json(400, { message: 'Unknown: 0791234567, Wilhelmina Wilhelmina' }));
  await post('/recommendations', { ...REQUEST, user_details });
  expect(logs.map(({ error }) => error)).toEqual(['Unknown: [user_details], [user_details] [user_details]']);
});

test.each<[string, () => unknown]>([
  ['has no text', () => Object.create(null)],
  [
    'is its own cause',
    () =>
      Object.assign(new Error('round'), {
        get cause() {
          return this;
        },
      }),
  ],
  [
    'throws when it is read',
    () =>
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('y');
        },
      }),
  ],
  ['is a symbol', () => Symbol('s')],
])('an error that %s is a 500 and a line of log like any other', async (_, error) => {
  const { post, logs } = setUp({ context: () => Promise.reject(error()) });
  const response = await post('/recommendations', REQUEST);
  expect([response.status, logs.length]).toEqual([500, 1]);
});

test('a key that a page sends as its request id is neither repeated nor logged', async () => {
  const { network, post, logs } = setUp();
  const response = await post('/recommendations', REQUEST, { 'x-request-id': 'adnet_sk_live_0123456789' });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.stringify([logs, Object.fromEntries(network.calls[0]?.headers ?? [])])).not.toContain('adnet_sk');
});
