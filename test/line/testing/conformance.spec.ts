// Every scenario in front of the test kit and of the sandbox: what the page does and what arrives must be the same.
import { readFileSync } from 'node:fs';
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { EXAMPLE_OFFERS } from '../../../src/testing/exampleOffers.ts';
import { fakeRelay } from '../../../src/testing/fakeRelay.ts';
import { type OffersOnPage, createOffersOnPage, outcomeIn, waitingIn } from '../../../src/testing/offersOnPage.ts';
import { QUEUE_PREFIX, serveRelay, watchPage } from '../../../src/testing/serveRelay.ts';
import { createNetwork, type Network } from '../../../src/network.ts';
import { createSandboxRelay } from '../../../src/sandbox/sandboxCommand.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from '../../../src/wire/scenarios/scenarios.ts';
import { SHOP, serveShop } from './shopPage.ts';
import { poll } from '../drivers/poll.ts';

/** One event as GET /sandbox/events lists it, and as the kit's receipts do. */
interface Arrived {
  readonly event: { readonly event_name?: string };
  readonly status: string;
  readonly reason?: string | null;
}

/** A page in front of the kit or the sandbox. */
interface Side {
  readonly page: Page;
  readonly offers: OffersOnPage;
  readonly url: string;
  arrived(): Promise<readonly Arrived[]>;
}

let network: Network;
let server: Awaited<ReturnType<typeof serve>>;

test.describe.configure({ timeout: 90_000 });
test.beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'empty', log: () => undefined });
  server = await serve((request, from) => network.fetch(request, from), { port: 0 });
  await copyOffers();
});
test.afterAll(async () => {
  await server?.close();
  await network?.close();
});

for (const scenario of [undefined, ...SCENARIOS])
  test(`${scenario?.name ?? 'no scenario'}: kit and sandbox are the same to page and network`, async ({ browser }) => {
    const contexts = [await browser.newContext(), await browser.newContext()] as const;
    try {
      const [kit, sandbox] = await Promise.all([openKit(contexts[0], scenario), openSandbox(contexts[1], scenario)]);
      await Promise.all([visit(kit, scenario), visit(sandbox, scenario)]);
      await Promise.all([settle(kit, scenario), settle(sandbox, scenario)]);
      const expected = await observe(kit);
      await expect(async () => expect(await observe(sandbox)).toEqual(expected)).toPass({ timeout: 20_000 });
      expect(await observe(kit)).toEqual(expected);
    } finally {
      await Promise.all(contexts.map((context) => context.close()));
    }
  });

async function openKit(context: BrowserContext, scenario: Scenario | undefined): Promise<Side> {
  const relay = fakeRelay();
  await serveShop(context);
  await context.addInitScript(watchPage, QUEUE_PREFIX);
  await serveRelay(context, relay);
  const page = await context.newPage();
  const offers = createOffersOnPage({ page, relay });
  await offers.setScenario(scenario?.name as ScenarioName | undefined);
  return { page, offers, url: `${SHOP}/`, arrived: () => Promise.resolve(relay.receipts as readonly Arrived[]) };
}

