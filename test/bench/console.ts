import { chromium, type Browser, type Page } from '@playwright/test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNetwork } from '../../src/network.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { stableId } from '../../src/network/seed/taxonomy.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { find } from '../browsers.mjs';
import { startConsole } from '../line/console/consoleFixture.ts';

/** With the twelve of the demo: 179 publishers on 28 days are 5,012 rows. */
const PUBLISHERS = 167;
const DAYS = 130;
const RATES = [1, 4];

/**
 * `npm run bench -- console [rounds]`: a compared report of 5,012 rows in the console. What the page receives, and its longest
 * task (Long Tasks API, which begins at 50 ms): while it loads, is scrolled to its end, and is sorted.
 */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  const channel = await openChannel(PUBLISHERS);
  const path = find('chromium')?.path;
  const browser = await chromium.launch({ ...(path && { executablePath: path }), args: ['--no-sandbox'] });
  try {
    for (const rate of RATES) {
      const figures: Figures[] = [];
      for (let round = 0; round < rounds; round++) figures.push(await visit(browser, { url: channel.console, rate }));
      const [first] = figures;
      console.log(
        `  ${first?.rows}, processor slowed ${rate} times: ${kilobytes(first?.bytes)} until the table is there, ${kilobytes(first?.all)} in all`,
      );
      for (const what of ['loading', 'scrolling', 'sorting'] as const)
        console.log(`    longest task while ${what.padEnd(9)} ${spread(figures.map((one) => one[what]))}`);
    }
  } finally {
    await browser.close();
    await channel.close();
  }
}

/** Opens a network whose channel has that many publishers more, the largest with a million impressions a day, and its console. */
export async function openChannel(publishers: number) {
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

interface Figures {
  /** What the page says. */
  readonly rows: string;
  /** Bytes of the reports that the page received until the table was there, and in all. */
  readonly bytes: number;
  readonly all: number;
  /** The longest task, in milliseconds; 0 when none had 50. */
  readonly loading: number;
  readonly scrolling: number;
  readonly sorting: number;
}

async function visit(
  browser: Browser,
  { url, rate }: { readonly url: string; readonly rate: number },
): Promise<Figures> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  const bodies: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/report?')) bodies.push(response.body().then(({ length }) => length));
  });
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  await page.goto(`${url}/?by=publisher&grain=day`);
  const table = page.locator('table.report');
  await table.waitFor();
  const loading = await longest(page);
  const rows = await page.locator('.table-card header p').innerText();
  const bytes = await sumOf(bodies);
  const scroller = page.locator('.scroller');
  for (let step = 1; step <= 10; step++) {
    await scroller.evaluate((element, share) => (element.scrollTop = element.scrollHeight * share), step / 10);
    await page.locator('.scroller tbody tr[aria-busy]').first().waitFor({ state: 'detached' });
  }
  const scrolling = await longest(page);
  await page.getByRole('button', { name: 'Clicks', exact: true }).click();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const sorting = await longest(page);
  const all = await sumOf(bodies);
  await context.close();
  return { rows, bytes, all, loading, scrolling, sorting };
}

/** Returns the longest task since the last call. */
async function longest(page: Page): Promise<number> {
  // A task is reported when the page is idle again.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 200))));
  return page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks.splice(0)));
}

async function sumOf(bodies: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(bodies)).reduce((sum, one) => sum + one, 0);
}

function kilobytes(bytes = 0): string {
  return `${Math.round(bytes / 1_000).toLocaleString('en')} KB`;
}

function spread(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other).map(Math.round);
  return `${sorted[Math.floor(sorted.length / 2)]} ms (${sorted[0]}–${sorted.at(-1)})`;
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
