// DOM clobbering: elements that a page lets strangers write (a comment, a profile) and that shadow the document's own properties.
import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const EVIL = 'https://evil.example';
/** Runs before the elements: what the test itself needs of the document. */
const PRISTINE = `<script nonce="n1">
  const find = document.querySelector.bind(document);
  window.offersIn = (selector) => find(selector)?.shadowRoot?.querySelector('[part~=accept]')?.textContent;
  window.layerText = () => offersIn('offer-let-layer');
  window.closeLayer = () => find('offer-let-layer').shadowRoot.querySelector('[part~=close]').click();
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.blockedURI));
</script>`;

/** Every property of a document or a form, read from the browser so that none is forgotten. */
async function namesOf(page: Page, what: 'document' | 'document.createElement("form")'): Promise<string[]> {
  await page.goto('about:blank');
  return page.evaluate(`(() => {
    const names = new Set();
    for (let at = Object.getPrototypeOf(${what}); at !== Object.prototype; at = Object.getPrototypeOf(at))
      Object.getOwnPropertyNames(at).forEach((name) => names.add(name));
    names.delete('constructor');
    return [...names];
  })()`);
}

/** Records requests to anything but the fixture, and blocks them. */
async function watchForeign(page: Page): Promise<string[]> {
  const foreign: string[] = [];
  await page.route(
    (url) => url.protocol.startsWith('http') && !url.href.startsWith(fixture.url),
    (route) => {
      foreign.push(route.request().url());
      return route.abort();
    },
  );
  return foreign;
}

const ATTRIBUTES = `data-relay="${EVIL}/r" data-view="THANK_YOU" data-display-mode="OVERLAY" data-sandbox src="data:,"`;

for (const mode of ['INLINE', 'OVERLAY', 'PULLUP']) {
  test(`${mode} offers come as always when elements are named like every property of the document`, async ({
    page,
  }) => {
    const names = await namesOf(page, 'document');
    expect(names.length).toBeGreaterThan(200);
    const images = names.map((name) => `<img name="${name}" ${ATTRIBUTES}>`).join('');
    fixture.reply = () => offersOf(2);
    const foreign = await watchForeign(page);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(fixture.page('/clobbered', shop(`${PRISTINE}${images}${scriptTag({ 'display-mode': mode })}`)));
    const text = mode === 'INLINE' ? 'offersIn("#offers > div")' : 'layerText()';
    await page.waitForFunction(text);
    await poll(fixture.names).toContain('BRAND_VIEW');
    if (mode !== 'INLINE') {
      await page.evaluate('closeLayer()');
      await page.waitForFunction('layerText() === undefined');
    }
    expect(fixture.asked[0]?.path).toBe('/offers/recommendations');
    expect(foreign.filter((url) => !url.startsWith('https://cdn.example/'))).toEqual([]);
    expect(errors).toEqual([]);
  });
}

test('a form may hold the offers, whatever its fields are called', async ({ page }) => {
  const names = await namesOf(page, 'document.createElement("form")');
  const fields = names.map((name) => `<input type="hidden" name="${name}">`).join('');
  const form = `<form>${fields}<div><form id="inner"></form></div><p id="place"></p></form>`;
  const target = `<form id="target" role="dialog" aria-modal="true" style="width:0;height:0;display:none">${fields}</form>`;
  await page.goto(
    fixture.page('/form', shop(`${PRISTINE}${target}${form}${scriptTag({ target: '#place', 'order-id': '' })}`)),
  );
  await page.waitForFunction('offersIn("#place > div")');
  await poll(fixture.names).toContain('BRAND_VIEW');
  const inForm = `<form id="target">${fields}</form>`;
  await page.goto(
    fixture.page('/target', shop(`${PRISTINE}${inForm}${scriptTag({ target: '#target', 'order-id': '' })}`)),
  );
  await page.waitForFunction('offersIn("#target > div")');
  await page.evaluate(`window.codes = [];
    EventTarget.prototype.addEventListener.call(find('#target'), 'offerlet', ({ detail }) => codes.push(detail.code));
    offerlet.consent(false);`);
  expect(await page.evaluate('codes')).toContain('consent_denied');
});

test('an overlay waits for a modal form whose fields shadow its methods', async ({ page }) => {
  const names = await namesOf(page, 'document.createElement("form")');
  const fields = names.map((name) => `<input name="${name}">`).join('');
  const modal = `<form aria-modal="true">${fields}</form>`;
  await page.goto(fixture.page('/modal', shop(`${PRISTINE}${modal}${scriptTag({ 'display-mode': 'OVERLAY' })}`)));
  await poll(() => fixture.asked.length).toBeGreaterThan(0);
  await letPass(page, 600);
  expect(await page.evaluate('layerText()')).toBeUndefined();
  await page.evaluate("Element.prototype.remove.call(document.querySelector('form'))");
  await poll(() => page.evaluate('layerText()')).toBeTruthy();
});

test('no element is taken for the script or for its inspector, under a strict policy with Trusted Types too', async ({
  page,
}) => {
  const csp =
    "script-src 'nonce-n1' 'strict-dynamic'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
  fixture.reply = () => offersOf(1, { sandbox: true });
  const foreign = await watchForeign(page);
  const inspectors = new Set<string>();
  page.on('request', (request) => request.url().includes('inspector') && inspectors.add(request.url()));
  for (const policy of [csp, '']) {
    fixture.asked.length = 0;
    const images = ['currentScript', 'baseURI', 'offerlet'].map((name) => `<img name="${name}" ${ATTRIBUTES}>`);
    const more = `<iframe name="offerlet"></iframe><a id="offerlet"></a><a id="offerlet" name="show"></a><base href="${EVIL}/base/">`;
    // The real tag is before the `<base>`, as in a page whose comments come below its head.
    const tag = scriptTag({
      'display-mode': 'OVERLAY',
      relay: `${fixture.url}/offers`,
      sandbox: 'true',
      'order-id': '',
    });
    const real = tag.replace('async', 'nonce="n1"').replace('src="', `src="${fixture.url}`);
    const relative = tag.replace('async', 'nonce="n1"');
    for (const script of [real, relative]) {
      await page.goto(
        fixture.page(
          '/strict',
          shop(PRISTINE + images.join('') + script + more),
          policy ? { 'content-security-policy': policy } : {},
        ),
      );
      // Not `waitForFunction`: it needs `eval`, which this policy forbids.
      await poll(() => page.evaluate('layerText()')).toBeTruthy();
      expect(fixture.asked.at(-1)?.headers.host).toBe(new URL(fixture.url).host);
    }
    expect(await page.evaluate('violations')).toEqual([]);
  }
  expect([...inspectors]).toEqual([`${fixture.url}/offerlet-inspector.js`]);
  expect(foreign.filter((url) => !url.startsWith('https://cdn.example/'))).toEqual([]);
});

test('a browser without requestIdleCallback finds no element in its place', async ({ page }) => {
  await page.addInitScript('delete window.requestIdleCallback');
  const link = '<a id="requestIdleCallback" href="#x"></a>';
  await page.goto(fixture.page('/safari', shop(PRISTINE + link + scriptTag())));
  // Playwright itself stumbles over that element: only the relay shows it.
  await poll(fixture.names).toContain('BRAND_DISPLAY');
});
