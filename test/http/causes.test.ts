import { expect, test } from 'vitest';
import { sentNothing } from '../../src/http/causes.ts';

const failed = (code: string, syscall?: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, ...(syscall && { syscall }) }) });

test.each([
  ['ENOTFOUND', 'getaddrinfo', true],
  ['ENETUNREACH', 'connect', true],
  ['UND_ERR_CONNECT_TIMEOUT', undefined, true],
  ['ECONNRESET', 'read', false],
  ['ENETDOWN', 'read', false],
  ['EHOSTUNREACH', 'write', false],
])('%s of %s: nothing was sent is %s', (code, syscall, isSo) => {
  expect(sentNothing(failed(code, syscall))).toBe(isSo);
});
