import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { SCENARIOS } from '../../../src/wire/scenarios/scenarios.ts';

let folder: string;
let complaints: string[];
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'offerlet-playground-'));
  const { buildPlayground } = (await import('../../../tools/playground.mjs' as string)) as {
    buildPlayground(folder: string): Promise<void>;
  };
  await buildPlayground(folder);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));
test.beforeEach(async ({ page, context }) => {
  complaints = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await context.route(/^https?:/, (route) => {
    complaints.push(route.request().url());
    return route.abort();
  });
  await page.goto(pathToFileURL(join(folder, 'index.html')).href);
});

const outcome = (page: Page) => page.locator('[data-outcome]');

test('the playground shows offers from a disk, in each mode, under its own policy, and sends nothing', async ({
  page,
}) => {
  for (const mode of ['Inline', 'Overlay', 'Fullscreen', 'Pull-up']) {
    await page.getByText(mode, { exact: true }).click();
    await expect(outcome(page)).toHaveText(/^rendered: 3 offers/);
    await expect(page.locator('[part=accept]').first()).toBeVisible();
    await expect(page.locator('.top .logo img')).toHaveClass('loaded');
    if (mode !== 'Inline') await page.locator('[part=close]').click();
  }
  await expect(page.locator('[data-events] tr').filter({ hasText: 'WIDGET_LOAD' }).first()).toContainText('delivered');
  await expect(page.locator('[data-tag]')).toContainText('data-display-mode="PULLUP"');
  expect(complaints).toEqual([]);
});

test('theme, language and colours are the page’s, with their contrast and the CSS to copy', async ({ page }) => {
  await page.locator('[name=theme]').selectOption('dark');
  await page.getByLabel('Language').selectOption('ar');
  await expect(page.locator('[part=card]')).toHaveCSS('background-color', /^lab\(10|rgb\(2\d/);
  await expect(page.getByText('مموّل')).toBeVisible();
  await page.getByLabel('Accent').fill('#0f766e');
  await expect(page.locator('[data-css]')).toContainText('--offerlet-accent: #0f766e;');
  await expect(page.getByRole('list', { name: 'Contrast' })).toContainText('Accept');
});

test('every scenario can be played, and says what must be seen', async ({ page }) => {
  for (const { name, mustSee, page: forcing, faults = [] } of SCENARIOS) {
    await page.getByLabel('Scenario').selectOption(name);
    await expect(page.locator('[data-note]')).toHaveText(`You must see: ${mustSee}`);
    if (forcing?.consent === 'pending') await page.getByRole('button', { name: 'Consent', exact: true }).click();
    if (faults.some(({ delay_ms = 0 }) => delay_ms > 10_000)) continue;
    await expect(outcome(page)).toHaveText(/^\w+: /);
  }
});

test('settings are in the URL, and the page can be loaded again: offers, events and closed layers are new', async ({
  page,
}) => {
  await page.getByText('Overlay', { exact: true }).click();
  await page.getByLabel('Language').selectOption('de');
  await page.locator('[part=close]').click();
  for (let load = 0; load < 2; load++) {
    await page.reload();
    await expect(outcome(page)).toHaveText(/^rendered: 3 offers/);
    await expect(page.getByRole('dialog').getByText('Gesponsert')).toBeVisible();
    await expect(page.locator('[data-events] tr').filter({ hasText: 'WIDGET_VIEW' })).toContainText('delivered');
    await expect(page.locator('[data-wire] summary').last()).toHaveText('POST /offers/recommendations → 200');
    await expect(page.locator('[data-explain]')).toContainText('"code": "rendered"');
    await page.locator('[part=close]').click();
  }
});

test('on the site a phone shows all settings and the first offer’s picture, and its snippet has the space', async ({
  page,
}) => {
  await page
    .context()
    .route('https://site.test/**', (route) =>
      route.fulfill({ path: join(folder, new URL(route.request().url()).pathname) }),
    );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('https://site.test/index.html');
  await expect(page.locator('.picture img')).toHaveClass('loaded');
  for (const part of ['[name=scenario]', '.picture']) await expect(page.locator(part)).toBeInViewport({ ratio: 1 });
  await expect(page.locator('[data-tag]')).toContainText('min-block-size: 570px');
  const policy = await page.locator('meta[http-equiv]').getAttribute('content');
  expect(policy).toMatch(/base-uri 'none'; form-action 'none'/);
  expect(complaints).toEqual([]);
});
