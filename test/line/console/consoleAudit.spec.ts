// The page Audit of the sandbox: the relay's ledger beside the network's report, and each way to count wrongly.
import { expect, test, type Page } from '@playwright/test';
import { startSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { violationsOf } from '../drivers/violationsOf.ts';
import { startConsole } from './consoleFixture.ts';
import { poll } from '../drivers/poll.ts';

let sandbox: Sandbox;
test.describe.configure({ mode: 'default', timeout: 120_000 }); // one sandbox serves them all
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await startSandbox();
});
test.afterAll(() => sandbox?.stop());

async function letThemShop(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Let 60 shoppers shop' }).click();
  await expect(page.getByRole('button', { name: 'Let 60 shoppers shop' })).toBeEnabled({ timeout: 60_000 });
}

async function choose(page: Page, name: string): Promise<void> {
  const changed = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByRole('radio', { name }).check();
  expect((await changed).ok()).toBe(true);
}

/** The relay's and the network's count of clicks today. */
async function clicksOf(page: Page): Promise<[number, number]> {
  const cells = page.getByRole('region', { name: 'Totals by metric' }).getByRole('row', { name: /^Clicks/ });
  const texts = await cells.getByRole('cell').allInnerTexts();
  return [Number(texts[0]?.replaceAll(',', '')), Number(texts[1]?.replaceAll(',', ''))];
}

test('finds clicks that count twice, names hour and metric, and is silent before', async ({ page }) => {
  await page.goto(`${sandbox.shop}/console/audit`);
  await expect(page.getByText('The ledger is empty')).toBeVisible();
  await letThemShop(page);
  await expect(page.getByRole('heading', { name: 'Both counts agree' })).toBeVisible();
  const [before] = await clicksOf(page);
  expect(before).toBeGreaterThan(0);

  await choose(page, 'Counts clicks twice');
  await letThemShop(page);
  await expect(page.getByRole('heading', { name: 'The counts differ' })).toBeVisible();
  await poll(async () => (await clicksOf(page))[0]).toBeGreaterThan(before);
  const [ours, theirs] = await clicksOf(page);
  expect(theirs).toBe(ours + (ours - before));
  const hours = page.getByRole('region', { name: 'Hours that differ' });
  await expect(hours.getByRole('row', { name: /\d\d:00 Clicks .* extra/ })).toBeVisible();
  await expect(hours.getByRole('row', { name: /Impressions/ })).toHaveCount(0);
  await expect(page.getByRole('listitem').filter({ hasText: 'counts events more than once' })).toBeVisible();
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await poll(() =>
    page.evaluate(() => {
      const scrollers = [...document.querySelectorAll('.scroller')];
      const isCut = scrollers.map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
      return { page: document.documentElement.scrollWidth, isCut };
    }),
  ).toEqual({ page: 320, isCut: [false, false] });

  await choose(page, 'Correctly');
  await page.reload();
  await expect(page.getByRole('radio', { name: 'Correctly' })).toBeChecked();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(page.getByRole('heading', { name: 'The counts differ' })).toBeVisible(); // what was counted stays
});

test('a period before the ledger began is neither right nor wrong', async ({ page }) => {
  await page.goto(`${sandbox.shop}/console/audit?period=yesterday`);
  await expect(page.getByRole('heading', { name: 'The ledger began later' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Totals by metric' })).toHaveCount(0);
});

test('a late report is late, not wrong, and agrees again when it comes', async ({ page }) => {
  await page.goto(`${sandbox.shop}/console/audit`);
  await letThemShop(page);
  await choose(page, 'Reports late');
  await expect(page.getByRole('heading', { name: 'is not complete yet' })).toBeVisible();
  await expect(page.getByRole('row', { name: /^Loads .* late/ })).toBeVisible();
  await choose(page, 'Correctly');
  await expect(page.getByRole('row', { name: /^Loads .* ok/ })).toBeVisible();
});

test('a console without a ledger has no such page in its navigation, and says what it would need', async ({ page }) => {
  const console = await startConsole({ network: sandbox.network, key: sandbox.keys.management });
  try {
    await page.goto(`${console.url}/audit`);
    await expect(page.getByRole('heading', { name: 'This console has no ledger' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Exclusions' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Audit', exact: true })).toHaveCount(0);
  } finally {
    await console.stop();
  }
});
