import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork } from '../../src/network.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { stableId } from '../../src/network/seed/taxonomy.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { runCommand, startConsole } from '../line/console/consoleFixture.ts';

const DAYS = 130;

/** `npm run bench -- watch [publishers]`: what two visits of the console's page *Watch* cost, and the command. */
export async function run(args: string[]): Promise<void> {
  const channel = await openChannel(Number(args[0] ?? 2_000));
  async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
    const [began, before] = [performance.now(), channel.requests()];
    await work();
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`  ${what.padEnd(16)} ${seconds} s, ${channel.requests() - before} requests`);
  }
  const visit = () => fetch(`${channel.console}/api/watch?days=30`).then((response) => response.json());
  try {
    await measure('the first visit', visit);
    await measure('the second visit', visit);
    await measure('the command', () => runCommand(['watch', '--network', channel.url, '--json'], channel.key));
  } finally {
    await channel.close();
  }
}

/** Opens a network whose channel has that many publishers more, the largest with a million impressions a day, and its console. */
async function openChannel(publishers: number) {
  const data = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  await (await createNetwork({ data, seed: 'demo', log: () => undefined })).close();
  await addPublishers(data, { publishers, impressions: 1_000_000 });
  const network = await createNetwork({ data, log: () => undefined });
  let requests = 0;
  const server = await serve(
    (request, from) => {
      requests += 1;
      return network.fetch(request, from);
    },
    { port: 0 },
  );
  const key = network.describe().keys.management ?? '';
  const operators = await startConsole({ network: server.url, key });
  return {
    url: server.url,
    key,
    console: operators.url,
    requests: () => requests,
    async close() {
      await operators.stop();
      await server.close();
      await network.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Adds approved publishers with their history to a stored network; in SQL, because through the interface it would take an hour. */
async function addPublishers(
  data: string,
  { publishers, impressions }: { readonly publishers: number; readonly impressions: number },
): Promise<void> {
  const db = await openPglite(join(data, 'database'));
  const channel = stableId('channel', 'demo');
  await db.exec(`
    CREATE TEMP TABLE many AS SELECT n, gen_random_uuid() AS id FROM generate_series(1, ${publishers}) n;
    INSERT INTO publishers (pending_publisher_id, publisher_remote_id, channel_id, brand_name, brand_key, domain, domain_key,
      primary_category_id, status, created_at, updated_at)
    SELECT gen_random_uuid(), id, '${channel}', 'Shop ' || n, 'shop ' || n, 'shop-' || n || '.example', 'shop-' || n || '.example',
      (SELECT min(remote_id::text)::uuid FROM categories), 'APPROVED', now() - n * interval '1 minute', now() FROM many;
    CREATE TEMP TABLE facts AS
    SELECT id AS publisher_id, '${channel}'::uuid AS channel_id, day, date_trunc('week', day)::date AS week_start,
      date_trunc('month', day)::date AS month_start, i AS impressions, (i * 0.02 * (0.9 + 0.2 * random()))::bigint AS clicks
    FROM many, LATERAL (SELECT (current_date - d)::date AS day, d,
        ceil(${impressions}::numeric / n * (0.9 + 0.2 * random()))::bigint AS i FROM generate_series(0, ${DAYS - 1}) d) days
    WHERE n % 400 <> 0 OR d > 3;
    INSERT INTO daily_facts (publisher_id, channel_id, day, week_start, month_start, page_type, widget_type, widget_id, impressions, clicks)
    SELECT publisher_id, channel_id, day, week_start, month_start, 'THANK_YOU', 'INLINE', '', impressions, clicks FROM facts;
    INSERT INTO hourly_facts (publisher_id, channel_id, hour, day, week_start, month_start, page_type, widget_type, widget_id, impressions, clicks)
    SELECT publisher_id, channel_id, date_trunc('hour', now()), day, week_start, month_start, 'THANK_YOU', 'INLINE', '', impressions, clicks
    FROM facts WHERE day = current_date;
    DROP TABLE facts; DROP TABLE many; ANALYZE;`);
  await db.close();
}
