import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { addDays, monthStart } from '../../../src/wire/utcDates.ts';
import { startSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { violationsOf } from '../drivers/violationsOf.ts';
import { control, runCommand, startConsole, type StartedConsole } from './consoleFixture.ts';

let sandbox: Sandbox;
let own: StartedConsole;
let publisher: { publisher_remote_id: string; brand_name: string };
const folder = mkdtempSync(join(tmpdir(), 'offerlet-console-files-'));
const rules = join(folder, 'watch.yaml');
const reports = join(folder, 'reports.yaml');
const today = new Date().toISOString().slice(0, 10);
const month = monthStart(today, -1).slice(0, 7);
test.describe.configure({ mode: 'default', timeout: 90_000 }); // one network serves them all
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await startSandbox();
  const list = await fetch(`${sandbox.network}/adnet/publishers/list/?q=juniper`, {
    headers: { 'x-api-key': sandbox.keys.management },
  });
  [publisher] = ((await list.json()) as { publishers: [typeof publisher] }).publishers;
  const clicks = (day: string, count: number) => ({
    hour: `${day}T12:00:00Z`,
    publisher_remote_id: publisher.publisher_remote_id,
    page_type: 'KIOSK',
    widget_type: 'INLINE',
    widget_id: null,
    clicks: count,
  });
  const days = [...Array(40).keys()].map((back) => addDays(today, -2 - back));
  await control(sandbox.network, 'activity', {
    rows: [...days.map((day) => clicks(day, 1_000)), clicks(addDays(today, -1), 50)],
  });
  writeFileSync(rules, 'rules:\n  kiosks:\n    kind: change\n    by: page_type\n    below: -30%\n');
  writeFileSync(
    reports,
    'currency: EUR\nreports:\n  losses:\n    title: Whose clicks fell\n    period: 28d\n    by: publisher\n    metrics: [clicks, ctr]\n    compare: previous\n    sort: clicks\n',
  );
  const words = ['--rules', rules, '--reports', reports, '--statements', join(folder, 'statements')];
  own = await startConsole({ network: sandbox.network, key: sandbox.keys.management, words });
});
test.afterAll(async () => {
  await own?.stop();
  await sandbox?.stop();
  rmSync(folder, { recursive: true, force: true });
});
test.use({ viewport: { width: 1280, height: 900 } });

async function open(page: Page, place: string): Promise<void> {
  await page.goto(`${own.url}/${place}`);
  await expect(page.locator('[aria-busy=true], .starting, .bone')).toHaveCount(0);
}

test('what the page says is what the command says', async ({ page }) => {
  await open(page, 'watch');
  const printed = await runCommand(
    ['watch', '--network', sandbox.network, '--rules', rules, '--backtest', '30', '--json'],
    sandbox.keys.management,
  );
  const { events, open: causes } = JSON.parse(printed) as {
    events: { text: string }[];
    open: { name: string; text: string }[];
  };
  expect(causes.map(({ name }) => name)).toEqual(['KIOSK']);
  const section = page.getByRole('region', { name: 'Open' });
  await expect(section.getByRole('listitem')).toHaveCount(causes.length);
  await expect(section).toContainText(causes[0]?.text ?? '?');
  await expect(page.getByRole('region', { name: /^What was said/ }).getByRole('listitem')).toHaveCount(events.length);
  await page.getByText('90 days', { exact: true }).click();
  await expect(page).toHaveURL(/watch\?days=90$/);
  await expect(page.getByRole('heading', { name: 'What was said in 90 days' })).toBeVisible();
});

test('a mistake in the rules is said with its line, and gone when the file is right', async ({ page }) => {
  const right = readFileSync(rules, 'utf8');
  writeFileSync(rules, 'rules:\n  kiosks:\n    kind: chnage\n');
  await page.goto(`${own.url}/watch`);
  await expect(page.getByRole('alert')).toContainText(
    'line 3: rules.kiosks.kind is not known: "chnage". Did you mean change?',
  );
  writeFileSync(rules, right);
  await open(page, 'watch');
  await expect(page.getByRole('region', { name: 'Open' })).toBeVisible();
});

