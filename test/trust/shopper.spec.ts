import { expect, test, type Page } from '@playwright/test';
import { offersOf } from '../line/page/pageFixture.ts';
import { everythingStored } from '../line/page/pageShop.ts';
import { CANARIES, thankYou, useTrustShop } from './trustShop.ts';
import { poll } from '../line/drivers/poll.ts';
import { letPass, useClock } from '../line/drivers/letPass.ts';

// What SECURITY.md promises to shoppers. Each title is a promise, word for word.
const shop = useTrustShop();
useClock();

const accept = (page: Page) => page.locator('[part~=accept]').first();
const decide = (page: Page, isGiven: boolean) => page.evaluate(`window.offerlet.push((o) => o.consent(${isGiven}))`);

async function expectNothing(page: Page): Promise<void> {
  await letPass(page, 600);
  expect(shop.posts).toEqual([]);
  expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
  expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
}

test('Where consent is required, nothing is requested or stored before it is given.', async ({ page }) => {
  await page.goto(shop.page('/', thankYou({ consent: 'required' })));
  await expectNothing(page);
  await decide(page, true);
  await expect(accept(page)).toBeVisible();
  expect(shop.posts).toContain('/offers/recommendations');
});

test('Global Privacy Control counts as a refusal unless the page passes its own decision.', async ({ page }) => {
  await page.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true }),
  );
  await page.goto(shop.page('/', thankYou()));
  await expectNothing(page);
  await decide(page, true);
  await expect(accept(page)).toBeVisible();
  expect(shop.posts).toContain('/offers/recommendations');
});

test('Withdrawing consent removes the offers in every tab and deletes what was stored.', async ({ page, context }) => {
  shop.batchStatus = 503; // so that events are still waiting when consent is withdrawn
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  const other = await context.newPage();
  await other.goto(shop.url);
  await expect(accept(other)).toBeVisible();
  await poll(() => everythingStored(page)).toMatch(/WIDGET_LOAD/);
  await decide(page, false);
  await expect(accept(page)).toHaveCount(0);
  await expect(accept(other)).toHaveCount(0);
  await poll(() => everythingStored(page)).not.toMatch(/WIDGET_LOAD|session_id/);
  const requests = shop.posts.length;
  shop.batchStatus = 202;
  await other.evaluate("dispatchEvent(new Event('online'))");
  await letPass(page, 1_500);
  expect(shop.posts.length).toBe(requests);
  expect(await everythingStored(page)).not.toMatch(/WIDGET_|BRAND_|session_id/);
});

test('No email, phone number, name or amount is stored on the device, plain or as a hash, and no order id.', async ({
  page,
  browser,
}) => {
  const { email, order_id, amount, first_name, phone } = CANARIES;
  shop.batchStatus = 503;
  // A network that returns what it was sent, in fields that nobody knows.
  shop.offers = () => ({ ...offersOf(1), debug: CANARIES });
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  await poll(() => everythingStored(page)).toContain('WIDGET_LOAD'); // so that the search below finds something
  const { email_hash = '' } = (shop.calls.find(({ body }) => body.user_details)?.body.user_details ?? {}) as {
    email_hash?: string;
  };
  expect(email_hash).toMatch(/^[0-9a-f]{64}$/);
  const stored = await everythingStored(page);
  for (const canary of [email, email_hash, phone, first_name, order_id, amount]) expect(stored).not.toContain(canary);
  // Whatever the hash: with the same random numbers, two shoppers leave the same.
  const same = offersOf(1);
  shop.offers = () => same;
  const left = async (shopper: Record<string, string | undefined>): Promise<unknown> => {
    const context = await browser.newContext();
    await context.addInitScript(() => {
      Math.random = () => 0.5;
      crypto.randomUUID = () => '00000000-0000-4000-8000-000000000000';
    });
    const other = await context.newPage();
    await other.goto(shop.page('/', thankYou(shopper)));
    await poll(() => everythingStored(other)).toContain('BRAND_VIEW');
    const local = await other.evaluate('Object.entries(localStorage).sort()');
    await context.close();
    return JSON.stringify(local).replaceAll(/\d{13}/g, 'time');
  };
  const phoned = { email: undefined, phone, 'order-amount': '1.00' };
  expect(await left({})).toContain('00000000-0000-4000-8000-000000000000');
  expect(await left(phoned)).toBe(await left({}));
});

