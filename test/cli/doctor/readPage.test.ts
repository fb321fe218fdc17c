import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGateway, type Gateway } from '../../../src/cli/doctor/openGateway.ts';
import { isAllowed, readPage, type PolicyRequest } from '../../../src/cli/doctor/readPage.ts';
import { serve, type Served } from '../../fixtures/serve.ts';

let html = '';
let server: Served;
let url: string;
let gateway: Gateway;
beforeAll(async () => {
  server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'" }).end(html);
  });
  url = `${server.url}/orders/1`;
  gateway = await openGateway({ page: url });
});
afterAll(() => {
  gateway.close();
  return server.close();
});

test('tags are found however they are written, and comments are not tags', async () => {
  html = `<!-- <script src="/offerlet.js"></script> -->
    <SCRIPT async src='../js/offerlet.min.js?v=1' data-relay=/offers integrity="sha384-a" crossorigin data-display-mode="PULLUP"
      data-note="a > b"></SCRIPT>
    <script src="/not-offerlet.json"></script><script>const text = "offerlet.js";</script>
    <meta http-equiv="Content-Security-Policy" content="connect-src &#39;self&#39;">
    <offer-let relay="/other" display-mode="INLINE"></offer-let>`;
  const page = await readPage(url, gateway);
  expect(page).toMatchObject({ status: 200, policies: ["script-src 'self'", "connect-src 'self'"] });
  expect(page.record.scripts).toEqual([
    {
      src: new URL('/js/offerlet.min.js?v=1', url).href,
      integrity: 'sha384-a',
      crossorigin: true,
      relay: '/offers',
      mode: 'PULLUP',
      target: '',
    },
  ]);
  expect(page.record.elements).toEqual([{ relay: '/other', mode: 'INLINE' }]);
});

test('a page of broken tags is read to its end', async () => {
  html = `${'<script '.repeat(50_000)}${'<meta a="'.repeat(50_000)}${'<!-- '.repeat(100_000)}`;
  expect((await readPage(url, gateway)).record.scripts).toEqual([]);
});

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
  [["script-src 'nonce-abc' 'strict-dynamic'"], script, true], // only a browser can check it
  [["script-src 'nonce-abc'", "script-src 'self'"], script, false], // every policy must allow it
  [["default-src 'self', connect-src 'none'"], relay, false], // two headers arrive joined
] as const)('the policy %j: %j is %s', (policies, request, expected) => {
  expect(isAllowed(policies, request)).toBe(expected);
});
