import { createNetwork } from '../../../src/network.ts';
import { testNetworkOf, type Body, type TestNetwork } from '../../network/testNetwork.ts';

const DAYS = 100;
const PLACEMENTS = 10;
const NOW = '2025-11-20T10:30:00Z';
const HOUR_MS = 3_600_000;
const VIEWS = ['CHECKOUT', 'THANK_YOU', 'ORDER_STATUS', 'POST_ORDER', 'SUPPORT_CENTER'];
const ROUNDS = 9;
const FROM = '2025-08-13';
const TO = '2025-11-20';

/** A report by day, publisher and page type over the facts of 10 M events. */
export async function measureReports(): Promise<void> {
  const network = await createNetwork({ memory: true, seed: 'demo', now: NOW, log: () => undefined });
  const world = testNetworkOf(network);
  const publishers = await publishersOf(world);
  const facts = publishers.length * DAYS * 24 * PLACEMENTS;
  const each = Math.ceil(10_000_000 / facts);
  // Its 6,000 rows are below the limit of 10,000, unless somebody changes the figures above.
  await world.control('PUT', '/sandbox/settings', { history_from: '2025-01-01', report_row_limit: 1_000_000 });
  for (let day = 0; day < DAYS; day += 5)
    await world.control('POST', '/sandbox/activity', { rows: rowsOf(publishers, { day, each }) });
  const path = `/adnet/reporting/v2/report/?from=${FROM}&to=${TO}&time_grain=day&group_by=publisher,page_type&metrics=impressions,clicks,ctr,channel_payout&limit=250`;
  const key = network.describe().keys.management ?? '';
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const { status, body } = await world.call('GET', path, { key });
    if (status !== 200 || body.pagination.total < 6_000) throw new Error(JSON.stringify(body));
    times.push(performance.now() - began);
  }
  await network.close();
  const shown = times.toSorted((a, b) => a - b).map((ms) => ms.toFixed(0));
  console.log(
    `\nReport day × publisher × page_type over ${facts.toLocaleString('en')} hourly facts, PGlite (goal < 300 ms): min ${shown[0]}  median ${shown[ROUNDS >> 1]}  max ${shown.at(-1)} ms`,
  );
}

async function publishersOf(world: Omit<TestNetwork, 'url'>): Promise<string[]> {
  const list = await world.call('GET', '/adnet/publishers/list/', {
    key: world.network.describe().keys.management ?? '',
  });
  return list.body.publishers.flatMap((row: Body) => row.publisher_remote_id ?? []).slice(0, 12);
}

function rowsOf(
  publishers: readonly string[],
  { day, each }: { readonly day: number; readonly each: number },
): unknown[] {
  const end = Date.parse(NOW);
  const hours = Array.from({ length: 5 * 24 }, (_, hour) => new Date(end - (day * 24 + hour) * HOUR_MS).toISOString());
  return hours.flatMap((hour) =>
    publishers.flatMap((publisher_remote_id) =>
      Array.from({ length: PLACEMENTS }, (_, n) => ({
        hour,
        publisher_remote_id,
        page_type: VIEWS[n % VIEWS.length],
        widget_type: 'INLINE',
        widget_id: `bench-${n}`,
        impressions: each,
        clicks: 1,
        channel_payout: '0.0125',
      })),
    ),
  );
}
