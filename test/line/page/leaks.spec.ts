// A page of an app that lives for hours: what it mounts and destroys again must leave nothing behind.
import { expect, test, type CDPSession, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { openWith, options } from './pageShop.ts';

const fixture = useFixture();

interface Counters {
  nodes: number;
  listeners: number;
  heap: number;
}

/** What is alive after everything that can be collected was collected. */
async function alive(cdp: CDPSession): Promise<Counters> {
  for (let times = 0; times < 3; times++) await cdp.send('HeapProfiler.collectGarbage');
  const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return {
    nodes,
    listeners: jsEventListeners,
    heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0,
  };
}

/** What is alive once it is close to what was alive on the empty page: timers and signals hold the last mounts for some seconds. */
async function settled(cdp: CDPSession, empty: Counters, mode: string): Promise<Counters> {
  let now = await alive(cdp);
  const excess = async (): Promise<number> => {
    now = await alive(cdp);
    return Math.max(now.listeners - empty.listeners - 20, now.nodes - empty.nodes - 20);
  };
  await expect.poll(excess, { message: mode, intervals: [1_000] }).toBeLessThan(0);
  return now;
}

// Each mode has its own browser profile and thereby its own process. They wait at the same time.
test('200 mounts of each mode leave no node, listener, connection or memory', async ({ browser }) => {
  fixture.reply = () => offersOf(2);
  const pages = new Map<string, Page>();
  // One after the other: the fixture serves them at one address.
  for (const mode of ['INLINE', 'OVERLAY', 'FULLSCREEN', 'PULLUP']) {
    const page = await (await browser.newContext()).newPage();
    await openWith(
      page,
      fixture,
      `window.mode = '${mode}'; window.cycle = async (times) => {
        for (let time = 0; time < times; time++) {
          const offers = showOffers(${options(mode)});
          await offers.outcome;
          offers.destroy();
        }
      };`,
    );
    await page.waitForFunction('window.cycle');
    pages.set(mode, page);
  }
  await Promise.all([...pages].map(([mode, page]) => mountTwoHundred(page, mode)));
  await Promise.all([...pages.values()].map((page) => page.context().close()));
});

async function mountTwoHundred(page: Page, mode: string): Promise<void> {
  expect(await page.evaluate('mode')).toBe(mode);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const empty = await alive(cdp);
  await page.evaluate('cycle(20)');
  const before = await settled(cdp, empty, mode);
  await page.evaluate('cycle(200)');
  const after = await settled(cdp, empty, mode);
  expect(after.heap, mode).toBeLessThan(before.heap + 200_000);
  // A connection that is still open blocks the deletion of its database.
  expect(
    await page.evaluate(async () => {
      const [database] = await indexedDB.databases();
      return new Promise((resolve) => {
        const deletion = indexedDB.deleteDatabase(database?.name ?? '');
        deletion.onblocked = () => resolve('blocked');
        deletion.onsuccess = () => resolve('deleted');
      });
    }),
    mode,
  ).toBe('deleted');
  await page.waitForTimeout(2_000);
  expect(await page.evaluate('indexedDB.databases()'), mode).toEqual([]);
}
