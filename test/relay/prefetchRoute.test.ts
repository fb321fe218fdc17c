import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createPrefetchRoute } from '../../src/relay/prefetchRoute.ts';
import { renderOffers, type PrefetchedOffers } from '../../src/html.ts';
import type { LogEntry } from '../../src/relay.ts';
import { toStorable } from '../../src/session/findOffers.ts';
import { FOOTER, hero, placed } from '../widget/offers.ts';
import { json, REQUEST, setUp } from './scriptedNetwork.ts';
import { posting } from '../fixtures/posting.ts';
import { serve } from '../fixtures/serve.ts';

const TOKEN = 'a-token-of-24-characters';
const GROUPS = [hero(placed(0), placed(1))];
const OFFERS = toStorable({ session_id: 'session', groups: GROUPS, footer: FOOTER, sandbox: false, left_out: [] });
const closing: (() => unknown)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) close();
});

async function start(token?: string): Promise<{ port: number; logs: LogEntry[]; calls: () => number }> {
  const { relay, network } = setUp();
  network.respondWith(() => json(200, OFFERS));
  const logs: LogEntry[] = [];
  const { port, close } = await serve(
    createPrefetchRoute({ relay, token, onLog: (entry) => void logs.push(entry), render: renderOffers }),
  );
  closing.push(close);
  return { port, logs, calls: () => network.calls.length };
}

/** Sends a request as text, and returns the status of the response. */
async function statusOf(port: number, headers: Record<string, string>, body = ''): Promise<number> {
  const all = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  socket.write(`POST /prefetch HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const text = await new Promise<string>((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('error', reject);
  });
  return Number(text.slice(9, 12));
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

test('a wrong token is refused before anything of the body is read, logged, and after ten guesses limited', async () => {
  const { port, logs, calls } = await start(TOKEN);
  const statuses: number[] = [];
  // The body never comes.
  for (let at = 0; at < 12; at++) statuses.push(await statusOf(port, { ...bearer('x'), 'content-length': '200000' }));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  expect(logs.map(({ status }) => status)).toEqual(statuses);
  const body = JSON.stringify({ ...REQUEST, order_details: { order_id: '1001' } });
  const length = { 'content-length': String(body.length) };
  expect(await statusOf(port, { ...bearer(TOKEN), ...length }, body)).toBe(200);
  expect(calls()).toBe(1);
});

test('a body that is too large is a 413', async () => {
  const { port, logs } = await start(TOKEN);
  expect(await statusOf(port, { ...bearer(TOKEN), 'content-length': '200000' })).toBe(413);
  expect(logs).toMatchObject([{ level: 'warn', status: 413, code: 'body_too_large' }]);
  const body = `{"pad":"${'x'.repeat(40_000)}"}`;
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await statusOf(port, { ...bearer(TOKEN), 'transfer-encoding': 'chunked' }, chunked)).toBe(413);
});

test('a body that does not arrive within ten seconds is a 408', async () => {
  const { port } = await start(TOKEN);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const began = performance.now();
  const asked = statusOf(port, { ...bearer(TOKEN), 'content-length': '2' });
  // Real turns of the event loop, in which the request arrives, between steps of the turned clock.
  const turn = setInterval(() => vi.advanceTimersByTime(100), 1);
  expect([await asked, performance.now() - began >= 10_000]).toEqual([408, true]);
  clearInterval(turn);
});

test.each(['evil.example', '127.0.0.1@evil.example', 'localhost.evil.example', '127.0.0.1/evil', ''])(
  'without a token, the host %j is not this machine, whatever a proxy says',
  async (host) => {
    const { port, calls } = await start();
    const forwarded = { 'x-forwarded-host': 'localhost', 'x-forwarded-for': '127.0.0.1', forwarded: 'host=localhost' };
    expect(await statusOf(port, { host, 'content-length': '2', ...forwarded }, '{}')).toBe(403);
    expect(calls()).toBe(0);
  },
);

test.each<[Record<string, string>, number]>([
  [{ origin: 'https://shop.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ 'sec-fetch-site': 'same-origin' }, 403],
  [{ 'sec-fetch-dest': 'document' }, 403],
  [{ 'content-type': 'text/plain' }, 415], // a form
])('no browser can prefetch, with a token or without: %j is a %i', async (headers, status) => {
  for (const token of [TOKEN, undefined]) {
    const { port, calls } = await start(token);
    expect(await statusOf(port, { ...bearer(TOKEN), 'content-length': '2', ...headers }, '{}')).toBe(status);
    expect(calls()).toBe(0);
  }
});

test('a backend may prefetch for more shoppers at once than one client may ask', async () => {
  const { port, calls } = await start(TOKEN);
  const statuses = await Promise.all(
    Array.from({ length: 70 }, (_, at) => {
      const body = JSON.stringify({ ...REQUEST, order_details: { order_id: `order ${at}` }, timeout: 20_000 });
      return statusOf(port, { ...bearer(TOKEN), 'content-length': String(body.length) }, body);
    }),
  );
  expect([new Set(statuses), calls()]).toEqual([new Set([200]), 70]);
});

test('the response has the offers as HTML as well, in the language and theme that the body names', async () => {
  const { port } = await start();
  const looks = { locale: 'de', theme: 'dark', messages: { sponsored: 'Anzeige' }, max_offers: 1, streamed: true };
  const response = await fetch(
    `http://127.0.0.1:${port}/prefetch`,
    posting({ ...REQUEST, order_details: { order_id: '1001' }, ...looks }),
  );
  const body = (await response.json()) as { json: PrefetchedOffers; html: string; style_hash: string };
  const { html, styleHash } = renderOffers(body.json, { ...looks, maxOffers: 1, theme: 'dark' });
  expect([body.html, body.style_hash]).toEqual([html, styleHash]);
  expect(html).toMatch(/ class="root dark [a-z ]*inline" lang="de" .*>Anzeige</);
  expect(html).not.toContain('>1/2<');
});
