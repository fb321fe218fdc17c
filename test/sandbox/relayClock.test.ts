// A test that stops the clocks of page and network gets the times that it set.
import { expect, test } from 'vitest';
import { createSandboxRelay } from '../../src/sandbox/sandboxCommand.ts';
import { ofSuite } from '../fixtures/opened.ts';
import { serveTestNetwork } from '../network/testNetwork.ts';
import { postTo } from '../relay/scriptedNetwork.ts';

const world = ofSuite(() => serveTestNetwork({ now: '2026-01-05T10:00:00Z' }));

test('with a stopped clock, and after it was moved, times stay exact; wrong ones are corrected by it', async () => {
  const { network, url, control } = world;
  const apiKey = String(network.describe().keys.integration);
  const relay = createSandboxRelay({ apiKey, network: url, readClock: () => network.now() });
  const post = (path: string, body: object): Promise<Response> => postTo(relay, `/offers${path}`, body);
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
    const { events } = await control('GET', `/sandbox/events?session_id=${session_id}`);
    return events.find(({ event }: { event: { event_id: string } }) => event.event_id === event_id).event
      .event_datetime;
  };
  expect(await track('2026-01-05T10:00:05.000Z', '2026-01-05T10:00:10Z')).toBe('2026-01-05T10:00:05.000Z');
  await control('POST', '/sandbox/clock', { now: '2026-01-07T08:00:00Z' });
  expect(await track('2026-01-07T08:00:01.000Z', '2026-01-07T08:00:01Z')).toBe('2026-01-07T08:00:01.000Z');
  expect(await track('2025-01-07T08:00:01.000Z', '2025-01-07T08:00:01Z')).toBe('2026-01-07T08:00:00.000Z');
});
