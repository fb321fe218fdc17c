import { request as send } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Listening } from '../../../src/program/listen.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { createNetwork, type Network } from '../../../src/network.ts';

let network: Network;
let server: Listening;
beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', controlHosts: ['CI.example:80'], log: () => undefined });
  server = await serve((request, from) => network.fetch(request, from), { port: 0 });
});
afterAll(async () => {
  await server?.close();
  await network?.close();
});

/** Sends exactly these headers: `fetch` sets Host itself. */
function call(method: string, path: string, headers: Record<string, string> = {}, body?: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const request = send(server.url + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.once('error', reject).end(body);
  });
}
const keys = JSON.stringify({ kind: 'management' });

test('on its own port, tools of this machine use the controls', async () => {
  expect((await call('GET', '/sandbox/health')).status).toBe(200);
  expect((await call('POST', '/sandbox/keys', { 'content-type': 'application/json' }, keys)).status).toBe(200);
  const answer = await fetch(`${server.url}/sandbox/settings`, { method: 'PUT', body: '{}' });
  expect(answer.status).toBe(200);
});

test('a page under DNS rebinding gets no key', async () => {
  const host = 'rebound.example:4600';
  const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  const { status, text } = await call('POST', '/sandbox/keys', headers, keys);
  expect(status).toBe(403);
  expect(text).toContain('--control-host rebound.example');
  expect(text).not.toContain('adnet_');
});

test('a host name of controlHosts is allowed', async () => {
  expect((await call('GET', '/sandbox/health', { host: 'ci.example:4600' })).status).toBe(200);
});

test('the public interfaces respond under any host name, through any proxy', async () => {
  const headers = { host: 'network.example', 'x-forwarded-for': '203.0.113.7', origin: 'https://shop.example' };
  expect((await call('GET', '/health', headers)).status).toBe(200);
  const key = network.describe().keys.management ?? '';
  expect((await call('GET', '/adnet/channel/details/', { ...headers, 'x-api-key': key })).status).toBe(200);
});

test('a control host that is not a host name is refused at the start', async () => {
  await expect(createNetwork({ memory: true, controlHosts: ['https://ci.example/'] })).rejects.toThrow(
    'controlHosts is not a host name: "https://ci.example/"',
  );
});

test('a server on every address prints a URL at which the controls may be called', async () => {
  const everywhere = await serve((request, from) => network.fetch(request, from), { port: 0, host: '0.0.0.0' });
  expect(everywhere.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${everywhere.url}/sandbox/health`)).status).toBe(200);
  await everywhere.close();
});
