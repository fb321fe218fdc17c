// A report of many rows is scrolled while the console's process or the network fails. Requests are counted on both sides.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test, type Page, type Route } from '@playwright/test';
import { useSandbox } from '../drivers/sandbox.ts';
import { startConsole, type StartedConsole } from './consoleFixture.ts';

const sandbox = useSandbox();
let own: StartedConsole;
/** The network, behind a proxy that counts what reaches it and refuses it on request. */
let network: Server;
let reached: string[] = [];
let refusal: { readonly status: number; readonly headers: Record<string, string> } | undefined;
test.describe.configure({ mode: 'default' }); // one network serves them all
test.beforeAll(async () => {
  network = createServer((request, response) => {
    reached.push(request.url ?? '');
    if (refusal) return void response.writeHead(refusal.status, refusal.headers).end();
    const headers = { 'x-api-key': sandbox.keys.management };
    void fetch(`${sandbox.network}${request.url}`, { headers }).then(async (got) =>
      response.writeHead(got.status, { 'content-type': 'application/json' }).end(await got.text()),
    );
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  const { port } = network.address() as AddressInfo;
  own = await startConsole({ network: `http://127.0.0.1:${port}`, key: sandbox.keys.management });
});
test.afterAll(async () => {
  await own?.stop();
  network?.close();
});
test.beforeEach(() => {
  refusal = undefined;
});

const QUERY = 'period=last_28_days&by=publisher,page_type,widget_type&compare=none';
const bones = (page: Page) => page.locator('.report .bone');
const notice = (page: Page) => page.locator('.stale');

/** Opens the report. Returns the calls that its page makes from then on. */
async function open(page: Page): Promise<string[]> {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${own.url}/?${QUERY}`);
  await expect(page.locator('.report')).toHaveAttribute('aria-rowcount', /^([5-9]\d\d|\d{4,})$/);
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0); // the funnel too
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/')) calls.push(request.url());
  });
  reached = [];
  return calls;
}

/** Makes the process forget the report: it keeps those of a few tabs. */
async function forget(page: Page): Promise<void> {
  for (const days of [2, 3, 4, 5, 6, 8, 9, 10])
    await page.request.get(`${own.url}/api/report?period=${days}d&compare=none`);
  reached = [];
}

/** Scrolls up and down as an impatient reader does, every 60 ms, and ends at the last rows. */
async function scroll(page: Page, times = 30): Promise<void> {
  await page.evaluate(async (count) => {
    for (let step = 1; step <= count; step++) {
      scrollTo(0, document.body.scrollHeight * (step === count ? 1 : 0.3 + ((step * 7) % 11) / 20));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }, times);
}

test('rows that come into view are read once, and the network is not asked again', async ({ page }) => {
  const calls = await open(page);
  await scroll(page);
  await expect(bones(page)).toHaveCount(0);
  expect(reached).toEqual([]);
  expect(new Set(calls).size).toBe(calls.length);
});

test('a report that the process has forgotten is read once more', async ({ page }) => {
  const calls = await open(page);
  await page.reload();
  await expect(bones(page)).toHaveCount(0);
  const whole = reached.filter((url) => url.includes('/report/')).length;
  await forget(page);
  calls.length = 0;
  await scroll(page, 2);
  await expect(bones(page)).toHaveCount(0);
  await expect(page.locator('.report tbody tr').last()).toBeInViewport();
  expect(reached.length).toBeLessThanOrEqual(whole);
  expect(calls.length).toBeLessThanOrEqual(4);
});

test('a network that asks to wait is not called before that, however much is scrolled', async ({ page }) => {
  await open(page);
  await forget(page);
  refusal = { status: 429, headers: { 'retry-after': '30' } };
  await scroll(page);
  await expect(notice(page)).toContainText(/Too many requests.*Next attempt in \d+ s/);
  await scroll(page);
  expect(reached).toHaveLength(1);
  refusal = undefined;
  await notice(page).getByRole('button', { name: 'Try again now' }).click();
  await expect(bones(page)).toHaveCount(0);
  await expect(notice(page)).toHaveCount(0);
});

const WAYS: readonly (readonly [name: string, respond: (route: Route) => Promise<void>, notice: RegExp])[] = [
  [
    'refused',
    (route) => route.fulfill({ status: 429, json: { kind: 'rate_limited', message: 'x', retry_after: 3 } }),
    /Too many requests.*rows in view.*Next attempt in [123] s/,
  ],
  [
    'broken',
    (route) => route.fulfill({ status: 500, json: { kind: 'failed', message: 'x' } }),
    /went wrong.*rows in view.*Next attempt/,
  ],
  ['cut', (route) => route.abort(), /can’t be reached.*rows in view.*Next attempt/],
];
for (const [name, respond, said] of WAYS)
  test(`a window that is ${name} is said, waited for, and read`, async ({ page }) => {
    const calls = await open(page);
    await page.route('**/api/report*offset=*', respond);
    await scroll(page);
    await expect(notice(page)).toContainText(said);
    expect(calls.length).toBeLessThanOrEqual(2);
    await page.unroute('**/api/report*offset=*');
    await expect(bones(page)).toHaveCount(0);
    await expect(notice(page)).toHaveCount(0);
    expect(reached).toEqual([]);
  });

test('of windows that take long, one is under way, and then the one in view', async ({ page }) => {
  const calls = await open(page);
  let underWay = 0;
  let most = 0;
  await page.route('**/api/report*offset=*', async (route) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 700));
    underWay--;
    await route.continue();
  });
  await scroll(page);
  await expect(bones(page)).toHaveCount(0);
  await expect(page.locator('.report tbody tr').last()).toBeInViewport();
  expect(most).toBe(1);
  expect(calls.length).toBeLessThanOrEqual(6);
});
