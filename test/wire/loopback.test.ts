import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../../src/wire/keys.ts';

test.each(['localhost', 'shop.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])('%s names this machine', (hostname) => {
  expect(isLoopbackHost(new URL(`http://${hostname}:4600/`).hostname)).toBe(true);
});

test.each(['localhost.evil.example', 'evil-localhost', '127.0.0.1.evil.example', '128.0.0.1', '[::2]', '0.0.0.0', ''])(
  '"%s" does not name this machine',
  (hostname) => {
    expect(isLoopbackHost(hostname)).toBe(false);
  },
);

test.each(['127.0.0.1', '127.1.2.3', '::ffff:127.0.0.1', '::1'])('%s is an address of this machine', (ip) => {
  expect(isLoopbackAddress(ip)).toBe(true);
});

test.each(['10.0.0.1', '::ffff:10.0.0.1', '::2', '127.evil.example', '1::1', ''])(
  '"%s" is not an address of this machine',
  (ip) => {
    expect(isLoopbackAddress(ip)).toBe(false);
  },
);
