import { expect, test } from 'vitest';
import { isAllowed, type PolicyRequest } from '../../../src/cli/doctor/isAllowed.ts';

const page = 'https://shop.example/thank-you';
const script: PolicyRequest = { directive: 'script-src', url: 'https://cdn.example/js/offerlet.js', page };
const relay: PolicyRequest = { directive: 'connect-src', url: 'https://shop.example/offers/recommendations', page };

test.each([
  [[], script, true],
  [["default-src 'self'"], relay, true],
  [["default-src 'none'"], relay, false],
  [["default-src 'none'; connect-src 'self'"], relay, true],
  [["connect-src 'none'; connect-src 'self'"], relay, false], // the first directive of a name is used
  [["default-src *; connect-src 'self'"], script, true],
  [["script-src 'self'"], script, false],
  [['script-src https:'], script, true],
  [['script-src http:'], script, false],
  [['script-src cdn.example'], script, true],
  [['script-src https://cdn.example'], script, true],
  [['script-src https://CDN.example:443'], script, true],
  [['script-src https://cdn.example:8443'], script, false],
  [['script-src https://cdn.example:*'], script, true],
  [['script-src *.example'], script, true],
  [['script-src *.cdn.example'], script, false],
  [['script-src https://cdn.example/js/'], script, true],
  [['script-src https://cdn.example/css/'], script, false],
  [["script-src 'none'; script-src-elem https://cdn.example"], script, true],
  [["script-src 'nonce-abc' 'strict-dynamic'"], script, undefined],
  [["script-src 'nonce-abc'", "script-src 'self'"], script, false], // every policy must allow it
  [["default-src 'self', connect-src 'none'"], relay, false], // two headers arrive joined
] as const)('%j: %j is %s', (policies, request, expected) => {
  expect(isAllowed(policies, request)).toBe(expected);
});
