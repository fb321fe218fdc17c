import { expect, test, type Page } from '@playwright/test';
import { useSandbox } from '../drivers/sandbox.ts';
import { control, startConsole, useConsole } from './consoleFixture.ts';

const REPORT = '/adnet/reporting/v2/report/';
const sandbox = useSandbox();
const own = useConsole(sandbox);
test.afterEach(() => control(sandbox.network, 'faults', undefined, 'DELETE'));

const alert = (page: Page) => page.getByRole('alert');
const payout = (page: Page) => page.getByRole('group', { name: /^Totals/ }).getByRole('button', { name: 'Payout' });

test('a refused key is reported, with what to do', async ({ page }) => {
  const wrong = await startConsole({ network: sandbox.network, key: 'adnet_sk_test_wrong' });
  await page.goto(wrong.url);
  await expect(alert(page)).toContainText('The network refused the key');
  await wrong.stop();
});

test('until it has arrived a page shows what it will consist of', async ({ page }) => {
  await page.goto(`${own.url}/publishers`);
  const id = await page.getByRole('link', { name: 'Juniper & Co' }).getAttribute('href');
  await page.route(/api.(publishers|exclusions|watch)/, () => undefined);
  await page.goto(new URL(id ?? '', own.url).href);
  await expect(page.getByRole('group', { name: /^Totals/ }).locator('.bone')).toHaveCount(6);
  await expect(page.locator('.chart-card .bone.tall')).toBeVisible();
  for (const [place, cards, rows] of [
    ['publishers', 1, 1],
    ['watch', 3, 2],
    ['exclusions', 9, 3],
  ] as const) {
    await page.goto(`${own.url}/${place}`);
    const outline = page.locator('.outline > .card');
    await expect(outline, place).toHaveCount(cards);
    const tops = outline.evaluateAll((all) => all.map((card) => (card as HTMLElement).offsetTop));
    expect(new Set(await tops).size, place).toBe(rows);
    const narrowest = (): Promise<number> =>
      page.locator('.outline .bone').evaluateAll((bones) => Math.min(...bones.map(({ clientWidth }) => clientWidth)));
    await expect.poll(narrowest, place).toBeGreaterThan(100);
  }
  await expect(page.getByText(/^Offers in the ticked/)).toBeVisible();
});

test('a 429 is waited for in view, and the report comes by itself', async ({ page }) => {
  await control(sandbox.network, 'faults', { route: REPORT, status: 429, headers: { 'retry-after': '2' }, times: 99 });
  await page.goto(own.url);
  await expect(alert(page)).toContainText('Too many requests');
  await expect(page.getByText(/Next attempt in [12] s/)).toBeVisible();
  await control(sandbox.network, 'faults', undefined, 'DELETE');
  await expect(payout(page)).toContainText(/\d/);
});

test('an error is said in words, and below them as the network said it', async ({ page }) => {
  await control(sandbox.network, 'faults', { route: REPORT, status: 500, times: 99 });
  await page.goto(own.url);
  await expect(alert(page).locator('h2 + p')).toHaveText(/^The network answered with an error \(500\)/);
  await expect(alert(page).locator('.foot-note')).toHaveText([/^GET .* returned 500: /, /^Request /]);
});

test('a report that is too large offers what the network would accept', async ({ page }) => {
  await control(sandbox.network, 'settings', { report_row_limit: 100 }, 'PUT');
  await page.goto(`${own.url}/?by=publisher&compare=none`);
  await expect(alert(page)).toContainText('This report is too large');
  await page.getByRole('button', { name: 'Show weeks' }).click();
  await expect(page).toHaveURL(/grain=week/);
  await expect(payout(page)).toContainText(/\d/);
  await control(sandbox.network, 'settings', { report_row_limit: null }, 'PUT');
});

test('dates outside the history offer those inside, and a comparison outside is left out', async ({ page }) => {
  const from = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  await control(sandbox.network, 'settings', { history_from: from }, 'PUT');
  await page.goto(`${own.url}/?from=2026-01-01&to=2026-01-31`);
  await expect(alert(page)).toContainText('outside the history');
  await page.getByRole('button', { name: 'Show what is available' }).click();
  await expect(page).toHaveURL(new RegExp(`from=${from}`));
  await expect(payout(page)).toContainText(/\d/);
  await page.goto(own.url);
  await expect(page.getByText('The history is too short to compare with.')).toBeVisible();
  await expect(page.getByLabel('Command', { exact: true })).not.toContainText('--compare');
  await control(sandbox.network, 'settings', { history_from: null }, 'PUT');
});

