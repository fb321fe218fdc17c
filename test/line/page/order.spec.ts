import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { options, scriptTag, shop } from './pageShop.ts';
import { useTrustShop } from '../../trust/trustShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';
import type { Explanation } from '../../../src/session/openTrace.ts';

const fixture = useFixture();
/** A page behind a real relay. */
const behindRelay = useTrustShop();
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

test('two mounts of one order in one task, and another tab, are one session: the relay asks once, and it counts once', async ({
  page,
  context,
}) => {
  const show = (target: string): string =>
    `o.show({ ...${options('INLINE')}, target: '${target}', request: { ...${options('INLINE')}.request, order_details: { order_id: '7' } } });`;
  const tag = `<p id="b"></p><script>window.offerlet = [(o) => { ${show('#offers')} ${show('#b')} }]</script><script async src="/offerlet.js"></script>`;
  const url = behindRelay.page('/two', shop(tag));
  const tabs = [page, await context.newPage()];
  const questions = () => behindRelay.calls.filter(({ path }) => path === '/recommendations');
  for (const tab of tabs) {
    await tab.goto(url);
    // In the same instant, both may find that the device has no secret yet.
    await poll(questions).toHaveLength(1);
  }
  for (const tab of tabs) await expect(tab.locator('[part~=accept]')).toHaveCount(2);
  const names = (): unknown[] =>
    behindRelay.calls.flatMap(({ body }) =>
      ((body.events ?? []) as { event_name: string }[]).map(({ event_name }) => event_name),
    );
  await poll(names).toContain('WIDGET_LOAD');
  await letPass(page, 1_500);
  expect(questions()).toHaveLength(1);
  expect(names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(1);
  // Each counts what it has tracked itself, whichever of them has sent it.
  for (const tab of tabs)
    for (const { tracked, queue } of await tab.evaluate<Explanation[]>('offerlet.explain()'))
      expect(queue).toEqual({ waiting: 0, delivered: tracked.length, dropped: 0, dead: 0 });
});

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
