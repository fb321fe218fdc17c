import { expect, test, type Page } from '@playwright/test';
import { useSandbox } from '../drivers/sandbox.ts';
import { blankButtons, violationsOf } from '../drivers/violationsOf.ts';
import { CHANNEL_METRICS } from '../../../src/wire/reporting.ts';
import { control } from './consoleFixture.ts';
import { poll } from '../drivers/poll.ts';

const sandbox = useSandbox();
test.describe.configure({ mode: 'default' }); // one sandbox serves them all

async function open(page: Page, place: string): Promise<void> {
  await page.goto(`${sandbox.shop}/console/${place}`);
  await expect(page.locator('main h1').first()).toBeAttached();
  await expect(page.locator('[aria-busy=true], .starting, .bone')).toHaveCount(0);
}

/** What axe finds when nothing fades any more. */
async function violations(page: Page): Promise<string[]> {
  const fading = () => document.getAnimations().filter((animation) => animation instanceof CSSTransition).length;
  await poll(() => page.evaluate(fading)).toBe(0);
  return violationsOf(page);
}

const PLACES = [
  '?by=publisher&chart=clicks',
  '?by=publisher,page_type&grain=total&page_type=THANK_YOU',
  'publishers',
  'publishers/add',
  'exclusions',
  'statement',
  'watch',
];
const WINDOWS = [
  { colorScheme: 'light', width: 1280, height: 900 },
  { colorScheme: 'dark', width: 390, height: 844 },
] as const;
for (const { colorScheme, width, height } of WINDOWS)
  test(`axe finds nothing, each button paints something, and nothing is wider than the window: ${colorScheme}, ${width} px`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    for (const place of PLACES) {
      await open(page, place);
      expect(await violations(page), place).toEqual([]);
      expect(await blankButtons(page), place).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(width);
    }
    await open(page, '');
    for (const name of [/^Dates/, /^Breakdown/, 'Filter']) {
      await page.getByRole('button', { name }).click();
      await expect(page.locator('.popover:popover-open')).toBeVisible();
      expect(await violations(page), String(name)).toEqual([]);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('button', { name })).toBeFocused();
    }
    if (width < 960) await page.getByRole('button', { name: 'Pages' }).click();
    await page.getByRole('link', { name: 'Publishers', exact: true }).click();
    await page.getByRole('link', { name: 'Juniper & Co' }).click();
    await expect(page.locator('.time-chart svg')).toBeVisible();
    expect(await violations(page), 'a publisher').toEqual([]);
    await page.getByRole('button', { name: 'Remove …' }).click();
    expect(await violations(page), 'the dialog').toEqual([]);
  });