test('a link into the future sends no request, and offers days that are over', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/report?')) asked.push(request.url());
  });
  await page.goto(`${own.url}/?from=2099-01-01&to=2099-01-31`);
  await expect(page.getByRole('status')).toContainText('begin in the future');
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Show the last 28 days' }).click();
  await expect(payout(page)).toContainText(/\d/);
  await expect(page.getByRole('status').filter({ hasText: 'future' })).toHaveCount(0);
});

test('a channel with few metrics has a console of those, and one that goes away can be left out', async ({ page }) => {
  const enabled = ['impressions', 'clicks', 'conversions', 'channel_payout', 'feed_loads'];
  await control(sandbox.network, 'settings', { enabled_metrics: enabled }, 'PUT');
  await page.goto(own.url);
  await expect(payout(page)).toContainText(/\d/);
  await expect(page.getByRole('group', { name: /^Totals/ }).getByRole('button')).toHaveCount(5);
  await page.getByRole('button', { name: /^Metrics/ }).click();
  await expect(page.locator('.popover:popover-open').getByRole('checkbox')).toHaveCount(5);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Publishers' }).click();
  await page.getByRole('link', { name: 'Juniper & Co' }).click();
  await expect(payout(page)).toContainText(/\d/);
  await page.getByRole('link', { name: 'Report', exact: true }).click();
  await expect(payout(page)).toContainText(/\d/);
  await control(sandbox.network, 'settings', { enabled_metrics: enabled.slice(0, 4) }, 'PUT');
  await page.getByLabel('Week', { exact: true }).check();
  await expect(alert(page)).toContainText('Not available: feed_loads');
  await page.getByRole('button', { name: 'Without Loads' }).click();
  await expect(payout(page)).toContainText(/\d/);
  await control(sandbox.network, 'settings', { enabled_metrics: null }, 'PUT');
});

