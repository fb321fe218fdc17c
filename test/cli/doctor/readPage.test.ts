import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPage } from '../../../src/cli/doctor/readPage.ts';

let html = '';
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'" }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders/1`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test('tags are found however they are written, and comments are not tags', async () => {
  html = `<!-- <script src="/offerlet.js"></script> -->
    <SCRIPT async src='../js/offerlet.min.js?v=1' data-relay=/offers integrity="sha384-a" crossorigin data-display-mode="PULLUP"
      data-note="a > b"></SCRIPT>
    <script src="/not-offerlet.json"></script><script>const text = "offerlet.js";</script>
    <meta http-equiv="Content-Security-Policy" content="connect-src &#39;self&#39;">
    <offer-let relay="/other" display-mode="INLINE"></offer-let>`;
  const page = await readPage(url);
  expect(page).toMatchObject({ status: 200, policies: ["script-src 'self'", "connect-src 'self'"] });
  expect(page.record.scripts).toEqual([
    {
      src: new URL('/js/offerlet.min.js?v=1', url).href,
      integrity: 'sha384-a',
      crossorigin: true,
      relay: '/offers',
      mode: 'PULLUP',
    },
  ]);
  expect(page.record.elements).toEqual([{ relay: '/other', mode: 'INLINE' }]);
});

test('a page of broken tags is read in no time', async () => {
  html = `${'<script '.repeat(50_000)}${'<meta a="'.repeat(50_000)}${'<!-- '.repeat(100_000)}`;
  const started = performance.now();
  expect((await readPage(url)).record.scripts).toEqual([]);
  expect(performance.now() - started).toBeLessThan(5_000);
});
