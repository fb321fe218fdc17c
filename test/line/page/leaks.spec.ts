// A page of an app that lives for hours: what it mounts and destroys again must leave nothing behind.
import { expect, test, type CDPSession } from '@playwright/test';
import { offersOf, startFixture, type Fixture } from './pageFixture.ts';
import { openWith, options } from './pageShop.ts';

let fixture: Fixture;
test.beforeAll(async () => {
  fixture = await startFixture();
});
test.beforeEach(() => fixture.reset());
test.afterAll(() => fixture.close());

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

for (const mode of ['INLINE', 'OVERLAY', 'FULLSCREEN', 'PULLUP']) {
  test(`200 mounts of ${mode} leave no node, listener, connection or memory`, async ({ page }) => {
    test.setTimeout(240_000);
    fixture.reply = () => offersOf(2);
    await openWith(
      page,
      fixture,
      `window.cycle = async (times) => {
        for (let time = 0; time < times; time++) {
          const offers = showOffers(${options(mode)});
          await offers.outcome;
          offers.destroy();
        }
      };`,
    );
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    await page.evaluate('cycle(20)');
    await page.waitForTimeout(2_000);
    const before = await alive(cdp);
    await page.evaluate('cycle(200)');
    // Timers of a second or two may hold the last mounts until they end.
    await expect
      .poll(async () => (await alive(cdp)).listeners, { timeout: 20_000, intervals: [1_000] })
      .toBeLessThan(before.listeners + 20);
    const after = await alive(cdp);
    expect(after.nodes).toBeLessThan(before.nodes + 100);
    expect(after.heap).toBeLessThan(before.heap + 400_000);
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
    ).toBe('deleted');
    await page.waitForTimeout(2_000);
    expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  });
}
