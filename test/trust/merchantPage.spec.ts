import { expect, test, type Page } from '@playwright/test';
import { offersOf } from '../line/page/pageFixture.ts';
import { thankYou, useTrustShop } from './trustShop.ts';

// What SECURITY.md promises for the merchant's page. Each title is a promise, word for word.
const shop = useTrustShop();

const accept = (page: Page) => page.locator('[part~=accept]').first();

function linesOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    // The browser's own notice of a failed request or picture, which no script can prevent.
    if (!message.text().startsWith('Failed to load resource')) lines.push(message.text());
  });
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  return lines;
}

test('No HTML from the network is rendered.', async ({ page }) => {
  const lines = linesOf(page);
  const html = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><b>bold</b>';
  const poison = (value: unknown): unknown => {
    if (typeof value === 'string') return value.startsWith('https:') ? value : html;
    if (Array.isArray(value)) return value.map(poison);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, KEEP.has(key) ? inner : poison(inner)]),
      );
    return value;
  };
  const KEEP = new Set(['session_id', 'offer_id', 'insertion_id', 'advertiser_id', 'id', 'slot_context']);
  shop.offers = () => poison(offersOf(2));
  await page.goto(shop.page('/', thankYou()));
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('[part~=heading]').first()).toContainText('<b>bold</b>');
  expect(await page.locator('#offers').locator('b, script, img[onerror]').count()).toBe(0);
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(lines).toEqual([]);
});

test('Whatever the relay returns, the page sees no exception and no console output (on localhost, one line).', async ({
  page,
}) => {
  const lines = linesOf(page);
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const bodies = [
    '',
    'null',
    '[]',
    '"text"',
    '{"session_id":1}',
    '<html>',
    deep,
    JSON.stringify({ session_id: 'x', recommendations: { a: { offer: { heading: {} } } } }),
  ];
  for (const body of bodies) {
    for (const status of [200, 404, 500]) {
      await page.route('**/offers/recommendations', (route) =>
        route.fulfill({ status, body, contentType: 'application/json' }),
      );
      await page.goto(shop.page('/', thankYou({ 'order-id': undefined })));
      await page.waitForFunction('window.offerlet?.explain?.()[0]?.outcome');
      // On loopback, where developers look, one line says what is wrong; that there are no offers is not wrong.
      await expect.poll(() => lines.length).toBe(status === 200 && body === '{"session_id":1}' ? 0 : 1);
      for (const line of lines.splice(0)) expect(line).toMatch(/offerlet: .* \(\w+\)$/s);
      await page.unroute('**/offers/recommendations');
    }
  }
  expect(lines).toEqual([]);
});

test('It runs under a policy without any inline style or script, with Trusted Types enforced, and violates nothing.', async ({
  page,
}) => {
  const csp =
    "default-src 'none'; style-src 'none'; script-src 'self'; connect-src 'self'; img-src https: data:; require-trusted-types-for 'script'; trusted-types 'none'";
  await page.addInitScript(() => {
    const violations = ((window as unknown as { violations: string[] }).violations = []);
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective as never));
  });
  for (const mode of ['INLINE', 'OVERLAY', 'FULLSCREEN', 'PULLUP']) {
    const url = shop.page('/', thankYou({ 'display-mode': mode, 'order-id': mode }), {
      'content-security-policy': csp,
    });
    await page.goto(url);
    await expect(accept(page)).toHaveCSS('min-height', '48px'); // it has its styles
    expect(await page.evaluate('violations')).toEqual([]);
  }
});

test('Options are read from the script tag that runs, never from an element that poses as it.', async ({ page }) => {
  const foreign: string[] = [];
  page.on('request', (request) => request.url().includes('evil.example') && foreign.push(request.url()));
  const posing = ['currentScript', 'baseURI', 'body', 'documentElement', 'offerlet', 'readyState', 'createElement']
    .map(
      (name) =>
        `<img name="${name}" id="${name}" alt="" data-relay="https://evil.example/r" data-view="THANK_YOU" data-display-mode="INLINE" data-target="#offers" data-sandbox src="https://evil.example/x.js">`,
    )
    .join('');
  await page.route('https://evil.example/**', (route) => route.abort());
  await page.goto(shop.page('/', thankYou({}, '', posing)));
  await expect(accept(page)).toBeVisible();
  expect(foreign.filter((url) => !url.endsWith('/x.js'))).toEqual([]);
  expect(shop.posts[0]).toBe('/offers/recommendations');
});

test('Offers and events go through the relay alone, and a redirect is never followed.', async ({ page }) => {
  const hosts = new Set<string>();
  page.on('request', (request) => request.method() === 'POST' && hosts.add(new URL(request.url()).host));
  await page.route('**/offers/recommendations', (route) =>
    route.fulfill({ status: 307, headers: { location: 'http://localhost:9/steal' } }),
  );
  await page.goto(shop.page('/', thankYou()));
  await page.waitForFunction('window.offerlet?.explain?.()[0]?.outcome');
  expect(await page.evaluate('window.offerlet.explain()[0].outcome.code')).toBe('network_error');
  expect([...hosts]).toEqual([new URL(shop.url).host]);
});

test('The script adds one global name, `offerlet`, and destroy() takes everything else off the page.', async ({
  page,
}) => {
  await page.addInitScript('window.before = Object.getOwnPropertyNames(window)');
  await page.goto(shop.page('/', thankYou({ 'display-mode': 'OVERLAY' })));
  await expect(accept(page)).toBeVisible();
  const added = await page.evaluate(
    "Object.getOwnPropertyNames(window).filter((name) => !window.before.includes(name) && name !== 'before')",
  );
  expect(added).toEqual(['offerlet']);
  await page.evaluate('window.offerlet.destroy()');
  expect(await page.locator('offer-let-layer').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.getAttributeNames()')).toEqual(['lang']);
});
