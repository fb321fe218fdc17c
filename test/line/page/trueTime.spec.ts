// A device whose clock is wrong, on the whole line: every event reaches the network once, with the time at which it happened.
import { expect, test, type Page } from '@playwright/test';
import { sharedSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';
import { waitForRelay } from '../drivers/patience.ts';
import { poll } from '../drivers/poll.ts';

const DAY = 24 * 3_600_000;
const fixture = useFixture();
const ALL = ['BRAND_CLICK', 'BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_DISPLAY', 'WIDGET_LOAD', 'WIDGET_VIEW'];

let sandbox: Sandbox;
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  sandbox = await sharedSandbox();
});
test.beforeEach(({ context }) => waitForRelay(context));

for (const [name, off] of [
  ['ahead', 3 * DAY],
  ['behind', -3 * DAY],
] as const) {
  test(`three days ${name} when a click is stored, and right when the next page sends it`, async ({ page }) => {
    const opened = Date.now();
    await open(page, off);
    await poll(() => times(page, 'WIDGET_VIEW')).toHaveLength(1);
    const session = await sessionOf(page);
    await page.route('**/events/batch*', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await accept(page);
    await failed;
    await page.unroute('**/events/batch*');
    await page.addInitScript(clockOff, 0);
    await page.reload();
    await expectEach(opened, session);
  });
}

test('a relay that says no time and ignores `sent` gets each event once, by the clock of the device', async ({
  page,
}) => {
  await page.addInitScript(clockOff, 3 * DAY);
  const opened = Date.now();
  await page.goto(fixture.page('/own', shop(scriptTag())));
  await accept(page);
  await poll(() => fixture.names().toSorted()).toEqual(ALL);
  for (const { event_name, event_datetime } of fixture.events)
    expectBetween(event_name, Date.parse(event_datetime) - 3 * DAY, opened, Date.now());
});

/** Sets the device's clock off by so many milliseconds. The page's own, `performance.now`, runs on. */
function clockOff(off: number): void {
  type Clock = typeof globalThis & { TrueDate?: DateConstructor };
  const TrueDate = ((globalThis as Clock).TrueDate ??= Date);
  globalThis.Date = class extends TrueDate {
    constructor(...values: [] | [number]) {
      if (values.length === 0) super(TrueDate.now() + off);
      else super(...values);
    }
    static override now = (): number => TrueDate.now() + off;
  } as DateConstructor;
}

/** Opens a page of the sandbox's shop with a clock that is off. */
async function open(page: Page, off: number): Promise<void> {
  await page.addInitScript(clockOff, off);
  const tag = scriptTag({ relay: sandbox.relay, 'order-id': crypto.randomUUID() });
  await page.route(`${sandbox.shop}/mine`, (route) => route.fulfill({ body: shop(tag), contentType: 'text/html' }));
  await page.goto(`${sandbox.shop}/mine`);
  await poll(() => page.evaluate('window.offerlet?.explain()[0]?.outcome?.code')).toBe('rendered');
}

async function accept(page: Page): Promise<void> {
  await expect(page.locator('article [part~=accept]')).toBeVisible();
  // The advertiser's page is not what is tested.
  await page.evaluate(() => (window.open = () => null));
  await page.locator('article [part~=accept]').click();
}

const sessionOf = (page: Page): Promise<string> => page.evaluate('offerlet.explain()[0].response.session_id');

/** What the network has counted of a page's session. */
async function counted(session: string): Promise<{ event_name: string; at: number }[]> {
  const response = await fetch(`${sandbox.network}/sandbox/events?session_id=${session}`);
  const { events } = (await response.json()) as {
    events: { event: { event_name: string; event_datetime: string }; status: string }[];
  };
  return events.map(({ event, status }) => ({
    event_name: status === 'stored' ? event.event_name : `${event.event_name} ${status}`,
    at: Date.parse(event.event_datetime),
  }));
}

async function times(page: Page, name: string): Promise<number[]> {
  return (await counted(await sessionOf(page))).flatMap(({ event_name, at }) => (event_name === name ? at : []));
}

/** Expects each event of the page once, at a time since the page was opened. */
async function expectEach(opened: number, id: string): Promise<void> {
  const names = async (): Promise<string[]> =>
    (await counted(id)).map(({ event_name }) => event_name).filter((name) => !name.startsWith('PRODUCT_'));
  await poll(async () => (await names()).toSorted()).toEqual(ALL);
  for (const { event_name, at } of await counted(id)) expectBetween(event_name, at, opened, Date.now());
}

/** A request that takes long is corrected by that much more: the relay tolerates 30 s. */
const SLACK_MS = 20_000;

function expectBetween(name: string, at: number, from: number, to: number): void {
  expect(at, `${name} is ${from - at} ms too early`).toBeGreaterThan(from - SLACK_MS);
  expect(at, `${name} is ${at - to} ms too late`).toBeLessThan(to + SLACK_MS);
}
