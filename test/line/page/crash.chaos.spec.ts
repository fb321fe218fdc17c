// The same order is the same session, even when the browser is killed as soon as the response is stored.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startKillable } from '../drivers/killable.ts';
import { useFixture } from './pageFixture.ts';
import { databases, scriptTag, shop } from './pageShop.ts';

const fixture = useFixture();

const requests = () => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const count = (name: string) => fixture.names().filter((one) => one === name).length;

/** Runs each visit in a separate browser, on one profile, and kills the browser as soon as the visit is over. */
async function visits(...all: ((page: Page) => Promise<unknown>)[]): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-'));
  for (const visit of all) {
    const killable = await startKillable(profile);
    const page = await killable.context.newPage();
    await page.goto(fixture.page('/order', shop(scriptTag({ 'display-mode': 'OVERLAY' }))));
    await visit(page);
    await killable.kill();
  }
  rmSync(profile, { recursive: true, force: true });
}

const rendered = (page: Page) => page.waitForFunction("offerlet.explain?.()[0]?.outcome?.code === 'rendered'");
const session = (page: Page) =>
  page.evaluate<{ isRemembered: boolean; session_id: string }>('offerlet.explain()[0].response');
const loads = () =>
  fixture.events.flatMap(({ event_name, session_id }) => (event_name === 'WIDGET_LOAD' ? session_id : []));

test('after a kill right after the response is stored, nothing is requested again and one load is counted', async () => {
  const sessions: { isRemembered: boolean; session_id: string }[] = [];
  await visits(
    async (page) => {
      await rendered(page);
      const { session_id } = await session(page);
      await expect.poll(() => databases(page)).toContain(session_id);
    },
    async (page) => {
      await rendered(page);
      sessions.push(await session(page));
      await expect.poll(() => count('WIDGET_LOAD')).toBe(1);
    },
  );
  expect(sessions).toMatchObject([{ isRemembered: true, session_id: fixture.events[0]?.session_id }]);
  expect(requests()).toBe(1);
  expect(count('WIDGET_LOAD')).toBe(1);
});

test('after a kill in the moment of the paint, offers are shown again and no session is counted twice', async () => {
  let last = '';
  await visits(rendered, async (page) => {
    await rendered(page);
    last = (await session(page)).session_id;
    await expect.poll(() => loads()).toContain(last);
  });
  expect(loads()).toEqual([...new Set(loads())]);
  // What was not stored yet is requested again.
  expect(requests()).toBeLessThan(3);
  expect(loads().length).toBeLessThanOrEqual(requests());
});

test('after a kill after a view, no second display or view is counted', async () => {
  await visits(
    async (page) => {
      await rendered(page);
      await expect.poll(() => count('WIDGET_VIEW')).toBe(1);
    },
    async (page) => {
      await rendered(page);
      await page.waitForTimeout(1_500);
    },
  );
  for (const name of ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_VIEW'])
    expect(count(name), name).toBe(1);
});

test('after a kill right after a dismissal, the overlay stays away', async () => {
  await visits(
    async (page) => {
      await rendered(page);
      await page.locator('[part~=close]').click();
      await expect(page.locator('offer-let-layer')).toHaveCount(0);
    },
    (page) => page.waitForFunction("offerlet.explain?.()[0]?.outcome?.code === 'already_shown'"),
  );
  expect(requests()).toBe(1);
});