test('at 320 px nothing is wider than the window', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const place of PLACES) {
    await open(page, place);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), place).toBeLessThanOrEqual(320);
  }
  await open(page, 'publishers');
  await page.locator('.list').hover();
  await page.mouse.wheel(200, 0);
  await expect(page.getByRole('button', { name: /^Clicks/ })).toBeInViewport({ ratio: 1 });
  await open(page, '?by=publisher');
  for (const x of [60, 130, 170, 240]) {
    await page.locator('.plot').hover({ position: { x, y: 60 } });
    await expect(page.locator('.tooltip')).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${x}`).toBeLessThanOrEqual(320);
  }
});

test('a report is made with the keyboard alone', async ({ page }) => {
  await open(page, '');
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await press('Enter', 'Tab');
  await expect(page.getByRole('button', { name: /^Dates/ })).toBeFocused();
  await press('Enter');
  await expect(page.getByRole('button', { name: 'Today' })).toBeFocused();
  await press('Tab', 'Tab', 'Enter'); // the third period
  await expect(page).toHaveURL(/period=last_7_days/);
  await expect(page.getByRole('button', { name: /^Dates/ })).toBeFocused();

  // Two dates, as text.
  await press('Enter');
  await expect(page.getByLabel('From', { exact: true })).toBeVisible();
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('To', { exact: true }).fill(day(99));
  await expect(page.getByText('From is after To.')).toBeVisible();
  await page.getByLabel('From', { exact: true }).fill(day(9));
  await page.getByLabel('To', { exact: true }).fill(day(7));
  await press('Enter');
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/);
  const [, from = '', to = ''] = /from=([\d-]+)&to=([\d-]+)/.exec(page.url()) ?? [];
  expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(2);

  await page.getByRole('radio', { name: 'Day', exact: true }).focus();
  await press('ArrowLeft');
  await expect(page).toHaveURL(/grain=hour/);
  await page.getByRole('button', { name: 'Period', exact: true }).focus();
  await press('Enter');
  await expect(page).toHaveURL(/sort=period_start|sort=-period_start/);
  // The rows of the days stay until those of the hours have come.
  await expect(page.locator('table.report')).toHaveAttribute('aria-rowcount', /^\d{2,}$/);
  await press('PageDown');
  await poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
});

test('long names of publishers stay inside the window, and readable on a phone', async ({ page }) => {
  const name = 'A publisher with a name of several words';
  await page.route('**/find-publishers?*', (route) =>
    route.fulfill({ json: { publishers: [{ id: 'one', name }], hasMore: false } }),
  );
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, 'publishers?q=juniper');
  const id = (await page.getByRole('link', { name: 'Juniper & Co' }).getAttribute('href'))?.split('/').at(-1);
  await open(page, 'exclusions');
  await page.getByRole('button', { name: /^Exclusions for/ }).click();
  await expect(page.getByRole('link', { name })).toBeVisible();
  const { x = 0, width = 0 } = (await page.locator('.popover:popover-open').boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(1280 - 12);

  const longest = `Gesellschaft-fuer-${'Haushaltswaren-'.repeat(8)}Filiale-0042`;
  await page.route('**/*', async (route) => {
    if (!/api.(publishers.(one|q)|report)/.test(route.request().url())) return route.fallback();
    const response = await route.fetch({ url: route.request().url().replace('/one', `/${id}`) });
    await route.fulfill({ response, body: (await response.text()).replaceAll('Juniper & Co', longest) });
  });
  for (const wide of [320, 768, 1280]) {
    await page.setViewportSize({ width: wide, height: 800 });
    // A tooltip has the whole name, on several lines.
    await open(page, '?by=publisher');
    await page.locator('.plot').hover();
    const tooltip = page.locator('.tooltip', { hasText: longest });
    expect(await tooltip.evaluate((box) => box.scrollWidth - box.clientWidth), `${wide} px`).toBe(0);
    await open(page, 'exclusions?publisher=one');
    await expect(page.getByRole('button', { name: `Exclusions for: ${longest}` })).toContainText('0042');
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${wide} px`).toBeLessThanOrEqual(wide);
  }
  await open(page, '?by=publisher&grain=total');
  const cut = (text: Element): number => text.scrollWidth - text.clientWidth;
  expect(await page.locator('.report .text', { hasText: '0042' }).evaluate(cut)).toBeLessThanOrEqual(0);

  await page.setViewportSize({ width: 390, height: 844 });
  // Its row has two lines, and is still the link as a whole.
  await open(page, 'publishers?q=juniper');
  const row = page.getByRole('row', { name: longest });
  expect((await row.boundingBox())?.height).toBeLessThan(60);
  await row.click();
  await expect(page).toHaveURL(new RegExp(`publishers/${id}$`));
  await open(page, 'publishers/add');
  await page.getByRole('radio', { name: 'Many from CSV' }).check();
  const list = `brand_name,domain,primary_category,subcategories\n${name},name.example,Pets,Pet Food`;
  await page.getByRole('textbox').fill(list);
  const cell = await page.getByRole('rowheader', { name }).boundingBox();
  expect(cell?.width).toBeGreaterThanOrEqual(120);
  await page.getByRole('columnheader', { name: 'What will happen' }).scrollIntoViewIfNeeded();
  const right = await page.locator('.list thead th:last-child').evaluate((cell) => cell.getBoundingClientRect().right);
  expect([right <= 390, await page.evaluate(() => scrollX)]).toEqual([true, 0]);
  await expect(page.getByRole('rowheader', { name })).toContainText('Line 2, name.example');
});

