import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { goTo, panel, useInspected, TABS } from './inspectorFixture.ts';
import { offersOf } from '../page/pageFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';

// When the inspector comes, and that nothing comes when it must not.

const fixture = useInspected();

const inspector = (page: Page) => page.locator('offerlet-inspector');
const accept = (page: Page) => page.locator('[part~=accept]:visible').first();

/** Every URL that the page requests from now on. */
function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on('request', (request) => urls.push(new URL(request.url()).pathname));
  return urls;
}

test('with a production relay on a page that is not the developer’s own, none of it is loaded: no request, no element, nothing stored', async ({
  page,
}) => {
  fixture.reply = () => offersOf(1);
  const urls = requestsOf(page);
  fixture.page('/production', shop(scriptTag()));
  await page.route('http://shop.test/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: fixture.url + pathname }) });
  });
  await page.goto('http://shop.test/production?offerlet=inspect&offerlet-scenario=no-offers');
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(urls.filter((url) => url.includes('inspector'))).toEqual([]);
  await expect(inspector(page)).toHaveCount(0);
  expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
});

test('a page that does not request it does not load it', async ({ page }) => {
  const urls = requestsOf(page);
  await page.goto(fixture.page('/silent', shop(scriptTag())));
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(urls.filter((url) => url.includes('inspector'))).toEqual([]);
});

test('data-sandbox loads it too, collapsed', async ({ page }) => {
  await page.goto(fixture.page('/attribute', shop(scriptTag({ sandbox: 'true' }))));
  await expect(inspector(page).getByRole('button', { name: /offerlet rendered/ })).toBeVisible();
  await inspector(page)
    .getByRole('button', { name: /offerlet/ })
    .click();
  await expect(panel(page)).toContainText(/offers? (is|are) on the page/);
});

test('without its file the offers are still shown, nothing is logged, and the outcome says what to copy', async ({
  page,
}) => {
  const lines: string[] = [];
  page.on('console', (message) => message.type() !== 'error' && lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(error.message));
  await page.route('**/offerlet-inspector.js', (route) => route.fulfill({ status: 404 }));
  await page.goto(`${fixture.page('/missing', shop(scriptTag()))}?offerlet=inspect`);
  await expect(accept(page)).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  expect(lines).toEqual([]);
  const explained = await page.evaluate(() =>
    (window as unknown as { offerlet: { explain(): unknown } }).offerlet.explain(),
  );
  expect(explained).toMatchObject([
    {
      outcome: { code: 'rendered', hint: 'offerlet-inspector.js did not load. Copy it beside offerlet.js.' },
    },
  ]);
});

test('with npm, without the import, the offers are shown, and the outcome says what to import', async ({ page }) => {
  const source = fileURLToPath(new URL('../../../src/index.ts', import.meta.url));
  fixture.page('/npm.js', await bundle(source, 'iife', 'npm'), { 'content-type': 'text/javascript' });
  await page.goto(`${fixture.page('/npm-alone', shop('<script src="/npm.js"></script>'))}?offerlet=inspect`);
  const outcome = await page.evaluate(`npm.showOffers({ relay: '/offers', target: '#offers',
    request: { user_details: { external_guid: 'x' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } } }).outcome`);
  expect(outcome).toMatchObject({
    code: 'rendered',
    hint: "The inspector did not load. Import 'offerlet/inspector' before offers are shown.",
  });
  await expect(inspector(page)).toHaveCount(0);
});

for (const [what, script] of [
  ["'self'", "script-src 'self'"],
  ['a nonce alone', "script-src 'nonce-abc'"],
  ["a nonce and 'strict-dynamic'", "script-src 'nonce-abc' 'strict-dynamic'"],
] as const) {
  test(`a strict policy of ${what} with Trusted Types is not violated`, async ({ page }) => {
    const csp = `default-src 'none'; style-src 'none'; ${script}; connect-src 'self'; img-src https:; require-trusted-types-for 'script'; trusted-types 'none'`;
    await page.addInitScript(() => {
      Object.assign(window, { violations: [] });
      document.addEventListener('securitypolicyviolation', ({ violatedDirective }) =>
        (window as unknown as { violations: string[] }).violations.push(violatedDirective),
      );
    });
    const html = shop(scriptTag())
      .replace(/ style="[^"]*"/g, '')
      .replace(/<link[^>]*>/, '')
      .replace('<script ', '<script nonce="abc" ');
    await page.goto(`${fixture.page('/strict', html, { 'content-security-policy': csp })}?offerlet=inspect`);
    for (const tab of TABS) await goTo(page, tab);
    await expect(panel(page)).toContainText('Relay');
    expect(await page.evaluate('violations')).toEqual([]);
    const { width } = (await panel(page).boundingBox()) ?? { width: 0 };
    expect(width).toBeGreaterThan(300); // its styles are there
  });
}

test('an element that shadows a method of document does not keep the inspector away', async ({ page }) => {
  const shadowing = '<img name="createElementNS"><img name="createElement"><img name="adoptedStyleSheets">';
  await page.goto(`${fixture.page('/shadowed', shop(shadowing + scriptTag()))}?offerlet=inspect`);
  await expect(panel(page)).toContainText(/offers? (is|are) on the page/);
});