async function openSandbox(context: BrowserContext, scenario: Scenario | undefined): Promise<Side> {
  const { integration = '' } = network.describe().keys;
  const relay = createSandboxRelay({ apiKey: integration, network: server.url, scenario });
  const sessions: string[] = [];
  await serveShop(context);
  await context.addInitScript(watchPage, QUEUE_PREFIX);
  await serveRelay(context, fakeRelay()); // for what the offers link to
  await context.route(`${SHOP}/offers/**`, async (route) => {
    const request = route.request();
    const method = request.method();
    const body = request.postData();
    const headers = { 'content-type': 'application/json' };
    const response = await relay(new Request(request.url(), { method, headers, ...(body !== null && { body }) }));
    const text = await response.text();
    if (request.url().endsWith('/recommendations') && response.ok)
      sessions.push((JSON.parse(text) as { session_id: string }).session_id);
    const { status } = response;
    await route.fulfill({ status, headers: Object.fromEntries(response.headers), body: text }).catch(() => undefined);
  });
  const inspector = readFileSync('dist/offerlet-inspector.js', 'utf8');
  await context.route(`${SHOP}/offerlet-inspector.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: inspector }),
  );
  const page = await context.newPage();
  // What only a page can do is forced by the inspector, as the sandbox command says.
  const url = scenario?.page ? `${SHOP}/?offerlet=inspect&offerlet-scenario=${scenario.name}` : `${SHOP}/`;
  return {
    page,
    url,
    offers: createOffersOnPage({ page, relay: fakeRelay() }),
    async arrived() {
      const lists = sessions.map(async (id) => {
        const { events } = (await control(`/sandbox/events?session_id=${id}`)) as { events: Arrived[] };
        return events;
      });
      return (await Promise.all(lists)).flat();
    },
  };
}

/** Does what a shopper does: looks at the offers that appear, and accepts the first. */
async function visit({ page, offers, url }: Side, scenario: Scenario | undefined): Promise<void> {
  await page.goto(url);
  if (scenario?.page?.consent || scenario?.page?.relay) return;
  if ((await offers.outcome()).code !== 'rendered') return;
  await poll(async () => countOf(await offers.reported(), 'view'), { timeout: 10_000 }).toBe(1);
  await offers.accept();
}

/** Waits until the page has nothing left to send, or will have something for as long as the scenario lasts. */
async function settle({ page, offers }: Side, scenario: Scenario | undefined): Promise<void> {
  if (scenario?.page?.consent === 'pending') return page.waitForTimeout(1_000);
  // Offline, the events wait for as long as the scenario lasts.
  const isEndless = scenario?.faults?.some((fault) => fault.drop_connection && fault.times === undefined) === true;
  const isSettled = async (): Promise<boolean> => isEndless || waitingIn(await offers.reported()).length === 0;
  await poll(isSettled, { timeout: 20_000 }).toBe(true);
  // Space that stays empty collapses once the shopper has been idle for four seconds: they move, and then the time passes.
  const place = page.locator('#offers');
  const isEmpty = (await offers.outcome()).code !== 'rendered';
  if (isEmpty) {
    await page.clock.install();
    await page.mouse.move(100, 100);
    await page.clock.fastForward(4_000);
    await poll(() => place.evaluate((element) => element.clientHeight), { timeout: 20_000 }).toBe(0);
  }
  // What a claim says changes after a second, and a new height is eased.
  const isClaimed = countOf(await offers.reported(), 'click') > 0;
  if (isClaimed) await expect(page.getByRole('status').filter({ hasText: '✓' })).not.toHaveCount(0);
  const below = (): Promise<number> =>
    page.locator('#below').evaluate((element) => element.getBoundingClientRect().top);
  const growth = async (): Promise<number> => {
    const before = await below();
    await page.waitForTimeout(400);
    return (await below()) - before;
  };
  await poll(growth).toBe(0);
}

/** What the page shows and has reported, and what arrived, without ids and times. */
async function observe({ page, offers, arrived }: Side) {
  const reported = await offers.reported();
  const arrivals = await arrived();
  const names = (status: string): string[] =>
    arrivals.flatMap((one) => (one.status === status ? [one.event.event_name ?? ''] : [])).toSorted();
  return {
    outcome: outcomeIn(reported),
    heading: await textOf(offers, 'heading'),
    advertiser: await textOf(offers, 'advertiser'),
    subheading: await textOf(offers, 'subheading'),
    disclosure: await textOf(offers, 'disclosure'),
    code: await page.getByText('QA-2026').count(),
    sandboxMark: await page.locator('.badge.sandbox:visible').count(),
    controls: await page.locator('[part~=accept], [part~=decline]').count(),
    room: await page.locator('#below').evaluate((element) => Math.round(element.getBoundingClientRect().top)),
    reported: Object.fromEntries(
      ['impression', 'view', 'click', 'dismiss', 'dead_letter', 'dropped', 'paused'].map((type) => [
        type,
        countOf(reported, type),
      ]),
    ),
    leftOut: reported.flatMap((event) => (event.type === 'leftOut' ? [event.reason] : [])),
    hasRetried: countOf(reported, 'retried') > 0,
    tracked: reported.flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : [])).toSorted(),
    waiting: waitingIn(reported)
      .map(({ event_name }) => event_name)
      .toSorted(),
    // Which event of a batch is the second one, and is refused for good, depends on when the batch was sent.
    stored: countOf(reported, 'dead_letter') > 0 ? names('stored').length : names('stored'),
    duplicates: names('duplicate').length > 0,
    refused: arrivals.flatMap(({ reason }) => (reason ? [reason] : [])),
  };
}

function countOf(reported: readonly { readonly type: string }[], type: string): number {
  return reported.filter((event) => event.type === type).length;
}

async function textOf(offers: OffersOnPage, part: string): Promise<string | undefined> {
  return (await offers.part(part).isVisible()) ? offers.part(part).innerText() : undefined;
}

async function control(path: string, init: RequestInit = {}): Promise<unknown> {
  const { management = '' } = network.describe().keys;
  const headers = { 'content-type': 'application/json', 'x-api-key': management };
  const response = await fetch(server.url + path, { headers, ...init });
  const body: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

/** Puts the kit's example offers into the sandbox, in the same order. */
async function copyOffers(): Promise<void> {
  const { categories } = (await control('/adnet/adconfig/categories/')) as {
    categories: { subcategories: { remote_id: string }[] }[];
  };
  const subcategory_id = categories[0]?.subcategories[0]?.remote_id;
  for (const [index, { advertiser, offer }] of EXAMPLE_OFFERS.entries()) {
    const { id: _id, ...details } = offer;
    const { id: _advertiser, ...by } = advertiser;
    const body = {
      ...details,
      advertiser: { ...by, logo_url: 'https://offers.offerlet.test/logo' },
      subcategory_id,
      price_per_conversion: 1,
      weight: 10 ** (9 - 3 * index),
    };
    await control('/sandbox/offers', { method: 'POST', body: JSON.stringify(body) });
  }
}
