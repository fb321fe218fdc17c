// The tag and the element name a consent platform; its source comes from a second file.
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { letPass, useClock } from '../drivers/letPass.ts';
import { poll } from '../drivers/poll.ts';
import { useFixture } from './pageFixture.ts';
import { everythingStored, scriptTag, shop } from './pageShop.ts';

const fixture = useFixture();
useClock();
let lines: string[] = [];
test.beforeEach(async ({ page }) => {
  const sources = await bundle(fileURLToPath(new URL('../../../src/consent/byName.ts', import.meta.url)), 'es');
  fixture.page('/offerlet-consent.js', sources, { 'content-type': 'text/javascript' });
  lines = [];
  page.on('console', (line) => line.type() === 'warning' && lines.push(line.text()));
});

const accept = (page: Page) => page.locator('[part~=accept]');
const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const chooses = (page: Page, groups: string): Promise<unknown> =>
  page.evaluate(`OnetrustActiveGroups = ',${groups},'; OneTrust = { IsAlertBoxClosed: () => true };
    dispatchEvent(new Event('OneTrustGroupsUpdated'))`);

const ELEMENT =
  '<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="4" consent="onetrust:C0004"></offer-let>';
for (const [name, body] of [
  ['the tag', scriptTag({ consent: 'onetrust:C0004' })],
  ['the element', `<script src="/offerlet.js"></script>${ELEMENT}`],
  ['the element of the package', `<script type="module" src="/element.js"></script>${ELEMENT}`],
] as const)
  test(`${name} shows offers once the named platform allows it, and no longer when that ends`, async ({ page }) => {
    await page.goto(fixture.page('/thanks', shop(body)));
    await letPass(page, 1_100);
    expect(requests()).toBe(0);
    const option = name === 'the tag' ? 'data-consent' : 'consent';
    const hint = 'Choose in the consent banner. Without one, call consent(true) once the shopper agrees.';
    expect(lines).toEqual([`offerlet: ${option} is undecided. ${hint}`]);
    await chooses(page, 'C0001,C0004');
    await expect(accept(page)).toBeVisible();
    await chooses(page, 'C0001');
    await expect(accept(page)).toHaveCount(0);
    await poll(() => everythingStored(page)).not.toMatch(/session_id|BRAND/);
    expect(lines.slice(1)).toEqual([expect.stringMatching(`^offerlet: ${option} is denied \\(one`)]);
  });

test('a shopper who has agreed on an earlier visit sees offers at once', async ({ page }) => {
  const stub = '<script>OnetrustActiveGroups = ",C0001,C0004,"</script>';
  await page.goto(fixture.page('/thanks', shop(scriptTag({ consent: 'onetrust:C0004' }), stub)));
  await expect(accept(page)).toBeVisible();
  expect(lines).toEqual([]);
});

test('a wrong name is not consent, and the console says which names there are', async ({ page }) => {
  await page.goto(fixture.page('/thanks', shop(scriptTag({ consent: 'onetrsut:C0004' }))));
  await poll(() => page.evaluate('window.offerlet?.explain?.()[0].outcome?.code')).toBe('invalid_config');
  expect(lines.join()).toMatch(/Set data-consent to .*complianz, cookiebot, .*onetrust, .*invalid_config/);
  expect(requests()).toBe(0);
});

for (const [why, response, integrity] of [
  ['is missing', { status: 404 }, ''],
  ['is the shop’s page for what is missing', { contentType: 'text/html', body: '<!doctype html>' }, ''],
  ['is another one than the page pins', undefined, `sha384-${'A'.repeat(64)}`],
] as const)
  test(`where the file of the sources ${why}, nothing is requested; the console and explain() say so`, async ({
    page,
  }) => {
    if (response) await page.route('**/offerlet-consent.js', (route) => route.fulfill(response));
    const map = JSON.stringify({ integrity: integrity ? { '/offerlet-consent.js': integrity } : {} });
    const tag = scriptTag({ consent: 'onetrust:C0004' });
    await page.goto(fixture.page('/thanks', shop(tag, `<script type="importmap">${map}</script>`)));
    const hint = 'offerlet-consent.js did not load. Copy it beside offerlet.js.';
    await poll(() => page.evaluate('window.offerlet?.explain?.()[0].hint')).toBe(hint);
    await chooses(page, 'C0001,C0004');
    await letPass(page, 1_100);
    expect([requests(), await page.evaluate('offerlet.explain()[0].waitingFor')]).toEqual([0, 'consent']);
    // Once when it fails, wherever the page is; and on localhost, where consent is what is waited for.
    expect(lines).toEqual([`offerlet: ${hint}`, `offerlet: data-consent is undecided. ${hint}`]);
  });

test('the file is loaded only where a platform is named', async ({ page }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto(fixture.page('/thanks', shop(scriptTag({ consent: 'granted' }))));
  await expect(accept(page)).toBeVisible();
  expect(loaded).not.toContain('/offerlet-consent.js');
});

test("a platform's own blocking works: it makes the blocked tag a script", async ({ page }) => {
  const blocked = scriptTag().replace('async src', 'type="text/plain" data-category="marketing" src');
  await page.goto(fixture.page('/thanks', shop(blocked)));
  await letPass(page, 1_100);
  expect([requests(), lines]).toEqual([0, []]);
  // As platforms do that keep the attributes.
  await page.evaluate(`{
    const blocked = document.querySelector('[type="text/plain"]');
    const script = document.createElement('script');
    for (const { name, value } of blocked.attributes) if (name !== 'type') script.setAttribute(name, value);
    blocked.replaceWith(script);
  }`);
  await expect(accept(page)).toBeVisible();
});
