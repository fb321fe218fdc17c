import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startKillable, type Killable } from '../../line/drivers/killable.ts';
import type { Site } from './site.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Events that reached the server, that never did, and that came more than once. */
export interface Tally {
  delivered: number;
  lost: number;
  doubled: number;
}

/** One way in which a page ends; what it leaves behind is collected afterwards by pages that are opened again. */
export interface Scenario {
  name: string;
  goal: string;
  count: number;
  run(context: { site: Site; browser: Killable; open(query?: string): Promise<Page> }): Promise<void>;
}

/** Tracks without waiting: what has not reached the disk when the page ends is lost. */
function enqueue(page: Page, from: number, count: number): Promise<void> {
  return page.evaluate(
    ([first, many]) => {
      const { enqueue: track } = globalThis as unknown as { enqueue: (id: string) => unknown };
      for (let n = 0; n < many; n++) track(`ev-x${first + n}`);
    },
    [from, count] as const,
  );
}

/** Lets so many milliseconds of the page's own life pass. */
function live(page: Page, ms: number): Promise<void> {
  return page.evaluate((long) => new Promise<void>((done) => setTimeout(done, long)), ms);
}

function killed(name: string, goal: string, how: Partial<Parameters<Scenario['run']>[0]['site']>): Scenario {
  return {
    name,
    goal,
    count: 200,
    async run({ site, open, browser }) {
      const page = await open();
      Object.assign(site, how);
      await enqueue(page, 0, 200);
      await live(page, 100);
      await browser.kill();
    },
  };
}

export const SCENARIOS: readonly Scenario[] = [
  killed('SIGKILL right after 200 events, server down', '200 / 0 / 0', { isDown: true }),
  killed('SIGKILL, server up with 300 ms latency', '200 / 0 / <=20', { delay: 300 }),
  {
    name: 'navigate away, server unreachable',
    goal: '200 / 0 / 0',
    count: 200,
    async run({ open, site }) {
      const page = await open();
      site.isDown = true;
      await enqueue(page, 0, 200);
      await page.goto(`${site.url}/?idle`);
      await sleep(1_000);
    },
  },
  {
    name: 'renderer crash',
    goal: '200 / 0 / <=20',
    count: 200,
    async run({ open, site, browser }) {
      const page = await open();
      site.delay = 300;
      await enqueue(page, 0, 200);
      await sleep(50);
      const devtools = await browser.context.newCDPSession(page);
      devtools.send('Page.crash').catch(() => undefined);
      await page.waitForEvent('crash').catch(() => undefined);
    },
  },
];

/** Runs a scenario in a separate browser, then comes back as a shopper does until nothing more arrives. */
export async function play(scenario: Scenario, site: Site, script: string): Promise<Tally> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  site.reset(script);
  let browser = await startKillable(profile);
  const open = async (query = ''): Promise<Page> => {
    const page = await browser.context.newPage();
    await page.goto(`${site.url}/${query}`);
    await sleep(700);
    return page;
  };
  await scenario.run({ site, browser, open });
  if (!browser.browser.isConnected()) browser = await startKillable(profile);
  Object.assign(site, { isDown: false, delay: 0 });
  if (new Set(site.arrived).size < scenario.count) {
    await open();
    for (let quiet = 0, seen = -1; quiet < 12; quiet++, await sleep(500)) {
      if (new Set(site.arrived).size >= scenario.count) break;
      if (site.arrived.length !== seen) quiet = 0;
      seen = site.arrived.length;
    }
    await sleep(1_000);
  }
  await browser.kill();
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  const delivered = new Set(site.arrived).size;
  return { delivered, lost: scenario.count - delivered, doubled: site.arrived.length - delivered };
}
