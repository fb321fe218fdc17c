import { expect, test } from 'vitest';
import { cspCommand, directivesFor } from '../../src/cli/cspCommand.ts';
import { UsageError } from '../../src/program/ExitError.ts';

test.each([
  [
    { relay: '/offers', src: '/offerlet.js', images: [] },
    ["script-src 'self'", "connect-src 'self'", 'img-src https:'],
  ],
  [
    {
      relay: 'https://offers.shop.example/offers?x=1',
      src: 'https://cdn.shop.example:8443/a/offerlet.js',
      images: ['https://a.example', 'http://127.0.0.1:4600'],
    },
    [
      'script-src https://cdn.shop.example:8443',
      'connect-src https://offers.shop.example',
      'img-src https://a.example http://127.0.0.1:4600',
    ],
  ],
])('a policy allows exactly the origins of script, relay and images: %j', (given, expected) => {
  expect(directivesFor(given)).toEqual(expected);
});

test.each([
  [{ relay: 'offers' }, /--relay is not a URL or a path: "offers"\. Use something like/],
  [{ relay: '//evil.example' }, /--relay is not a URL or a path/],
  [{ relay: "/offers; script-src 'unsafe-inline'" }, /--relay is not a URL or a path/],
  [{ relay: 'javascript:alert(1)' }, /--relay is not a URL or a path/],
  [{ src: 'data:text/javascript,1' }, /--src is not a URL or a path/],
  [{ images: ["https://a.example; script-src 'unsafe-inline'"] }, /--image is not an exact https origin/],
  [{ images: ['ftp://localhost'] }, /--image is not an exact https origin/],
  [{ images: ['http://a.example'] }, /--image is not an exact https origin/],
  [{ images: ['https://a.example/'] }, /--image is not an exact https origin/],
])('%j is refused, so that nothing else gets into the policy', (given, message) => {
  const policy = (): unknown => directivesFor({ relay: '/offers', src: '/offerlet.js', images: [], ...given });
  expect(policy).toThrow(UsageError);
  expect(policy).toThrow(message);
});

test('without a relay the command says what to write', async () => {
  await expect(cspCommand.run({ argv: [], env: {} })).rejects.toThrow(/--relay is missing\. Use the URL or path/);
});
