import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { offersOf, useFixture } from './pageFixture.ts';
import { openWith, options, outcomeOf, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useFixture();

const view = (name: string): string => fileURLToPath(new URL(`../../views/${name}`, import.meta.url));
const questions = () => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const accept = (page: Page) => page.locator('[part~=accept]').first();

function linesOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => message.type() !== 'error' && lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  return lines;
}

test('a page with an old Prototype.js gets its offers, and its events arrive as lists', async ({ page }) => {
  const lines = linesOf(page);
  const old = `<script>${readFileSync(view('prototypeLike.js'), 'utf8')}</script>`;
  await page.goto(fixture.page('/old', shop(scriptTag({ 'email-hash': '', email: 'anna@example.com' }), old)));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(fixture.asked[0]?.body.user_details).toEqual({ email_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(lines).toEqual([]);
});

test('a page that freezes every prototype gets its offers', async ({ page }) => {
  const lines = linesOf(page);
  const freeze = `<script>for (const what of [Object, Array, Function, Promise, String, Map, Set, Element, Node, Event, EventTarget, HTMLElement, Response, Headers])
    Object.freeze(what.prototype), Object.freeze(what);</script>`;
  await page.goto(fixture.page('/frozen', shop(scriptTag(), freeze)));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(lines).toEqual([]);
});

test('listeners that throw are ignored', async ({ page }) => {
  await openWith(
    page,
    fixture,
    `window.offers = showOffers(${options('INLINE', 'onEvent() { throw new Error("mine") }')});`,
  );
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
  await poll(fixture.names).toContain('BRAND_VIEW');
});

test('a strict policy and Trusted Types are not violated', async ({ page }) => {
  const lines = linesOf(page);
  const csp =
    "default-src 'none'; style-src 'none'; script-src 'self'; connect-src 'self'; img-src https:; require-trusted-types-for 'script'; trusted-types 'none'";
  await page.addInitScript(() => {
    Object.assign(window, { violations: [] });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
      (window as unknown as { violations: string[] }).violations.push(violatedDirective),
    );
  });
  // The page's own style attribute would be the violation.
  const html = shop(scriptTag())
    .replace(/ style="[^"]*"/g, '')
    .replace(/<link[^>]*>/, '');
  await page.goto(fixture.page('/strict', html, { 'content-security-policy': csp }));
  await expect(accept(page)).toBeVisible();
  expect(((await page.evaluate('violations')) as string[]).filter((directive) => directive !== 'img-src')).toEqual([]);
  expect(lines).toEqual([]);
});

test('a layer that cannot open leaves the page as it was', async ({ page }) => {
  await page.addInitScript(() => {
    HTMLDialogElement.prototype.showModal = () => {
      throw new Error('a polyfill of the page');
    };
  });
  await openWith(page, fixture, `window.offers = showOffers(${options('OVERLAY')});`);
  expect((await outcomeOf(page)).code).toBe('network_error');
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
});

test('if the script is loaded twice, the second one warns and does nothing', async ({ page }) => {
  const lines = linesOf(page);
  await page.goto(
    fixture.page(
      '/twice',
      shop(scriptTag() + scriptTag({ 'order-id': '1002' }).replace('offerlet.js', 'offerlet.js?v=2')),
    ),
  );
  await expect(accept(page)).toBeVisible();
  expect(lines).toEqual([expect.stringContaining('already')]);
  expect(questions()).toBe(1);
});

test('next to another version from npm, each element is shown once, by the first', async ({ page }) => {
  const lines = linesOf(page);
  const element = '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="42"></offer-let>';
  const scripts = `<script src="/offerlet.js"></script><script type="module" src="/element.js"></script>`;
  await page.goto(fixture.page('/versions', shop(element + scripts)));
  await expect(accept(page)).toBeVisible();
  await page.waitForTimeout(300);
  expect(questions()).toBe(1);
  await expect(page.locator('[part~=accept]')).toHaveCount(1);
  expect(lines).toEqual([]);
});

test('calls from before the script loaded run once it has, and one that throws stops no other', async ({ page }) => {
  const early = `<script>(window.offerlet ||= []).push(() => { throw new Error('mine') });
    (window.offerlet ||= []).push((o) => (window.offers = o.show(${options('INLINE')})));</script>`;
  await page.goto(fixture.page('/queued', shop(`${early}<script async src="/offerlet.js"></script>`)));
  await expect(accept(page)).toBeVisible();
  expect(await outcomeOf(page)).toMatchObject({ code: 'rendered' });
  expect(await page.evaluate('offerlet.explain().length')).toBe(1);
  expect(questions()).toBe(1);
});

test('an element named offerlet is not taken for a second script', async ({ page }) => {
  const lines = linesOf(page);
  await page.goto(fixture.page('/named', shop(`<div id="offerlet"></div>${scriptTag({ target: '#offerlet' })}`)));
  await expect(accept(page)).toBeVisible();
  expect(lines).toEqual([]);
});

test('<offer-let> shows offers at its place, and survives being moved', async ({ page }) => {
  const element = `<script async src="/offerlet.js"></script><main><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="42"></offer-let></main><footer></footer>`;
  await page.goto(fixture.page('/element', shop(element)));
  await expect(page.locator('main offer-let [part~=accept]')).toBeVisible();
  expect(fixture.asked[0]?.body.user_details).toEqual({ external_guid: '42' });
  await page.evaluate("document.querySelector('footer').append(document.querySelector('offer-let'))");
  await page.waitForTimeout(200);
  await expect(page.locator('footer offer-let [part~=accept]')).toBeVisible();
  expect(questions()).toBe(1);
});

test('an <offer-let> that is removed stops, and shows offers again when it returns', async ({ page }) => {
  const element = `<script async src="/offerlet.js"></script><offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" order-id="9"></offer-let>`;
  await page.goto(fixture.page('/away', shop(element)));
  await expect(accept(page)).toBeVisible();
  await page.evaluate(
    "window.gone = document.querySelector('offer-let'); gone.remove(); new Promise((resolve) => setTimeout(resolve, 50))",
  );
  expect(await page.evaluate('[gone.offers, offerlet.explain().length]')).toEqual([undefined, 0]);
  await page.evaluate('document.body.append(gone)');
  await expect(accept(page)).toBeVisible();
  expect(questions()).toBe(1);
});

test('under React’s StrictMode, two mounts show, request and count once', async ({ page }) => {
  const code = await bundle(view('strictMode.ts'), 'es');
  fixture.page('/strict-mode.js', code, { 'content-type': 'text/javascript' });
  const call = `<script type="module">import { draw } from '/strict-mode.js'; draw(${options('INLINE')});</script>`;
  await page.goto(fixture.page('/react', shop(call)));
  await expect(page.locator('#react [part~=accept]')).toHaveCount(1);
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(questions()).toBe(1);
  expect(fixture.names().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(1);
  expect(await page.evaluate('mounts.length')).toBe(2);
});

// Each mode has its own browser profile, and they run at the same time.
test('100 mounts of INLINE or OVERLAY leave no host, listener or observer', async ({ browser }) => {
  fixture.reply = () => offersOf(3);
  const pages = new Map<string, Page>();
  // One after the other: the fixture serves them at one address.
  for (const mode of ['INLINE', 'OVERLAY']) {
    const page = await (await browser.newContext()).newPage();
    await page.addInitScript(countListeners);
    await openWith(
      page,
      fixture,
      `window.options = ${options(mode)}; window.first = showOffers(options); await first.outcome; first.destroy(); window.ready = true;`,
    );
    await page.waitForFunction('window.ready');
    pages.set(mode, page);
  }
  await Promise.all([...pages].map(([mode, page]) => mountOneHundred(page, mode)));
  await Promise.all([...pages.values()].map((page) => page.context().close()));
});

async function mountOneHundred(page: Page, mode: string): Promise<void> {
  expect(await page.evaluate('options.request.placement_details.display_mode')).toBe(mode);
  await page.waitForTimeout(500);
  const before = await page.evaluate(left);
  await page.evaluate(
    '(async () => { for (let i = 0; i < 100; i++) { const offers = showOffers(options); await offers.outcome; offers.destroy(); } })()',
  );
  await page.waitForTimeout(1_000);
  expect(await page.evaluate(left), mode).toEqual(before);
}

/** Counts what is registered on window and document, and the observers that watch something. */
function countListeners(): void {
  const live = { listeners: 0, observed: 0 };
  Object.assign(window, { live });
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const known = new Map<EventTarget, Set<string>>();
  const ids = new WeakMap<object, number>();
  let last = 0;
  const key = (type: string, listener: object | null): string => {
    if (listener && !ids.has(listener)) ids.set(listener, ++last);
    return `${type} ${listener ? ids.get(listener) : 0}`;
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    if (this === window || this === document || this === document.documentElement) {
      const signal = typeof options === 'object' ? options.signal : undefined;
      signal?.addEventListener('abort', () => {
        known.get(this)?.delete(key(type, listener));
        live.listeners = [...known.values()].reduce((sum, { size }) => sum + size, 0);
      });
      known.set(this, (known.get(this) ?? new Set()).add(key(type, listener)));
      live.listeners = [...known.values()].reduce((sum, { size }) => sum + size, 0);
    }
    return addEventListener.call(this, type, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    known.get(this)?.delete(key(type, listener));
    live.listeners = [...known.values()].reduce((sum, { size }) => sum + size, 0);
    return removeEventListener.call(this, type, listener, options);
  };
  const { observe, disconnect, unobserve } = IntersectionObserver.prototype;
  const watched = new Map<IntersectionObserver, Set<Element>>();
  const sum = (): void => void (live.observed = [...watched.values()].reduce((total, { size }) => total + size, 0));
  IntersectionObserver.prototype.observe = function (element) {
    watched.set(this, (watched.get(this) ?? new Set()).add(element));
    sum();
    return observe.call(this, element);
  };
  IntersectionObserver.prototype.unobserve = function (element) {
    watched.get(this)?.delete(element);
    sum();
    return unobserve.call(this, element);
  };
  IntersectionObserver.prototype.disconnect = function () {
    watched.delete(this);
    sum();
    return disconnect.call(this);
  };
}

function left(): unknown {
  const { live } = window as unknown as { live: { listeners: number; observed: number } };
  const html = document.documentElement;
  return {
    ...live,
    nodes: document.querySelectorAll('*').length,
    html: [...html.attributes].map(({ name, value }) => `${name}=${value}`),
    place: document.querySelector('#offers')?.innerHTML,
  };
}
