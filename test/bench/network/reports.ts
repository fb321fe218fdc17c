import { createNetwork } from '../../../src/network.ts';
import { worldOf, type Body } from '../../network/world.ts';

const DAYS = 100;
const PLACEMENTS = 10;
const NOW = '2025-11-20T10:30:00Z';
const HOUR_MS = 3_600_000;
const VIEWS = ['CHECKOUT', 'THANK_YOU', 'ORDER_STATUS', 'POST_ORDER', 'SUPPORT_CENTER'];
const ROUNDS = 7;

/** A report by day, publisher and page type over the facts of 1 M events, and over as many facts of 10 M. */
export async function measureReports(): Promise<void> {
  const network = await createNetwork({ memory: true, seed: 'demo', now: NOW, log: () => undefined });
  const world = worldOf(network);
  const key = network.describe().keys.management ?? '';
  const list = await world.call('GET', '/adnet/publishers/list/', { key });
  const publishers: string[] = list.body.publishers.flatMap((row: Body) => row.publisher_remote_id ?? []).slice(0, 12);
  await world.control('PUT', '/sandbox/settings', { history_from: '2025-01-01' });
  const facts = publishers.length * DAYS * 24 * PLACEMENTS;
  console.log(
    `\nReport day × publisher × page_type over ${facts.toLocaleString('en')} hourly facts, PGlite (goal < 300 ms, whatever the number of events)`,
  );
  for (const [events, each] of [
    ['1 M', Math.ceil(1_000_000 / facts)],
    ['10 M', Math.ceil(9_000_000 / facts)],
  ] as const) {
    for (let day = 0; day < DAYS; day += 5)
      await world.control('POST', '/sandbox/activity', { rows: rowsOf(publishers, { day, each }) });
    const path =
      '/adnet/reporting/v2/report/?from=2025-08-13&to=2025-11-20&time_grain=day&group_by=publisher,page_type&metrics=impressions,clicks,ctr,channel_payout&limit=250';
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now();
      const { status, body } = await world.call('GET', path, { key });
      times.push(performance.now() - began);
      if (status !== 200) throw new Error(JSON.stringify(body));
    }
    const sorted = times.toSorted((a, b) => a - b).map((ms) => ms.toFixed(0));
    console.log(
      `  ${events.padEnd(4)} events: min ${sorted[0]}  median ${sorted[Math.floor(ROUNDS / 2)]}  max ${sorted.at(-1)} ms`,
    );
  }
  await network.close();
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
