import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { startSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { violationsOf } from '../drivers/violationsOf.ts';
import { runCommand, startConsole, type StartedConsole } from './consoleFixture.ts';

let sandbox: Sandbox;
let own: StartedConsole;
let state: string;
test.describe.configure({ mode: 'default', timeout: 90_000 }); // one network serves them all
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await startSandbox();
});
test.afterAll(async () => {
  await sandbox?.stop();
});
test.beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'offerlet-console-changes-'));
  await command('exclusions set --clear --yes');
  rmSync(join(state, 'offerlet'), { recursive: true, force: true });
  own = await startConsole({ network: sandbox.network, key: sandbox.keys.management, state });
});
test.afterEach(async () => {
  await own?.stop();
  rmSync(state, { recursive: true, force: true });
});

async function command(line: string, at = state): Promise<string> {
  return runCommand([...line.split(' '), '--network', sandbox.network], sandbox.keys.management, at);
}

async function excluded(): Promise<string[]> {
  const { channel } = JSON.parse(await command('exclusions show --json')) as { channel: unknown[] };
  return channel.map((one) => JSON.stringify(one));
}

async function open(page: Page): Promise<void> {
  await page.goto(`${own.url}/changes`);
  await expect(page.locator('[aria-busy=true], .starting')).toHaveCount(0);
}

test('changes of commands and of the console are listed, and the latest is taken back', async ({ page }) => {
  await command('exclusions add Wine');
  await page.goto(`${own.url}/exclusions`);
  await page.getByLabel('Coffee', { exact: true }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await open(page);
  const entries = page.getByRole('region', { name: 'Changes of the channel' }).getByRole('listitem');
  await expect(entries).toHaveCount(2);
  await expect(entries.first()).toContainText('1 more excluded: Food & Drink / Coffee');
  await expect(entries.first()).toContainText(', console');
  await expect(entries.last()).toContainText('1 more excluded: Food & Drink / Wine');
  await expect(entries.last()).toContainText(', command');
  // The list is no longer what the older change left.
  await expect(entries.last().getByRole('button')).toHaveCount(0);
  await entries.first().getByRole('button', { name: 'Undo' }).click();
  expect(await excluded()).toHaveLength(2);
  await entries.first().getByRole('button', { name: 'Take back' }).click();
  await expect(entries).toHaveCount(3);
  await expect(entries.first()).toContainText('1 allowed again: Food & Drink / Coffee');
  await expect(entries.first()).toContainText('takes an earlier change back');
  expect(await excluded()).toHaveLength(1);
  // So is what took it back, and now the older change.
  await expect(entries.getByRole('button', { name: 'Undo' })).toHaveCount(2);
  const { changes } = JSON.parse(await runCommand(['changes', '--json'], '', state)) as {
    changes: { undoes?: string; id: string }[];
  };
  expect(changes[0]?.undoes).toBe(changes[1]?.id);
});

test('a list that somebody else has changed is not taken back', async ({ page }) => {
  await command('exclusions add Wine');
  await open(page);
  await command('exclusions add Coffee', `${state}-somebody`);
  await page.getByRole('button', { name: 'Undo' }).click();
  const ask = page.getByRole('group', { name: 'Take this change back' });
  await ask.getByRole('button', { name: 'Take back' }).click();
  await expect(ask).toContainText('The list was changed after this');
  await expect(ask.getByRole('button', { name: 'Take back' })).toBeDisabled();
  expect(await excluded()).toHaveLength(2);
  rmSync(`${state}-somebody`, { recursive: true, force: true });
});

test('an account that has changed nothing reads so', async ({ page }) => {
  await open(page);
  await expect(page.getByText('Nothing was changed from this account yet.')).toBeVisible();
  await expect(page.locator('.foot-note')).toContainText(join(state, 'offerlet', 'changes.jsonl'));
});

test('in a narrow window the pages are behind one button, and the masthead has one line', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  await expect(page.getByRole('navigation')).toHaveCount(0);
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll('.masthead > :is(.brand, .pages)')].map((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    }),
  );
  expect(new Set(rows).size).toBe(1);
  await page.goto(`${own.url}/statements`); // the longest name of a page
  const name = page.locator('.brand b');
  await expect(name).toHaveText('Demo Channel');
  expect(await name.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
  await open(page);
  await page.getByRole('button', { name: 'Pages' }).click();
  const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
  await expect(links).toHaveText(['Report', 'Publishers', 'Exclusions', 'Watch', 'Statements', 'Changes']);
  await expect(links.last()).toHaveAttribute('aria-current', 'page');
  await links.nth(1).click();
  await expect(page).toHaveURL(/publishers$/);
  await expect(page.getByRole('heading', { name: 'Publishers' })).toBeFocused();
});

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 390],
  ['light', 320],
] as const)
  test(`axe finds nothing, and nothing is wider than the window: ${colorScheme}, ${width} px`, async ({ page }) => {
    await command('exclusions add Wine');
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await open(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Take back' })).toBeVisible();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
