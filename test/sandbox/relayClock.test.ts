// A test that stops the clocks of page and network gets the times that it set.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../src/network.ts';
import { createSandboxRelay } from '../../src/sandbox/sandboxCommand.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';

let network: Network;
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', now: '2026-01-05T10:00:00Z', log: () => undefined });
  server = await serve((request, from) => network.fetch(request, from), { port: 0 });
});
afterAll(async () => {
  await server.close();
  await network.close();
});

test('with a stopped clock, and after it was moved, times stay exact; wrong ones are corrected by it', async () => {
  const { integration } = network.describe().keys;
  const relay = createSandboxRelay({
    apiKey: String(integration),
    network: server.url,
    readClock: () => network.now(),
  });
  const post = (path: string, body: object): Promise<Response> =>
    relay(
      new Request(`https://shop.example/offers${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const asked = await post('/recommendations', {
    user_details: { external_guid: '42' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  });
  expect(asked.headers.get('offerlet-time')).toBe(String(Date.parse('2026-01-05T10:00:00Z')));
  const { session_id } = (await asked.json()) as { session_id: string };
  const track = async (event_datetime: string, sent: string): Promise<string> => {
    const event_id = crypto.randomUUID();
    const event = { event_id, event_name: 'WIDGET_LOAD', event_datetime, session_id, initiating_target: 'INLINE_SLOT' };
    const response = await post(`/events/batch?sent=${Date.parse(sent)}`, { events: [event] });
    expect(response.status).toBe(202);
    const listed = await network.fetch(
      new Request(`${server.url}/sandbox/events?session_id=${session_id}`, { headers: { host: 'localhost' } }),
      { ip: '127.0.0.1' },
    );
    const { events } = (await listed.json()) as { events: { event: Record<string, string> }[] };
    return events.find(({ event }) => event['event_id'] === event_id)?.event['event_datetime'] ?? '';
  };
  expect(await track('2026-01-05T10:00:05.000Z', '2026-01-05T10:00:10Z')).toBe('2026-01-05T10:00:05.000Z');
  await network.fetch(
    new Request(`${server.url}/sandbox/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', host: 'localhost' },
      body: JSON.stringify({ now: '2026-01-07T08:00:00Z' }),
    }),
    { ip: '127.0.0.1' },
  );
  expect(await track('2026-01-07T08:00:01.000Z', '2026-01-07T08:00:01Z')).toBe('2026-01-07T08:00:01.000Z');
  expect(await track('2025-01-07T08:00:01.000Z', '2025-01-07T08:00:01Z')).toBe('2026-01-07T08:00:00.000Z');
});
