import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { HASH, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

/** Opens a page with the element's module, then runs the code: `element` is a new `<offer-let>`, `heard` its events. */
async function openWith(page: Page, code: string): Promise<void> {
  const script = `<script type="module">
    import '/element.js';
    window.element = document.createElement('offer-let');
    window.heard = [];
    element.addEventListener('offerlet', (event) => heard.push(event.detail.code ?? event.detail.type));
    window.set = (attributes) => { for (const name in attributes) element.setAttribute(name, attributes[name]); };
    ${code}
  </script>`;
  await page.goto(fixture.page('/element', shop(script)));
}

const REQUIRED = "relay: '/offers', view: 'THANK_YOU', 'display-mode': 'INLINE'";
/** Inserts it far below what is in view, of a scrolling box too. */
const FAR_DOWN = `document.body.innerHTML = '<main style="height:99px;overflow:auto"><p style="height:9999px">';
  document.querySelector('main').append(element);`;
const accept = (page: Page) => page.locator('offer-let [part~=accept]');
const bodies = () => fixture.asked.filter(({ path }) => path.endsWith('recommendations')).map(({ body }) => body);

test('attributes that are set after the element is inserted are in the one request', async ({ page }) => {
  await openWith(
    page,
    `document.body.append(element); set({ ${REQUIRED}, 'email-hash': '${HASH}', 'order-id': '7' });`,
  );
  await expect(accept(page)).toBeVisible();
  expect(bodies()).toEqual([
    {
      user_details: { email_hash: HASH },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
      order_details: { order_id: '7' },
      attributes: { language: 'en' },
      nonce: expect.any(String),
    },
  ]);
  expect(await page.evaluate('heard.filter((type) => type === "no_offers")')).toEqual([]);
});

test('until the request, every attribute may change; afterwards the shopper is fixed, and another order requests anew', async ({
  page,
}) => {
  await openWith(
    page,
    `set({ ${REQUIRED}, consent: 'required', 'external-guid': 'a' }); document.body.append(element);`,
  );
  await letPass(page, 200);
  await page.evaluate("set({ 'external-guid': 'b', 'order-id': '1', theme: 'dark' })");
  await letPass(page, 200);
  expect(bodies()).toEqual([]);
  await page.evaluate('element.mount.consent(true)');
  await expect(accept(page)).toBeVisible();
  await page.evaluate("set({ 'max-offers': '1', theme: 'light', locale: 'de' })");
  await letPass(page, 300);
  expect(bodies()).toMatchObject([{ user_details: { external_guid: 'b' }, order_details: { order_id: '1' } }]);
  await page.evaluate("set({ 'external-guid': 'c', 'order-id': '2' })");
  // Consent was given for this element, not for a later mount: the attribute still says that it is required.
  await page.evaluate('element.mount.consent(true)');
  await poll(() => bodies().length).toBe(2);
  expect(bodies()[1]).toMatchObject({ user_details: { external_guid: 'c' }, order_details: { order_id: '2' } });
  await expect(accept(page)).toBeVisible();
});

test('a missing attribute that comes later repairs the element', async ({ page }) => {
  await openWith(page, "document.body.append(element); set({ view: 'THANK_YOU', 'display-mode': 'INLINE' });");
  await page.waitForFunction('heard.includes("invalid_config")');
  await page.evaluate("element.setAttribute('relay', '/offers')");
  await expect(accept(page)).toBeVisible();
});

test('another view or display mode shows the offers anew', async ({ page }) => {
  await openWith(page, `set({ ${REQUIRED} }); document.body.append(element);`);
  await expect(accept(page)).toBeVisible();
  await page.evaluate("element.setAttribute('display-mode', 'OVERLAY')");
  await expect(page.locator('offer-let-layer [part~=accept]')).toBeVisible();
  await expect(accept(page)).toHaveCount(0);
  await page.evaluate("set({ view: 'ORDER_STATUS', 'display-mode': 'INLINE' })");
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  expect(bodies().map(({ placement_details }) => placement_details)).toEqual([
    { view: 'THANK_YOU', display_mode: 'INLINE' },
    { view: 'THANK_YOU', display_mode: 'OVERLAY' },
    { view: 'ORDER_STATUS', display_mode: 'INLINE' },
  ]);
});

test('the same value again changes nothing', async ({ page }) => {
  await openWith(page, `set({ ${REQUIRED} }); document.body.append(element);`);
  await expect(accept(page)).toBeVisible();
  await page.evaluate("window.before = element.mount; set({ view: 'THANK_YOU', 'display-mode': 'INLINE' })");
  await letPass(page, 100);
  expect(await page.evaluate('before === element.mount')).toBe(true);
});

test('the element gets its events even when there is nothing to show', async ({ page }) => {
  fixture.reply = () => offersOf(0);
  await openWith(page, `set({ ${REQUIRED} }); document.body.append(element);`);
  await page.waitForFunction('heard.includes("no_offers")');
  await expect(page.locator('offer-let')).toHaveAttribute('data-offerlet', 'empty');
});

test('a second copy of the module and the script tag leave the element that is defined', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  const tags = ['/element.js', '/element.js?copy']
    .map((src) => `<script type="module" src="${src}"></script>`)
    .join('');
  const element = '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE"></offer-let>';
  await page.goto(fixture.page('/copies', shop(`${tags}<script src="/offerlet.js"></script>${element}`)));
  await expect(accept(page)).toBeVisible();
  await page.addScriptTag({ url: '/offerlet.js?again' });
  await letPass(page, 300);
  expect(errors).toEqual([]);
  expect(bodies()).toHaveLength(1);
  await poll(fixture.names).toContain('WIDGET_LOAD');
  expect(fixture.names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(1);
});

test('each attribute is a property as well, even one that is set before the class is there', async ({ page }) => {
  await page.goto(fixture.page('/early', shop('<offer-let widgetId="w"></offer-let>')));
  await page.evaluate(async () => {
    const element = document.querySelector('offer-let') as unknown as Record<string, unknown>;
    Object.assign(element, { relay: '/offers', view: 'THANK_YOU', displayMode: 'INLINE', orderId: 7, maxOffers: 1 });
    const module = '/element.js';
    await import(module);
    Object.assign(element, { emailHash: null, sandbox: false });
  });
  await expect(accept(page)).toBeVisible();
  expect(bodies()).toMatchObject([{ order_details: { order_id: '7' }, placement_details: { widget_id: 'w' } }]);
  expect(await page.evaluate("document.querySelector('offer-let').outerHTML")).toMatch(
    /(?=.* order-id="7")(?=.* max-offers="1")(?=.* widget-id="w")(?!.* (email-hash|sandbox)=)/,
  );
});

for (const way of ["style.setProperty('display', 'none', 'important')", "toggleAttribute('hidden', true)"]) {
  test(`an element that is hidden by ${way} asks for nothing until it is not, and shows nothing`, async ({ page }) => {
    await openWith(page, `set({ ${REQUIRED} }); element.${way}; ${FAR_DOWN}`);
    await letPass(page, 300);
    expect(bodies()).toEqual([]);
    const show = "element.removeAttribute('style'); element.removeAttribute('hidden')";
    await page.evaluate(show);
    await expect(accept(page)).toBeVisible();
    await page.evaluate(`element.${way}`);
    await expect(accept(page)).toBeHidden();
    await page.evaluate(show);
    await expect(accept(page)).toBeVisible();
    await page.evaluate("document.body.style.visibility = 'hidden'");
    await expect(accept(page)).toBeHidden();
  });
}

test('a layer closes with its element, and is back with it unless its own mark hides it', async ({ page }) => {
  const layer = page.locator('offer-let-layer [part~=accept]');
  await openWith(
    page,
    `set({ relay: '/offers', view: 'THANK_YOU', 'display-mode': 'OVERLAY', 'order-id': '7' }); ${FAR_DOWN}`,
  );
  await expect(layer).toBeVisible();
  await page.evaluate("element.style.display = 'none'");
  await expect(layer).toHaveCount(0);
  await page.evaluate("element.style.display = ''");
  await expect(layer).toBeVisible();
  expect(bodies()).toHaveLength(1);
  await page.addStyleTag({ content: '[data-offerlet=closed] { display: none !important }' });
  await page.evaluate('window.mount = element.mount');
  await page.keyboard.press('Escape');
  await expect(layer).toHaveCount(0);
  await letPass(page, 300);
  expect(await page.evaluate('element.mount === mount')).toBe(true);
});
