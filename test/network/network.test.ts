import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { logToStderr } from '../../src/network/createFetch.ts';
import { createNetwork, type Network } from '../../src/network.ts';

let network: Network;
beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'demo', log: () => undefined });
});
afterAll(() => network.close());

test('offers are requested, events are reported, and the report shows them', async () => {
  const { keys } = network.describe();
  const headers = { 'x-api-key': keys.integration ?? '', version: '1.0.0', 'content-type': 'application/json' };
  const base = 'http://127.0.0.1:4600';
  const asked = await network.fetch(
    new Request(`${base}/recommendations`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        user_details: { email: 'a@example.com' },
        placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
      }),
    }),
  );
  const offers = (await asked.json()) as {
    session_id: string;
    recommendation_groups: { items: { insertion_id: string; offer_id: string; advertiser_id: string }[] }[];
  };
  expect(asked.status, JSON.stringify(offers)).toBe(200);
  const item = offers.recommendation_groups[0]?.items[0];
  const events = ['WIDGET_LOAD', 'BRAND_DISPLAY', 'BRAND_CLICK', 'CONVERSION'].map((event_name, index) => ({
    event_id: `e${index}`,
    event_name,
    event_datetime: new Date().toISOString(),
    session_id: offers.session_id,
    brand_properties: item && {
      offer_id: item.offer_id,
      advertiser_id: item.advertiser_id,
      insertion_id: item.insertion_id,
    },
    ...(event_name === 'CONVERSION' ? { conversion_properties: { conversion_id: 'c1' } } : {}),
  }));
  const sent = await network.fetch(
    new Request(`${base}/events/batch`, { method: 'POST', headers, body: JSON.stringify({ events }) }),
  );
  expect({ status: sent.status, body: await sent.json() }).toMatchObject({
    status: 202,
    body: { accepted: 4, failed: 0 },
  });
  const today = new Date().toISOString().slice(0, 10);
  const report = await network.fetch(
    new Request(
      `${base}/adnet/reporting/v2/report/?from=${today}&to=${today}&metrics=clicks,conversions,attributed_ad_spend_amount`,
      { headers: { 'x-api-key': keys.management ?? '' } },
    ),
  );
  expect({ status: report.status, body: await report.json() }).toMatchObject({ status: 200 });
  const arrived = await network.fetch(new Request(`${base}/sandbox/events?session_id=${offers.session_id}`));
  expect(await arrived.json()).toMatchObject({
    events: [{ status: 'stored' }, { status: 'stored' }, { status: 'stored' }, { status: 'stored' }],
  });
});

test('a line of the log holds no command of a CI system and no control character', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  logToStderr({ at: '2026-01-01T00:00:00Z', level: 'error', message: '::set-env::\n##[error]\u009b31m \u202e' });
  write.mockRestore();
  expect(lines.join('')).toMatch(/^\{[ -~]*\}\n$/);
  expect(lines.join('')).not.toContain('##[');
  expect(JSON.parse(lines.join(''))).toMatchObject({ message: '::set-env::\n##[error]\u009b31m \u202e' });
});
