// What a queue has to live through: QUEUE.md's table, in a real Chromium.
import './queueWindow.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startKillable } from '../drivers/killable.ts';
import { tally, useQueueSite } from './queueFixture.ts';
import { inRealTime } from '../drivers/letPass.ts';

test.describe.configure({ mode: 'default' });
const site = useQueueSite();

const slowly = async (): Promise<number> => {
  await inRealTime(300);
  return 202;
};

/** Opens pages until everything has arrived, as a shopper who comes back would. */
async function comeBack(page: Page, from: string, count: number): Promise<void> {
  await page.goto(site.url);
  await expect.poll(() => tally(site.arrived(), from, count).lost).toBe(0);
}

test('no event is lost when the browser is killed right after 200 events, and at most one batch is sent twice', async () => {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-'));
  site.answer = slowly;
  const first = await startKillable(profile);
  const page = await first.context.newPage();
  await page.goto(site.url);
  await page.evaluate(() => track('k', 200).then(() => undefined));
  await first.kill();
  // A slow machine may have settled a batch by now: what has arrived counts.
  site.answer = () => 202;
  const second = await startKillable(profile);
  await comeBack(await second.context.newPage(), 'k', 200);
  await expect
    .poll(() =>
      second.context
        .pages()
        .at(-1)
        ?.evaluate(() => queue.stats()),
    )
    .toMatchObject({ onDisk: 0 });
  expect(tally(site.arrived(), 'k', 200).duplicated).toBeLessThanOrEqual(20);
  await second.kill();
  rmSync(profile, { recursive: true, force: true });
});

test('a renderer crash loses nothing and duplicates at most one batch', async ({ page, context }) => {
  site.answer = slowly;
  await page.goto(site.url);
  await page.evaluate(() => track('c', 200));
  const crashed = page.waitForEvent('crash');
  const devtools = await context.newCDPSession(page);
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
  site.answer = () => 202;
  await comeBack(await context.newPage(), 'c', 200);
  expect(tally(site.arrived(), 'c', 200).duplicated).toBeLessThanOrEqual(20);
});

test('events of four tabs are sent in ten requests, each once, by four tabs that are opened together', async ({
  context,
}) => {
  const pages = await Promise.all([1, 2, 3, 4].map(() => context.newPage()));
  for (const page of pages) await page.goto(`${site.url}/first`);
  site.isDown = '/first';
  await Promise.all(pages.map((page, n) => page.evaluate((from) => track(from, 50), `t${n}-`)));
  await Promise.all(pages.map((page) => page.goto(`${site.url}/?idle`)));
  await Promise.all(pages.map((page) => page.goto(site.url)));
  await expect
    .poll(() => pages.map((_, n) => tally(site.arrived(), `t${n}-`, 50)))
    .toEqual(pages.map(() => ({ lost: 0, duplicated: 0 })));
  expect(site.batches).toHaveLength(10);
});

test('a frozen tab that holds the lock does not block the others for good', async ({ context }) => {
  const [frozen, other] = [await context.newPage(), await context.newPage()];
  await frozen.goto(site.url);
  site.answer = () => undefined;
  await frozen.evaluate(() => track('f', 5));
  await expect.poll(() => site.batches.length).toBe(1);
  const devtools = await context.newCDPSession(frozen);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  site.answer = () => 202;
  await other.goto(site.url);
  await other.evaluate(() => track('g', 5));
  await expect.poll(() => tally(site.arrived(), 'g', 5).lost).toBe(0);
});

test('at pagehide at most 60 KB are sent by keepalive, and nothing is lost', async ({ page }) => {
  site.answer = () => undefined;
  await page.goto(site.url);
  await page.evaluate(() => track('h', 300));
  await expect.poll(() => site.batches.length).toBe(1);
  await page.evaluate(() => void setTimeout(() => (location.href = '/next?idle'))); // after this evaluation
  await page.waitForURL(/next/);
  await expect.poll(() => site.batches.length).toBeGreaterThan(1);
  await inRealTime(500);
  const sent = site.batches.slice(1).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(sent).toBeLessThanOrEqual(64 * 1024);
  site.answer = () => 202;
  await comeBack(page, 'h', 300);
});

test('in a sandboxed frame without storage and locks events are held in memory and sent', async ({ page }) => {
  await page.goto(`${site.url}/?idle`);
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.src = '/frame';
    document.body.append(frame);
  });
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('body')).toBeAttached();
  const inside = page.frames().find((each) => each.url().endsWith('/frame'));
  await inside?.evaluate(() => track('s', 30));
  expect(await inside?.evaluate(() => queue.stats())).toMatchObject({ storage: 'memory' });
  await expect.poll(() => tally(site.arrived(), 's', 30)).toEqual({ lost: 0, duplicated: 0 });
});

test('over quota events are held in memory and sent, and an error is reported', async ({ page, context }) => {
  const devtools = await context.newCDPSession(page);
  await page.goto(`${site.url}/?idle`);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize: 1 });
  await page.goto(site.url);
  await page.evaluate(() => track('q', 50));
  expect(await page.evaluate(() => queue.stats())).toMatchObject({ storage: 'memory' });
  expect(await page.evaluate(() => emitted.filter(({ type }) => type === 'error').length)).toBe(1);
  await expect.poll(() => tally(site.arrived(), 'q', 50)).toEqual({ lost: 0, duplicated: 0 });
});
