// What operators do with many publishers and for a whole month: exclusions, statements, the funnel.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { useSandbox } from '../drivers/sandbox.ts';
import { runCommand, useConsole } from './consoleFixture.ts';

const sandbox = useSandbox();
const own = useConsole(sandbox);
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

test('the funnel has the totals of one report, each step with its share of the one before', async ({ page }) => {
  const query = 'period=last_7_days&by=publisher&metrics=clicks&page_type=THANK_YOU';
  const reads: string[] = [];
  page.on('request', (request) => {
    if (/api\/report\?.*feed_loads/.test(request.url())) reads.push(request.url());
  });
  await page.goto(`${own.url}/?${query}`);
  const steps = page.getByRole('region', { name: 'Funnel' }).getByRole('listitem');
  const names = [
    'feed_loads',
    'widget_displays',
    'viewable_widget_displays',
    'clicks',
    'conversions',
    'channel_payout',
  ];
  await expect(steps).toHaveCount(names.length);
  await expect(steps.first()).toContainText(/\d/);
  expect(reads).toHaveLength(1);
  const words = `report --network ${sandbox.network} --period 7d --filter page_type=THANK_YOU --metrics ${names.join()}`;
  const { totals } = JSON.parse(await runCommand([...words.split(' '), '--json'], sandbox.keys.management)) as {
    totals: Record<string, number>;
  };
  for (const [index, name] of names.entries()) {
    const text = (await steps.nth(index).locator('b').textContent()) ?? '';
    expect(Number(text.replaceAll(',', '')), name).toBe(totals[name]);
  }
  const share = ((totals['clicks'] ?? 0) / (totals['viewable_widget_displays'] ?? 1)) * 100;
  await expect(steps.nth(3)).toContainText(`${share.toFixed(2)}% of viewable displays`);
});

test('a statement has the lines, the total and the CSV of the command', async ({ page }) => {
  await page.goto(`${own.url}/statement`);
  const table = page.getByRole('region', { name: /^Statement of/ });
  await expect(table.getByRole('row', { name: /^Total/ })).toBeVisible();
  const month = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1)).toISOString().slice(0, 7);
  const words = ['statement', '--network', sandbox.network, '--month', month];
  const printed = await runCommand([...words, '--json'], sandbox.keys.management);
  const { data, totals } = JSON.parse(printed) as { data: object[]; totals: Record<string, number> };
  await expect(table.locator('tbody tr')).toHaveCount(data.length + 1);
  const payout = (await table.locator('.totals td').last().textContent()) ?? '';
  expect(Number(payout.replaceAll(',', ''))).toBe(totals['channel_payout']);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toBe(await runCommand([...words, '--csv'], sandbox.keys.management));
  await page.getByLabel('Month').selectOption({ index: 0 });
  await expect(page).toHaveURL(/month=\d{4}-\d\d$/);
  await expect(page.getByText('is not complete')).toBeVisible();
});

test('every button paints something, wide and narrow', async ({ page }) => {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const place of [
      '?by=publisher&grain=total&page_type=THANK_YOU,POST_ORDER',
      'publishers',
      'publishers/add',
      'exclusions',
      'statement',
      'watch',
    ]) {
      await page.goto(`${own.url}/${place}`);
      await expect(page.locator('[aria-busy=true], .starting, .bone')).toHaveCount(0);
      const empty = await page.locator('button, a, summary').evaluateAll((all) =>
        all
          .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 0)
          .filter((one) => {
            const pictures = [...one.querySelectorAll('svg')].some((svg) => svg.getBoundingClientRect().width > 0);
            return !pictures && (one as HTMLElement).innerText.trim() === '';
          })
          .map((one) => one.outerHTML),
      );
      expect(empty, `${place} at ${width}`).toEqual([]);
    }
  }
});

test('a phone has the same window of rows as elsewhere, and names keep their emoji whole', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const family = '👩‍👩‍👧‍👦';
  await page.route('**/api/report?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('Kettle & Crumb', family.repeat(30)) });
  });
  await page.goto(`${own.url}/?by=publisher,page_type,widget_type&compare=none`);
  await expect(page.locator('.report')).toHaveAttribute('aria-rowcount', /^([5-9]\d\d|\d{4,})$/);
  expect(await page.locator('.report tbody tr').count()).toBeLessThan(60);
  const name = page.locator('.report a', { hasText: family }).first();
  await expect(name.locator('.start')).toHaveText(family.repeat(18));
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await expect(page.locator('.report .bone')).toHaveCount(0);
  await expect(page.locator('.report tbody tr').last()).toBeInViewport();
  // What is still being read ends with the test otherwise, in the middle of a response.
  await page.unrouteAll({ behavior: 'wait' });
});
