import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { addDays } from '../../../src/wire/utcDates.ts';
import { useSandbox } from '../drivers/sandbox.ts';
import { control, runCommand, startConsole, type StartedConsole } from './consoleFixture.ts';

const sandbox = useSandbox();
let own: StartedConsole;
const folder = mkdtempSync(join(tmpdir(), 'offerlet-console-files-'));
const rules = join(folder, 'watch.yaml');
const today = new Date().toISOString().slice(0, 10);
test.describe.configure({ mode: 'default' }); // one network serves them all
test.beforeAll(async () => {
  const list = await fetch(`${sandbox.network}/adnet/publishers/list/?q=juniper`, {
    headers: { 'x-api-key': sandbox.keys.management },
  });
  const [publisher] = ((await list.json()) as { publishers: [{ publisher_remote_id: string }] }).publishers;
  const clicks = (day: string, count: number, hour = '12') => ({
    hour: `${day}T${hour}:00:00Z`,
    publisher_remote_id: publisher.publisher_remote_id,
    page_type: 'KIOSK',
    widget_type: 'INLINE',
    widget_id: null,
    clicks: count,
  });
  const days = [...Array(40).keys()].map((back) => addDays(today, -2 - back));
  await control(sandbox.network, 'activity', {
    rows: [...days.map((day) => clicks(day, 1_000)), clicks(addDays(today, -1), 50), clicks(today, 1, '00')],
  });
  writeFileSync(rules, 'rules:\n  kiosks:\n    kind: change\n    by: page_type\n    below: -30%\n');
  own = await startConsole({ network: sandbox.network, key: sandbox.keys.management, words: ['--rules', rules] });
});
test.afterAll(async () => {
  await own?.stop();
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
  const section = page.getByRole('region', { name: 'Needs attention' });
  await expect(section.getByRole('listitem')).toHaveCount(causes.length);
  await expect(section).toContainText(causes[0]?.text ?? '?');
  await expect(page.getByRole('region', { name: /^In the last/ }).getByRole('listitem')).toHaveCount(events.length);
  // Said once while it lasts, and no date breaks.
  await expect(page.getByText(causes[0]?.text ?? '?')).toHaveCount(1);
  expect(await page.locator('.watch').textContent()).not.toMatch(/\d [A-Z]\w\w \d{4}/);
  await page.getByText('90 days', { exact: true }).click();
  await expect(page).toHaveURL(/watch\?days=90$/);
  await expect(page.getByRole('heading', { name: 'In the last 90 days' })).toBeVisible();
});

test('while the days are read, the page says how far it is', async ({ page }) => {
  let release = (): void => undefined;
  const seen = new Promise<void>((resolve) => (release = resolve));
  const progress = 'Read 43 % of the days by publisher …';
  await page.route('**/api/watch?*', async (route) => seen.then(() => route.continue()));
  await page.route('**/api/watch?*', (route) => route.fulfill({ json: { progress } }), { times: 1 });
  await page.goto(`${own.url}/watch`);
  await expect(page.getByText(progress)).toBeVisible();
  release();
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
  await expect(page.getByText(progress)).toHaveCount(0);
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
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible();
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
