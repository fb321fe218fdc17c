import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRelay, toNode } from '../../src/relay.ts';
import { event, KEY, REQUEST, RESPONSE } from './scriptedNetwork.ts';
import { serve, type Served } from '../fixtures/serve.ts';

const EVENTS = Array.from({ length: 20 }, (_, index) => ({ index, success: true }));
const RESPONSES: Readonly<Record<string, [status: number, body: string]>> = {
  '/recommendations': [200, JSON.stringify(RESPONSE)],
  '/events/batch': [202, JSON.stringify({ results: EVENTS, accepted: 20, failed: 0 })],
};

let network: Served;
let relay: Served;
const connections = new Set<unknown>();
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  network = await serve((incoming, outgoing) => {
    const [status, body] = RESPONSES[incoming.url ?? ''] ?? [404, ''];
    connections.add(incoming.socket);
    incoming.resume().on('end', () => outgoing.writeHead(status, { 'content-length': body.length }).end(body));
  });
  relay = await serve(toNode(createRelay({ apiKey: KEY, version: '1.0.0', networkUrl: network.url })));
});
afterAll(async () => {
  agent.destroy();
  await relay.close();
  await network.close();
});

/** Posts to the relay, and creates no promise until the response has arrived. */
async function post(path: string, body: unknown): Promise<number | undefined> {
  const sent = request(`${relay.url}${path}`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): unknown }];
  response.resume();
  await once(response as never, 'end');
  return response.statusCode;
}

interface Work {
  readonly promises: number;
  readonly timers: number;
  readonly calls: number;
}

/** The least of five: what the test runner does at the same time only adds to it. */
async function leastWork(path: string, body: () => unknown): Promise<Work> {
  const found: Work[] = [];
  for (let run = 0; run < 5; run++) found.push(await countWork(path, body()));
  return {
    promises: Math.min(...found.map(({ promises }) => promises)),
    timers: Math.min(...found.map(({ timers }) => timers)),
    calls: Math.min(...found.map(({ calls }) => calls)),
  };
}

/** What is made while one request is handled, the test's own promises and call included. */
async function countWork(path: string, body: unknown): Promise<Work> {
  const counts: Record<string, number> = {};
  const hook = createHook({ init: (_, type) => (counts[type] = (counts[type] ?? 0) + 1) }).enable();
  const status = await post(path, body);
  hook.disable();
  expect(status).toBeLessThan(300);
  return {
    promises: counts['PROMISE'] ?? 0,
    timers: counts['Timeout'] ?? 0,
    calls: counts['HTTPCLIENTREQUEST'] ?? 0,
  };
}

// A time would depend on the machine; these counts are the same on each. `npm run bench -- relay` has the times.
test('a request costs few promises and timers, one call on a kept connection, and no more for more events', async () => {
  const batch = (count: number) => (): unknown => ({ events: Array.from({ length: count }, () => event()) });
  for (let warm = 0; warm < 3; warm++) {
    await post('/events/batch', batch(20)());
    await post('/recommendations', REQUEST);
  }
  const twenty = await leastWork('/events/batch', batch(20));
  expect(twenty.promises).toBeLessThanOrEqual(75);
  expect(twenty.timers).toBeLessThanOrEqual(8);
  expect(twenty.calls).toBe(2);
  expect(await leastWork('/events/batch', batch(1))).toEqual(twenty);

  const offers = await leastWork('/recommendations', () => REQUEST);
  expect(offers.promises).toBeLessThanOrEqual(55);
  expect(offers.timers).toBeLessThanOrEqual(8);
  expect(offers.calls).toBe(2);
  // One for each route.
  expect(connections.size).toBe(2);
});