test("A shopper's session, with its offers and their URLs, reaches no other device, even one that knows email and order number.", async ({
  page,
}) => {
  const bodies: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/recommendations')) bodies.push(request.postDataJSON() as Record<string, unknown>);
  });
  const session = async (): Promise<unknown> => {
    await page.goto(shop.page('/', thankYou()));
    await expect(accept(page)).toBeVisible();
    return page.evaluate('offerlet.explain()[0].response.session_id');
  };
  const theirs = await session();
  const { nonce, ...known } = bodies[0] ?? {};
  for (const guess of [known, { ...known, nonce: String(nonce).replace(/^./, 'x') }]) {
    const data = { ...guess, attributes: {} };
    const response = await page.request.post(`${shop.url}/offers/recommendations`, { data });
    expect([response.status(), await response.text()]).toEqual([200, expect.not.stringContaining(String(theirs))]);
  }
  // The device itself gets it again, even if it has forgotten the order.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (!key.endsWith('device')) localStorage.removeItem(key);
  });
  expect(await session()).toBe(theirs);
  expect(JSON.stringify([shop.calls, shop.logs])).not.toContain(String(nonce));
});

test('An email given to the page leaves the browser only as its SHA-256 hash.', async ({ page }) => {
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url(), request.postData() ?? ''));
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  expect(sent.join('\n')).toContain('"email_hash":"');
  expect(sent.join('\n').toLowerCase()).not.toContain(CANARIES.email);
});

test('No cookie is set or read.', async ({ page, context }) => {
  await page.addInitScript(() => {
    const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie') as Required<PropertyDescriptor>;
    const uses = ((window as unknown as { cookieUses: string[] }).cookieUses = []);
    Object.defineProperty(Document.prototype, 'cookie', {
      get(this: Document) {
        uses.push('read' as never);
        return get.call(this) as string;
      },
      set(this: Document, value: string) {
        uses.push('write' as never);
        set.call(this, value);
      },
    });
  });
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  await letPass(page, 600);
  expect(await page.evaluate('cookieUses')).toEqual([]);
  expect(await context.cookies()).toEqual([]);
});

test('Only https links are opened, without an opener and without the path of the order page.', async ({ page }) => {
  const urls = ['javascript:alert(1)', 'data:text/html,x', 'http://plain.example/', 'https://user:pass@a.example/'];
  const response = offersOf(urls.length + 1) as { recommendations: Record<string, { offer: { target_url: string } }> };
  urls.forEach((url, index) => {
    const recommendation = response.recommendations[`offer-${index + 1}`];
    if (recommendation) recommendation.offer.target_url = url;
  });
  shop.offers = () => response;
  await page.goto(shop.page('/order/secret-token', thankYou()));
  await expect(accept(page)).toBeVisible();
  const links = page.locator('#offers a[href]');
  const hrefs = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol));
  expect(hrefs.length).toBeGreaterThan(0);
  expect(new Set(hrefs)).toEqual(new Set(['https:']));
  await expect(accept(page)).toHaveAttribute('href', `https://advertiser.example/${urls.length + 1}`);
  await expect(accept(page)).toHaveAttribute('rel', /noopener/);
  await expect(accept(page)).toHaveAttribute('referrerpolicy', 'strict-origin');
});

test("Every card has a label at its top, whatever the page's custom properties say. The page may put other words there, but not none.", async ({
  page,
}) => {
  const script = `<script>(window.offerlet ||= []).push((o) => o.show({ relay: '/offers', target: '#offers',
    request: { user_details: { external_guid: 'x' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } },
    messages: { sponsored: '\\u200b\\u00ad\\u3164' } }))</script><script async src="/offerlet.js"></script>`;
  const head = `<style>#offers * { --offerlet-muted: transparent; --offerlet-text: transparent }
    #offers { --offerlet-muted: transparent; --offerlet-text: transparent; --offerlet-font: 1; font-size: 1px }</style>`;
  await page.goto(shop.page('/', thankYou({}, head).replace(/<script async.*<\/script>/, script)));
  const label = page.getByText('Sponsored', { exact: true }).first();
  await expect(label).toBeVisible();
  const style = await label.evaluate((element) => {
    const { color, fontSize } = getComputedStyle(element);
    return { color, fontSize: parseFloat(fontSize) };
  });
  expect(style.color).not.toMatch(/, 0\)$|transparent/);
  expect(style.fontSize).toBeGreaterThanOrEqual(12);
});