test('dates without data are reported, with a way back', async ({ page }) => {
  await page.goto(`${own.url}/?page_type=CHECKOUT`);
  await expect(page.getByText('No activity matches these filters')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the filters' }).click();
  await expect(page.locator('.time-chart svg')).toBeVisible();
});

for (const [what, fault] of [
  ['can’t be reached', { drop_connection: true }],
  ['went wrong', { status: 500 }],
  ['refused the key', { status: 401 }],
] as const)
  test(`when the network ${what} the data stays, with its time, and comes back by itself`, async ({ page }) => {
    await page.goto(`${sandbox.shop}/console/`);
    await expect(payout(page)).toContainText(/\d/);
    await control(sandbox.network, 'faults', { route: REPORT, ...fault, times: 99 });
    const notice = page.getByText(new RegExp(`${what}.*You see what was read at \\d\\d:\\d\\d:\\d\\d.*Next attempt`));
    await expect(notice).toBeVisible();
    await control(sandbox.network, 'faults', undefined, 'DELETE');
    await expect(notice).toHaveCount(0);
    await expect(payout(page)).toContainText(/\d/);
  });

test('a path that is no text is no page', async ({ page }) => {
  await page.goto(`${own.url}/publishers/%E0%A4%A`);
  await expect(page.getByRole('heading', { name: 'There is no such page' })).toBeVisible();
});

test('arrow keys over the grains read the last one, and at most one before it', async ({ page }) => {
  await page.clock.install();
  await page.goto(own.url);
  await expect(payout(page)).toContainText(/\d/);
  const grains: string[] = [];
  let release = (): void => undefined;
  const pressed = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/report?*', async (route) => {
    grains.push(new URL(route.request().url()).searchParams.get('grain') ?? 'day');
    await pressed;
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('radio', { name: 'Day', exact: true }).focus();
  // However slow the machine is, the presses follow each other at once.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
  for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowRight');
  await page.clock.resume();
  await expect(page).toHaveURL(/grain=total/);
  release();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  expect(grains.at(-1)).toBe('total');
  expect(grains.length).toBeLessThanOrEqual(2);
});

test('when the console’s process is gone the page says so', async ({ page }) => {
  const other = await startConsole({ network: sandbox.network, key: sandbox.keys.management });
  await page.goto(other.url);
  await expect(payout(page)).toContainText(/\d/);
  await other.stop();
  await page.getByRole('radio', { name: 'Week', exact: true }).check();
  await expect(alert(page)).toContainText('Is it still running?');
});

test('a publisher’s key has its own report and no data of the channel', async ({ page }) => {
  const words = ['--variant', 'publisher'];
  const shop = await startConsole({ network: sandbox.network, key: sandbox.keys.publisher_reporting, words });
  await page.goto(`${shop.url}/?by=page_type&grain=total&sort=-clicks`);
  await expect(payout(page)).toContainText(/\d/);
  await expect(page.getByRole('link', { name: 'Publishers' })).toHaveCount(0);
  const clicks = await page.locator('.report tbody tr td:nth-child(5)').allTextContents();
  const numbers = clicks.map((text) => Number(/^[\d,]+/.exec(text)?.[0].replace(',', '')));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  await shop.stop();
});

const EVIL = ['<img src=x onerror="window.hit=1">', '"><script>window.hit=1</script>', '{{7*7}}', '=HYPERLINK("x")'];

test('text from the network never becomes markup', async ({ page }) => {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  const hour = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
  const { publisher } = await control(sandbox.network, 'channels', { name: EVIL[0] ?? '' }).then(() =>
    fetch(`${sandbox.network}/adnet/publishers/list/?page_size=200`, {
      headers: { 'x-api-key': sandbox.keys.management },
    })
      .then((response) => response.json())
      .then((list: { publishers: { publisher_remote_id: string | null }[] }) => ({
        publisher: list.publishers.find(({ publisher_remote_id: id }) => id !== null)?.publisher_remote_id,
      })),
  );
  const rows = EVIL.map((widget_id) => ({
    hour,
    publisher_remote_id: publisher,
    page_type: 'THANK_YOU',
    widget_type: 'INLINE',
    widget_id,
    clicks: 1,
  }));
  await control(sandbox.network, 'activity', { rows });
  const day = hour.slice(0, 10); // which is yesterday in the first hour of a day
  await page.setViewportSize({ width: 1280, height: 2_000 }); // all rows are in view
  await page.goto(`${own.url}/?by=widget_id&grain=total&metrics=clicks&compare=none&from=${day}&to=${day}`);
  for (const text of EVIL) await expect(page.locator('.report').getByText(text, { exact: true })).toBeVisible();
  expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  expect(complaints).toEqual([]);
});

test('of 5,000 rows a page holds those in view', async ({ page }) => {
  const start = Math.floor(Date.now() / 86_400_000) * 86_400_000;
  const list = (await (
    await fetch(`${sandbox.network}/adnet/publishers/list/?page_size=200`, {
      headers: { 'x-api-key': sandbox.keys.management },
    })
  ).json()) as { publishers: { publisher_remote_id: string | null }[] };
  const ids = list.publishers.flatMap(({ publisher_remote_id: id }) => (id === null ? [] : [id])).slice(0, 1);
  const days = Array.from({ length: 400 }, (_, day) => new Date(start - day * 86_400_000).toISOString());
  for (let from = 0; from < days.length; from += 50) {
    const rows = days.slice(from, from + 50).flatMap((hour) =>
      Array.from({ length: 13 }, (_, index) => ({
        hour: `${hour.slice(0, 19)}Z`,
        publisher_remote_id: ids[0],
        page_type: 'POST_ORDER',
        widget_type: 'INLINE',
        widget_id: `widget-${index}`,
        clicks: index + 1,
        impressions: 10 * index + 10,
      })),
    );
    await control(sandbox.network, 'activity', { rows });
  }
  await control(sandbox.network, 'settings', { history_from: days.at(-1)?.slice(0, 10) }, 'PUT');
  const dates = `from=${days.at(-1)?.slice(0, 10)}&to=${days[0]?.slice(0, 10)}`;
  await page.goto(`${own.url}/?${dates}&by=widget_id&page_type=POST_ORDER&compare=none`);
  await expect(page.locator('.report')).toHaveAttribute('aria-rowcount', /^5\d\d\d$/);
  expect(await page.locator('.report tbody tr').count()).toBeLessThan(60);
  // The page scrolls, and no box within it.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await expect(page.locator('.report tbody tr').last()).toBeInViewport();
  await expect(page.locator('.report thead')).toBeInViewport();
  await expect(page.locator('.report tbody tr[aria-busy]')).toHaveCount(0); // each has its figures
  expect(await page.locator('.report tbody tr:not(.spacer)').count()).toBeGreaterThan(5);
  expect(await page.locator('.scroller').evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0);
  await page.goto(`${own.url}/?${dates}&compare=none`);
  await expect(page.locator('.time-chart table tbody tr')).toHaveCount(400);
});
