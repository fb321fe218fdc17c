// A browser that is killed may forget the order: it is requested again, and the relay repeats its response for ten minutes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startKillable } from '../drivers/killable.ts';
import { useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';

const fixture = useFixture();

const requests = () => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;

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
/** The session of each load. */
const loads = () =>
  fixture.events.filter(({ event_name }) => event_name === 'WIDGET_LOAD').map(({ session_id }) => session_id);

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
