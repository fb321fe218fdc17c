import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { openWith, scriptTag, shop } from './pageShop.ts';
import { waitForRelay } from '../drivers/patience.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const questions = () => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const accept = (page: Page) => page.locator('[part~=accept]').first();
const count = (name: string) => fixture.names().filter((one) => one === name).length;

/** What the page's own mount says about how it ended. */
function told(
  page: Page,
): Promise<{ outcome?: { code: string }; response?: { isRemembered: boolean; session_id: string } }> {
  return page.evaluate('offerlet.explain()[0]');
}

/** Opens the order page and waits until its offer was viewed, or until there is an outcome. */
async function open(page: Page, attributes: Record<string, string> = {}): Promise<void> {
  await page.goto(fixture.page('/order', shop(scriptTag(attributes))));
  await poll(async () => (await told(page))?.outcome?.code).toBeTruthy();
}

test('a reload, the way back and a second tab show the same response, request nothing and count nothing twice', async ({
  page,
  context,
}) => {
  await open(page);
  await poll(fixture.names).toContain('WIDGET_VIEW');
  await page.reload();
  await expect(accept(page)).toBeVisible();
  expect((await told(page)).response).toMatchObject({ isRemembered: true, session_id: fixture.events[0]?.session_id });
  await page.goto(fixture.page('/other', shop('')));
  await page.goBack();
  await expect(accept(page)).toBeVisible();
  const second = await context.newPage();
  await open(second);
  await expect(accept(second)).toBeVisible();
  await letPass(second, 1_500);
  expect(questions()).toBe(1);
  expect(fixture.names().toSorted()).toEqual([
    'BRAND_DISPLAY',
    'BRAND_VIEW',
    'WIDGET_DISPLAY',
    'WIDGET_LOAD',
    'WIDGET_VIEW',
  ]);
});

test('a tab that opens while another requests the order waits for its response', async ({ page, context }) => {
  let respond = (): void => {};
  const isAsked = new Promise<void>((resolve) => (respond = resolve));
  fixture.reply = async () => {
    await isAsked;
    return offersOf(1);
  };
  await waitForRelay(context);
  const second = await context.newPage();
  for (const tab of [page, second]) {
    await openWith(tab, fixture, '');
    await tab.waitForFunction('window.showOffers');
  }
  const show = `void (window.offers = showOffers({ relay: '/offers', target: '#offers', request: { order_details: { order_id: '7' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } } }))`;
  await page.evaluate(show);
  await poll(questions).toBe(1);
  await second.evaluate(show);
  await second.waitForFunction("offers.explain().waitingFor === 'relay'");
  respond();
  const [first, other] = (await Promise.all([outcomeAndResponse(page), outcomeAndResponse(second)])) as unknown[];
  expect(other).toEqual(first);
  expect(questions()).toBe(1);
  await letPass(page, 1_500);
  expect(count('WIDGET_LOAD')).toBe(1);
});

/** Resolves to the code and the session of the mount in `offers`. */
function outcomeAndResponse(page: Page): Promise<unknown> {
  return page.evaluate('offers.outcome.then(({ code }) => [code, offers.explain().response.session_id])');
}

test('a layer that was not closed comes back', async ({ page }) => {
  await open(page, { 'display-mode': 'OVERLAY' });
  await expect(accept(page)).toBeVisible();
  await page.reload();
  await expect(accept(page)).toBeVisible();
});

test('a layer that waits for a dialog of the page stays away once another tab has closed it', async ({
  page,
  context,
}) => {
  const second = await context.newPage();
  const dialog = '<dialog id="cookies">Cookies?</dialog><script>cookies.showModal()</script>';
  await second.goto(fixture.page('/busy', shop(dialog + scriptTag({ 'display-mode': 'OVERLAY' }))));
  await second.waitForFunction("offerlet.explain()[0]?.waitingFor === 'dialog'");
  await open(page, { 'display-mode': 'OVERLAY' });
  await page.locator('[part=close]').click();
  await second.evaluate('cookies.close()');
  await poll(async () => (await told(second)).outcome?.code).toBe('dismissed');
});

test('another order or placement is a new request, with a nonce of its own', async ({ page }) => {
  await open(page);
  await open(page, { 'order-id': '1002' });
  await open(page, { view: 'ORDER_STATUS' });
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (!key.endsWith('device')) localStorage.removeItem(key);
  });
  await open(page);
  const nonces = fixture.asked.flatMap(({ body }) => (body.user_details ? body.nonce : []));
  expect(nonces).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), ...nonces.slice(1, 3), nonces[0]]);
  expect(new Set(nonces).size).toBe(3);
});

test('a remembered response is validated again: other scripts can write there', async ({ page }) => {
  await open(page);
  await poll(fixture.names).toContain('WIDGET_VIEW'); // with which the page stores its order for the last time
  await page.evaluate(() => {
    const forged = (text: string): string => text.replaceAll('https://advertiser.example/1', 'javascript:alert(1)');
    for (const [key, text] of Object.entries<string>({ ...localStorage }))
      if (key.startsWith('offerlet:')) localStorage.setItem(key, forged(text));
  });
  await open(page);
  expect(await told(page)).toMatchObject({ outcome: { code: 'no_offers' } });
});

test('blocked storage costs the memory, not the offers', async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await page.goto(fixture.page('/order', shop(scriptTag())));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(count('BRAND_DISPLAY')).toBe(1);
});