test('a saved report is a link that shows it, with the currency of the file', async ({ page }) => {
  await open(page, '');
  await page.getByRole('link', { name: 'Whose clicks fell' }).click();
  await expect(page).toHaveURL(
    /\?period=last_28_days&grain=total&by=publisher&metrics=clicks%2Cctr&compare=previous&sort=clicks$/,
  );
  await expect(page.locator('.report [aria-sort=ascending]')).toHaveText(/Clicks/);
  await expect(page.locator('.foot-note')).toContainText('Amounts are in EUR.');
});

test('a statement is frozen, printed alone, and says what changed since', async ({ page }) => {
  await open(page, `statements/${month}`);
  await expect(page.locator('.statement')).toContainText('Frozen on');
  const total = page.locator('.statement tfoot td').last();
  const before = await total.textContent();
  const frozen = JSON.parse(readFileSync(join(folder, 'statements', `${month}.json`), 'utf8')) as {
    totals: { channel_payout: number };
  };
  expect(before).toBe(frozen.totals.channel_payout.toLocaleString('en', { minimumFractionDigits: 2 }));
  await control(sandbox.network, 'activity', {
    rows: [
      {
        hour: `${month}-05T12:00:00Z`,
        publisher_remote_id: publisher.publisher_remote_id,
        page_type: 'THANK_YOU',
        widget_type: 'INLINE',
        widget_id: null,
        clicks: 7,
        channel_payout: 12.5,
      },
    ],
  });
  await open(page, `statements/${month}`);
  await expect(total).toHaveText(before ?? '');
  const changes = page.getByRole('region', { name: /^Changed since/ }).getByRole('row');
  await expect(changes).toHaveCount(3);
  await expect(changes.nth(1)).toContainText(/Clicks.*\+7$/);
  await expect(changes.nth(2)).toContainText(/Payout, EUR.*\+12\.50$/);
  await page.locator('.statement tbody').first().getByRole('link', { name: publisher.brand_name }).click();
  await expect(page).toHaveURL(new RegExp(`statements/${month}/`));
  await expect(page.getByRole('heading', { level: 2 })).toContainText(publisher.brand_name);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.masthead')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden();
  await expect(page.locator('.statement')).toBeVisible();
});

test('on an A4 page a statement has all its columns, dark ink, and no part that is cut', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 1018 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await open(page, `statements/${month}`);
  await expect(page.locator('.statement')).toBeVisible();
  const printed = await page.evaluate(() => {
    const article = document.querySelector('.statement');
    const cells = [...(article?.querySelectorAll('table:first-of-type :is(th, td)') ?? [])];
    return {
      headers: [...(article?.querySelector('thead')?.querySelectorAll('th') ?? [])].map((cell) => cell.textContent),
      cut: cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.getBoundingClientRect().right > 720)
        .length,
      hidden: cells.filter((cell) => cell.getClientRects().length === 0).length,
      ink: article === null ? '' : getComputedStyle(article).color,
      wide: document.documentElement.scrollWidth,
    };
  });
  expect(printed).toEqual({
    headers: ['Publisher', 'Impressions', 'Clicks', 'CTR', 'Conversions', 'CVR', 'Payout, EUR'],
    cut: 0,
    hidden: 0,
    ink: 'rgb(17, 23, 38)',
    wide: 720,
  });
});

test('a table that is wider than its window says that there is more to the side', async ({ page }) => {
  const hint = page.getByText('More columns to the side');
  await page.setViewportSize({ width: 768, height: 900 });
  await open(page, '?grain=day');
  await expect(hint).toBeVisible();
  await expect(page.locator('.scroller')).toHaveClass(/has-more/);
  await page
    .getByRole('region', { name: 'Report', exact: true })
    .evaluate((box) => box.scrollTo({ left: box.scrollWidth }));
  await expect(page.locator('.scroller')).not.toHaveClass(/has-more/);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(hint).toHaveCount(0);
});

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 390],
  ['light', 320],
] as const)
  test(`axe finds nothing, and nothing is wider than the window: ${colorScheme}, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    for (const place of ['watch', 'statements', `statements/${month}/${publisher.publisher_remote_id}`, '']) {
      await open(page, place);
      expect(await violationsOf(page), place).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(width);
    }
  });
