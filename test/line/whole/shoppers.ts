import type { Page } from '@playwright/test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReportingClient } from '../../../src/operator.ts';
import type { Queue } from '../../../src/queue/openQueue.ts';
import { startKillable } from '../drivers/killable.ts';
import { WIDGET_ID, type Line } from './wholeLine.ts';

/** The events that the report counts, and the number of all events. */
export interface Counts {
  events: number;
  feed_loads: number;
  widget_displays: number;
  viewable_widget_displays: number;
  impressions: number;
  clicks: number;
}

/** How many shoppers visit, and how often their browser is killed. */
export interface Rush {
  /** Number of events in total. */
  events: number;
  /** Events of one visit, which is one session. */
  perVisit: number;
  /** Number of shops, each on its own origin and with its own queue. */
  shops: number;
  /** Tabs for each shop. */
  tabs: number;
  /** How often the browser is killed. */
  kills: number;
  /** Milliseconds after the last event of a part before the browser is killed. */
  killAfter(): number;
  /** Called after each part. */
  onPart?(part: { tracked: number; left: number; isKilled: boolean; errors: readonly string[] }): void;
}

// What `wholeLine.ts` adds to the page.
declare global {
  var visit: (count: number) => Promise<Counts>;
  var dropped: number;
  var errors: string[];
}

const METRICS = ['feed_loads', 'widget_displays', 'viewable_widget_displays', 'impressions', 'clicks'] as const;

/** Plays the visits of all shoppers. Resolves to what they tracked, once their queues are empty. */
export async function playRush(line: Line, rush: Rush): Promise<{ tracked: Counts; left: number[]; dropped: number }> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-rush-'));
  const tracked: Counts = { events: 0, ...none() };
  const left: number[] = [];
  let dropped = 0;
  try {
    for (let part = 0; part <= rush.kills; part += 1) {
      const isLast = part === rush.kills;
      const wanted = Math.round((rush.events * (part + 1)) / (rush.kills + 1));
      const browser = await startKillable(profile);
      const pages = await Promise.all(Array.from({ length: rush.shops * rush.tabs }, () => browser.context.newPage()));
      await Promise.all(
        pages.map((page, n) => page.goto(`http://shop${n % rush.shops}.localhost:${line.port}/`, { timeout: 60_000 })),
      );
      // Each page takes the next visit as soon as it is done with one.
      let open = wanted - tracked.events;
      await Promise.all(
        pages.map(async (page) => {
          while (open > 0) {
            const count = Math.min(open, rush.perVisit);
            open -= count;
            const counts = await page.evaluate((events) => visit(events), count);
            for (const name of Object.keys(counts) as (keyof Counts)[]) tracked[name] += counts[name];
          }
        }),
      );
      if (isLast) await untilEmpty(pages);
      else await new Promise((done) => setTimeout(done, rush.killAfter()));
      const waiting = await Promise.all(pages.slice(0, rush.shops).map((page) => onDisk(page)));
      left.push(waiting.reduce((sum, count) => sum + count, 0));
      const errors: string[] = [];
      for (const page of pages) {
        dropped += await page.evaluate(() => globalThis.dropped);
        errors.push(...(await page.evaluate(() => globalThis.errors)));
      }
      rush.onPart?.({ tracked: tracked.events, left: left.at(-1) ?? 0, isKilled: !isLast, errors });
      await browser.kill();
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  return { tracked, left, dropped };
}

/** Reads the network's report for these shoppers. */
export async function reported(line: Line): Promise<Omit<Counts, 'events'>> {
  const client = new ReportingClient({ variant: 'channel', networkUrl: line.network, apiKey: line.managementKey });
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const counts = none();
  const query = { from: day(-1), to: day(0), group_by: ['widget_id'], metrics: METRICS } as const;
  for await (const row of client.rows(query)) {
    if (row.widget_id === WIDGET_ID) for (const name of METRICS) counts[name] += row[name];
  }
  return counts;
}

function none(): Omit<Counts, 'events'> {
  return { feed_loads: 0, widget_displays: 0, viewable_widget_displays: 0, impressions: 0, clicks: 0 };
}

function onDisk(page: Page): Promise<number> {
  return page.evaluate(async () => (await (globalThis as unknown as { queue: Queue }).queue.stats()).onDisk);
}

/** Waits until every page's queue is empty. */
async function untilEmpty(pages: readonly Page[]): Promise<void> {
  for (const page of pages) while ((await onDisk(page)) > 0) await new Promise((done) => setTimeout(done, 200));
}
