// What operators do with many publishers and for a whole month: exclusions, statements, the funnel.
import { expect, test } from '@playwright/test';
import { useSandbox } from '../drivers/sandbox.ts';
import { runCommand, startConsole, type StartedConsole } from './consoleFixture.ts';

const sandbox = useSandbox();
let own: StartedConsole;
test.describe.configure({ mode: 'default' }); // one network serves them all
test.beforeAll(async () => {
  own = await startConsole({ network: sandbox.network, key: sandbox.keys.management });
});
test.afterAll(() => own?.stop());
test.use({ viewport: { width: 1280, height: 900 } });

test('categories are excluded for chosen publishers, with the difference of each, and undone', async ({ page }) => {
  await page.goto(`${own.url}/publishers?sort=name`);
  const excluded = async (): Promise<string> => {
    const words = ['exclusions', 'show', '--publisher', 'Juniper & Co', '--network', sandbox.network, '--csv'];
    return runCommand(words, sandbox.keys.management);
  };
  const before = await excluded();
  await page.getByLabel('Choose Juniper & Co').check();
  await page.getByLabel('Search publishers by name').fill('kettle');
  await page.getByLabel('Choose Kettle & Crumb').check();
  await expect(page.getByText('2 publishers chosen')).toBeVisible();
  await page.getByRole('button', { name: 'Exclude categories …' }).click();
  await page.getByLabel('Camping').check();
  const bar = page.getByLabel('Changes');
  await expect(bar).toContainText('2 publishers will change: Camping');
  await bar.getByText('By publisher').click();
  await expect(bar.getByRole('listitem')).toHaveText(['Juniper & Co: + Camping', 'Kettle & Crumb: + Camping']);
  await bar.getByRole('button', { name: 'Save' }).click();
  await expect(bar).toContainText('Excluded for 2 publishers.');
  expect(await excluded()).toContain('Camping');
  await bar.getByRole('button', { name: 'Undo' }).click();
  await expect(bar).toContainText('Undone for 2 publishers.');
  expect(await excluded()).toBe(before);
  await page.getByRole('button', { name: 'Back to the list' }).click();
  await page.getByLabel('Choose all on this page').check();
  await expect(page.getByText('1 publisher chosen')).toBeVisible();
});
