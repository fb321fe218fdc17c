// Offers that the server has prefetched: shown without a request, counted once, and trusted no more than a response.
import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { block, everythingStored, HASH, inScript, options, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
/** Prefetched offers are painted before it is known whether they count. */
async function explained(page: Page): Promise<{ prefetched?: string; response?: { isPrefetched: boolean } }> {
  // Not `waitForFunction`: it needs `eval`, which a strict policy forbids.
  await poll(() => page.evaluate('offerlet.explain()[0].outcome')).toBeTruthy();
  return (await page.evaluate('offerlet.explain()[0]')) as never;
}
const accept = (page: Page) => page.locator('[part~=accept]');

/** Opens a page whose server has prefetched something. */
async function open(page: Page, blocks: string, tag = scriptTag(), path = '/thanks'): Promise<void> {
  await page.goto(fixture.page(path, shop(blocks + tag)));
}

const ONCE = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_VIEW'];

test('a reload, a second tab and the way back show the session that was counted, whatever the server prefetched since', async ({
  page,
  context,
}) => {
  const first = block();
  await open(page, inScript(first));
  await expect(accept(page)).toBeVisible();
  await poll(() => fixture.names().toSorted()).toEqual(ONCE.toSorted());
  fixture.page('/thanks', shop(inScript(block()) + scriptTag()));
  await page.reload();
  await expect(accept(page)).toBeVisible();
  expect(await explained(page)).toMatchObject({
    prefetched: 'Not used. The order is remembered on this device',
    response: { isPrefetched: false, isRemembered: true },
  });
  const tab = await context.newPage();
  await tab.goto(`${fixture.url}/thanks`);
  await expect(accept(tab)).toBeVisible();
  await page.goto(fixture.page('/else', shop('')));
  await page.goBack();
  await expect(accept(page)).toBeVisible();
  await letPass(page, 1_300);
  expect(fixture.names().toSorted()).toEqual(ONCE.toSorted());
  expect(requests()).toBe(0);
});

test('two tabs of one order that open together are one session, and count one load', async ({ context }) => {
  const tabs = await Promise.all([context.newPage(), context.newPage()]);
  // A relay gives both the same response.
  const both = inScript(block());
  await Promise.all(tabs.map((tab, at) => open(tab, both, scriptTag(), `/tab-${at}`)));
  for (const tab of tabs) await expect(accept(tab)).toBeVisible();
  for (const tab of tabs) {
    await tab.bringToFront();
    await letPass(tab, 1_500);
  }
  await tabs[0]?.bringToFront();
  await poll(() => new Set(fixture.names()).size).toBe(ONCE.length);
  const ids = new Set(fixture.events.map(({ session_id }) => session_id));
  expect(ids.size).toBe(1);
  expect(fixture.names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(1);
});

for (const [what, blocks, why] of [
  [
    'something that is not JSON',
    '<script type="application/json" data-offerlet-offers>{"view":</script>',
    'They are not JSON',
  ],
  ['a response that is none', inScript(block({ response: { session_id: '' } })), 'They could not be understood'],
] as const) {
  test(`a block with ${what} is not used: the page requests, and says why`, async ({ page }) => {
    await open(page, blocks, scriptTag());
    await expect(accept(page)).toBeVisible();
    expect((await explained(page)).prefetched).toContain(`Not used. ${why}`);
    expect(requests()).toBe(1);
  });
}

test('a block of another shopper is never on the page, even if only the hash of the page’s email tells them apart', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    const look = (): void => {
      const heading = document.querySelector('#offers > *')?.shadowRoot?.querySelector('[part~=heading]');
      if (heading?.textContent) seen.add(heading.textContent);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const tag = scriptTag({ 'email-hash': '', email: 'bob@example.com' });
  const response = JSON.parse(JSON.stringify(offersOf(1)).replace('Heading 1', 'For Ada')) as unknown;
  await open(page, inScript(block({ response })), tag);
  await expect(accept(page)).toBeVisible();
  await poll(() => page.evaluate('[...seen]')).toEqual(['Heading 1']);
  expect((await explained(page)).prefetched).toBe('Not used. They are for another shopper');
  await expect(accept(page)).toHaveCount(1);
  await poll(() => fixture.names().toSorted()).toEqual(ONCE.toSorted());
  expect(new Set(fixture.events.map(({ session_id }) => session_id)).size).toBe(1);
  expect(requests()).toBe(1);
});

test('of several blocks, the one of the order is used, and once', async ({ page }) => {
  const mine = block();
  await open(page, inScript(block({ order_id: '7' })) + inScript(mine) + inScript(block()));
  await expect(accept(page)).toBeVisible();
  await poll(() => page.evaluate('offerlet.explain()[0].response?.session_id')).toBe(
    (mine.response as { session_id: string }).session_id,
  );
  await page.evaluate(`window.second = offerlet.show({ ...${options('OVERLAY')}, request: { user_details: { email_hash: '${HASH}' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, order_details: { order_id: '1001' } } })`);
  await expect(accept(page)).toHaveCount(2);
  await poll(() => page.evaluate('second.explain().response?.isRemembered')).toBe(true);
  expect(requests()).toBe(0);
});

test('nothing is used, stored or counted before consent, and nothing is ever used after a denial', async ({ page }) => {
  await open(page, inScript(block()), scriptTag({ consent: 'required' }));
  await letPass(page, 400);
  expect(fixture.asked).toEqual([]);
  expect(await page.evaluate('localStorage.length')).toBe(0);
  await page.evaluate('offerlet.consent(false)');
  await letPass(page, 200);
  await expect(accept(page)).toHaveCount(0);
  await page.evaluate('offerlet.consent(true)');
  await expect(accept(page)).toBeVisible();
  expect((await explained(page)).prefetched).toBe('Used');
  await page.evaluate('offerlet.consent(false)');
  await poll(() => everythingStored(page)).not.toMatch(/session_id|offerlet:/);
  // The order is forgotten. A session is used once all the same.
  await page.evaluate('offerlet.consent(true)');
  await expect(accept(page)).toBeVisible();
  expect(requests()).toBe(1);
});

test('showOffers and <offer-let> use the block; the option comes before it', async ({ page }) => {
  const order = "order_details: { order_id: '1001' }";
  const request = `request: { user_details: { email_hash: '${HASH}' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, ${order} }`;
  const script = `<script type="module">import { showOffers } from '/index.js'; import '/element.js'; window.showOffers = showOffers;</script>`;
  const element =
    '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" order-id="1001" external-guid="4"></offer-let>';
  await page.goto(fixture.page('/npm', shop(inScript(block()) + script + element)));
  await expect(accept(page)).toBeVisible();
  await poll(() => page.evaluate("document.querySelector('offer-let').mount.explain().prefetched")).toBe('Used');
  const mine = block({ order_id: '2002' });
  await page.evaluate(
    `window.offers = showOffers({ relay: '/offers', target: '#offers', prefetched: ${JSON.stringify(mine)}, ${request.replace('1001', '2002')} })`,
  );
  await expect(accept(page)).toHaveCount(2);
  await poll(() => page.evaluate('offers.explain().response?.session_id')).toBe(
    (mine.response as { session_id: string }).session_id,
  );
  expect(requests()).toBe(0);
});

for (const status of [undefined, 503])
  test(`a block that is streamed after the script has run is used if it comes before a response with offers; the relay's: ${status}`, async ({
    page,
  }) => {
    let release = (): void => {};
    const late = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/blocking.js', async (route) => {
      await late;
      await route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    await page.route('**/never.png', () => undefined);
    const rest = `<script src="/blocking.js"></script>${inScript(block())}<img src="/never.png">`;
    fixture.reply = (_, response) => (status ? void response.writeHead(status).end() : new Promise(() => {}));
    await page.goto(fixture.page('/streamed', shop(scriptTag() + rest)), { waitUntil: 'commit' });
    // The page asks at once. Its relay gives both the same response.
    await poll(requests).toBe(1);
    await letPass(page, 100);
    release();
    await expect(accept(page)).toBeVisible();
    expect((await explained(page)).prefetched).toBe('Used');
    expect(await page.evaluate('document.readyState')).not.toBe('complete');
  });
