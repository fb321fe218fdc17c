import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork, type Network } from '../../../src/network.ts';
import { openPglite } from '../../../src/network/database/pglite.ts';
import { stableId } from '../../../src/network/seed/taxonomy.ts';
import { testNetworkOf, type Body } from '../../network/testNetwork.ts';

const DAYS = 100;
const PLACEMENTS = 10;
const NOW = '2025-11-20T10:30:00Z';
const HOUR_MS = 3_600_000;
const VIEWS = ['CHECKOUT', 'THANK_YOU', 'ORDER_STATUS', 'POST_ORDER', 'SUPPORT_CENTER'];
const ROUNDS = 9;
const FROM = '2025-08-13';
const TO = '2025-11-20';

/** A report by day, publisher and page type over the facts of 1 M events, and over as many facts of 10 M. */
export async function measureReports(): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  const start = (): Promise<Network> => createNetwork({ data, seed: 'demo', now: NOW, log: () => undefined });
  let network = await start();
  const { channel_id, publishers } = await ownerOf(network);
  const facts = publishers.length * DAYS * 24 * PLACEMENTS;
  console.log(
    `\nReport day × publisher × page_type over ${facts.toLocaleString('en')} hourly facts, PGlite (goal < 300 ms, whatever the number of events)`,
  );
  for (const [events, each] of [
    ['1 M', Math.ceil(1_000_000 / facts)],
    ['10 M', Math.ceil(9_000_000 / facts)],
  ] as const) {
    const world = testNetworkOf(network);
    // Its 6,000 rows are below the limit of 10,000, unless somebody changes the figures above.
    await world.control('PUT', '/sandbox/settings', { history_from: '2025-01-01', report_row_limit: 1_000_000 });
    for (let day = 0; day < DAYS; day += 5)
      await world.control('POST', '/sandbox/activity', { rows: rowsOf(publishers, { day, each }) });
    const path = `/adnet/reporting/v2/report/?from=${FROM}&to=${TO}&time_grain=day&group_by=publisher,page_type&metrics=impressions,clicks,ctr,channel_payout&limit=250`;
    const key = network.describe().keys.management ?? '';
    const ours = await timed(async () => {
      const { status, body } = await world.call('GET', path, { key });
      if (status !== 200 || body.pagination.total < 6_000) throw new Error(JSON.stringify(body));
    });
    await network.close();
    const db = await openPglite(join(data, 'database'));
    const floor = await timed(() =>
      db.query(
        `SELECT count(*), sum(i), sum(c), sum(p) FROM (
           SELECT sum(impressions) AS i, sum(clicks) AS c, sum(channel_payout) AS p FROM hourly_facts
           WHERE channel_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day, publisher_id, page_type) cells`,
        [channel_id, FROM, TO],
      ),
    );
    await db.close();
    console.log(`  ${events.padEnd(4)} events: floor, one GROUP BY over the hourly facts   ${shown(floor)} ms`);
    console.log(`${''.padEnd(15)}ours, the whole answer                        ${shown(ours)} ms`);
    console.log(`${''.padEnd(15)}ratio of the medians: ${(median(ours) / median(floor)).toFixed(2)}`);
    network = await start();
  }
  await network.close();
  rmSync(data, { recursive: true, force: true });
}

async function ownerOf(network: Network): Promise<{ channel_id: string; publishers: string[] }> {
  const key = network.describe().keys.management ?? '';
  const list = await testNetworkOf(network).call('GET', '/adnet/publishers/list/', { key });
  const publishers: string[] = list.body.publishers.flatMap((row: Body) => row.publisher_remote_id ?? []).slice(0, 12);
  return { channel_id: stableId('channel', 'demo'), publishers };
}

async function timed(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function shown(values: readonly number[]): string {
  const [min, middle, max] = [Math.min(...values), median(values), Math.max(...values)].map((ms) => ms.toFixed(0));
  return `min ${min}  median ${middle}  max ${max}`;
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
