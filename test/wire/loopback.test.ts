import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../../src/wire/keys.ts';

test.each(['localhost', 'shop.localhost', '127.0.0.1', '127.10.20.30', '[::1]'])(
  '%s names this machine',
  (hostname) => {
    expect(isLoopbackHost(new URL(`http://${hostname}:4600/`).hostname)).toBe(true);
  },
);

test.each(['localhost.evil.example', 'evil-localhost', '127.0.0.1.evil.example', '128.0.0.1', '[::2]', '0.0.0.0', ''])(
  '"%s" does not name this machine',
  (hostname) => {
    expect(isLoopbackHost(hostname)).toBe(false);
  },
);

test.each(['127.0.0.1', '127.10.20.30', '::ffff:127.0.0.1', '::1'])('%s is an address of this machine', (ip) => {
  expect(isLoopbackAddress(ip)).toBe(true);
});

test.each(['10.0.0.1', '::ffff:10.0.0.1', '::2', '127.evil.example', '127.0.0.1.2', '1::1', '::12', ''])(
  '"%s" is not an address of this machine',
  (ip) => {
    expect(isLoopbackAddress(ip)).toBe(false);
  },
);