test('a number is never cut: ten digits and more, sixteen metrics, every width', async ({ page }) => {
  const { publishers } = (await fetch(`${sandbox.network}/adnet/publishers/list/`, {
    headers: { 'x-api-key': sandbox.keys.management },
  }).then((response) => response.json())) as { publishers: { publisher_remote_id: string | null }[] };
  const hour = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
  const activity = { impressions: 1_234_683_911, clicks: 1_034_683_911, feed_loads: 1_934_683_911 };
  const row = {
    hour,
    publisher_remote_id: publishers.find(({ publisher_remote_id: id }) => id !== null)?.publisher_remote_id,
    page_type: 'THANK_YOU',
    widget_type: 'INLINE',
    widget_id: 'w',
    ...activity,
  };
  await control(sandbox.network, 'activity', { rows: [row] });
  for (const width of [320, 390, 768, 1280, 1440, 1920])
    for (const metrics of [CHANNEL_METRICS, CHANNEL_METRICS.slice(0, 6)]) {
      await page.setViewportSize({ width, height: 900 });
      await open(page, `?metrics=${metrics.join()}`);
      await expect(page.getByRole('group', { name: /^Totals/ })).toContainText('1,23');
      const cut = await page.locator('.tiles .number').evaluateAll((numbers) =>
        numbers.flatMap((number) => {
          const range = document.createRange();
          range.selectNodeContents(number);
          const { right } = range.getBoundingClientRect();
          const tile = number.closest('button')?.getBoundingClientRect().right ?? 0;
          return right > tile - 8 ? [`${number.textContent} ends at ${right}, its tile at ${tile}`] : [];
        }),
      );
      expect(cut, `${width} px, ${metrics.length} metrics`).toEqual([]);
      const sizes = await page
        .locator('.tiles .number')
        .evaluateAll((numbers) => numbers.map((number) => parseFloat(getComputedStyle(number).fontSize)));
      expect(Math.min(...sizes), `${width} px, ${metrics.length} metrics`).toBeGreaterThanOrEqual(13);
    }
});

test('in a narrow window the pages are behind one button, and the masthead has one line', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, 'exclusions'); // the longest name of a page
  await expect(page.getByRole('navigation')).toHaveCount(0);
  const rows = await page.evaluate(() =>
    [...document.querySelectorAll('.masthead > :is(.brand, .pages)')].map((part) => {
      const { top, bottom } = part.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    }),
  );
  expect(new Set(rows).size).toBe(1);
  const name = page.locator('.brand b');
  await expect(name).toHaveText('Demo Channel');
  expect(await name.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
  await page.getByRole('button', { name: 'Pages' }).click();
  const links = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
  await expect(links).toHaveText(['Report', 'Publishers', 'Exclusions', 'Statement', 'Watch']);
  await expect(links.nth(2)).toHaveAttribute('aria-current', 'page');
  await links.nth(1).click();
  await expect(page).toHaveURL(/publishers$/);
  await expect(page.getByRole('heading', { name: 'Publishers' })).toBeFocused();
  // The statuses are one row, which fades where it goes on, and not at its end.
  const statuses = page.getByRole('group', { name: 'Status' });
  await expect(statuses).toHaveCSS('mask-image', /linear-gradient/);
  expect((await statuses.boundingBox())?.height).toBeLessThan(44);
  await page.getByRole('radio', { name: 'No clicks' }).check();
  await expect(statuses.getByText('No clicks')).toBeInViewport({ ratio: 1 });
});
