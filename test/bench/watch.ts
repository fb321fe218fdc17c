import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork } from '../../src/network.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { stableId } from '../../src/network/seed/taxonomy.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { buildCommand } from '../relay/command.ts';

const DAYS = 130;
const CALLS: readonly (readonly string[])[] = [
  ['watch'],
  ['watch', '--backtest', '30d'],
  ['watch', '--backtest', '90d'],
  ['report', '--period', '30d', '--by', 'publisher', '--limit', '20'],
  ['statement'],
];

/**
 * `npm run bench -- watch [publishers] [impressions]`: what the commands of an operator cost with many publishers. The largest
 * one has that many impressions a day, the n-th a n-th of them, and one in 400 has gone silent.
 */
export async function run(args: string[]): Promise<void> {
  const publishers = Number(args[0] ?? 12_000);
  const impressions = Number(args[1] ?? 1_000_000);
  const data = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  await (await createNetwork({ data, seed: 'demo', log: () => undefined })).close();
  await addPublishers(data, { publishers, impressions });
  const network = await createNetwork({ data, log: () => undefined });
  const key = network.describe().keys.management ?? '';
  const counted = { requests: 0, bytes: 0 };
  const server = await serve(
    async (request, from) => {
      const response = await network.fetch(request, from);
      counted.requests += 1;
      counted.bytes += (await response.clone().arrayBuffer()).byteLength;
      return response;
    },
    { port: 0 },
  );
  const command = await buildCommand('src/operator/cli.ts');
  try {
    console.log(
      `${publishers.toLocaleString('en')} publishers, the largest with ${impressions.toLocaleString('en')} impressions a day, PGlite`,
    );
    for (const call of CALLS) {
      Object.assign(counted, { requests: 0, bytes: 0 });
      const began = performance.now();
      const before = process.cpuUsage();
      const { code, lines, peak, cpu, last } = await measured([command.file, ...call], { url: server.url, key });
      const { user, system } = process.cpuUsage(before);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      console.log(
        `  ${call.join(' ').padEnd(48)} ${seconds} s, processor ${cpu.toFixed(1)} s and the network's ${((user + system) / 1e6).toFixed(1)} s; ${counted.requests} requests, ${(counted.bytes / 1e6).toFixed(1)} MB, peak ${peak.toFixed(0)} MiB; exit ${code}, ${lines} lines`,
      );
      if (last !== '') console.log(`    ${last}`);
    }
  } finally {
    await server.close();
    await network.close();
    await command.remove();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Adds approved publishers with their history to a stored network; in SQL, because through the interface it would take an hour. */
export async function addPublishers(
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

interface Measured {
  readonly code: number | null;
  readonly lines: number;
  /** MiB. */
  readonly peak: number;
  /** Seconds. */
  readonly cpu: number;
  /** What it said last on stderr. */
  readonly last: string;
}

/** The process records its own peak, which cannot be read after its end. `maxRSS` begins with that of its parent. */
const WRITES_USAGE = `data:text/javascript,import{readFileSync,writeSync}from'node:fs';process.once('exit',()=>{const{userCPUTime,systemCPUTime}=process.resourceUsage();const peak=/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1];writeSync(3,JSON.stringify([peak/1024,(userCPUTime+systemCPUTime)/1e6]))})`;

function measured(
  words: readonly string[],
  { url, key }: { readonly url: string; readonly key: string },
): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', WRITES_USAGE, ...words], {
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), OFFERLET_NETWORK: url, OFFERLET_API_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const said = ['', '', '', ''];
    for (const place of [1, 2, 3])
      (child.stdio[place] as NodeJS.ReadableStream)
        .setEncoding('utf8')
        .on('data', (text: string) => (said[place] += text));
    child.once('error', reject);
    child.once('close', (code) => {
      const [peak, cpu] = JSON.parse(said[3] || '[0,0]') as [number, number];
      const last = said[2]?.trim().split('\n').at(-1) ?? '';
      resolve({ code, lines: (said[1] ?? '').split('\n').length - 1, peak, cpu, last });
    });
  });
}
