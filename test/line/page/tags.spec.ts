// Script tags that tag managers and frameworks insert: without their attributes, or left behind on another page.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { HASH, options, scriptTag, shop } from './pageShop.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

let lines: string[] = [];
test.beforeEach(({ page }) => {
  lines = [];
  page.on('console', (line) => line.type() === 'warning' && lines.push(line.text()));
});
const heading = (page: Page) => page.locator('[part~=heading]');
const hints = (page: Page): Promise<unknown> => page.evaluate('offerlet.explain().map(({ hint }) => hint)');

for (const [name, tag] of [
  ['whose attributes a tag manager has dropped', '<script async src="/offerlet.js"></script>'],
  ['of type module', scriptTag().replace('async', 'type="module"')],
  [
    'in a shadow root',
    `<div id="root"></div><script>{
      const script = document.createElement('script');
      script.src = '/offerlet.js';
      script.setAttribute('data-relay', '/offers');
      document.querySelector('#root').attachShadow({ mode: 'open' }).append(script);
    }</script>`,
  ],
] as const)
  test(`a tag ${name} says so in one line, and in explain()`, async ({ page }) => {
    await page.goto(fixture.page('/a', shop(tag)));
    await page.waitForFunction('offerlet.explain');
    await letPass(page, 1_000);
    const hint = expect.stringMatching(
      /^No data-relay: .*data-consent.*createElement and setAttribute, or offerlet\.push\(/,
    );
    expect(await hints(page)).toEqual([hint]);
    expect(lines).toEqual([`offerlet: ${((await hints(page)) as string[])[0]}`]);
    // Called late, as in a single-page app, it has no more to say.
    await page.evaluate(`offerlet.show(${options('INLINE')})`);
    await expect(heading(page)).toBeVisible();
    expect(await hints(page)).toEqual([undefined]);
  });

test('a script that is called, or has an element to show, says nothing', async ({ page }) => {
  const script = '<script src="/offerlet.js"></script>';
  const queued = `<script>(window.offerlet ||= []).push((o) => (window.mount = o.show(${options('INLINE')})))</script>`;
  for (const body of [queued + script, `<offer-let hidden></offer-let>${script}`]) {
    await page.goto(fixture.page('/a', shop(body)));
    await page.waitForFunction('offerlet.explain');
    await letPass(page, 1_500);
  }
  expect(lines).toEqual([]);
});

test('a tag that a tag manager creates with createElement and setAttribute shows offers', async ({ page }) => {
  const script = `<script>{
    const script = document.createElement('script');
    script.src = '/offerlet.js';
    for (const [name, value] of Object.entries({ relay: '/offers', view: 'THANK_YOU', 'display-mode': 'INLINE', target: '#offers', 'email-hash': '${HASH}' }))
      script.setAttribute('data-' + name, value);
    document.head.append(script);
  }</script>`;
  await page.goto(fixture.page('/a', shop(script)));
  await expect(heading(page)).toBeVisible();
  expect(lines).toEqual([]);
});

/** As a router does: the URL, and then what is on the page. */
const goTo = (page: Page, url: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', '${url}'); document.querySelector('h1').textContent = '${url}'`);

for (const mode of ['OVERLAY', 'INLINE'])
  test(`${mode}: the offers of a tag leave when the page changes and the tag stays, which is said`, async ({
    page,
  }) => {
    await page.goto(fixture.page('/orders/a', shop(scriptTag({ 'display-mode': mode }))));
    await expect(heading(page)).toBeVisible();
    // Scripts tidy up the query, and links go to a place in the page.
    await goTo(page, '/orders/a?key=1#top');
    await letPass(page, 1_500);
    await expect(heading(page)).toBeVisible();
    await goTo(page, '/orders/b');
    await expect(heading(page)).toHaveCount(0);
    await letPass(page, 1_000);
    expect(lines).toEqual([expect.stringContaining('The page has changed, its script tag has not')]);
    expect(await hints(page)).toEqual([expect.stringContaining('Use <offer-let>, <Offers> or show().')]);
  });

test('the offers of a tag leave when a router changes the hash', async ({ page }) => {
  await page.goto(fixture.page('/', shop(scriptTag({ 'display-mode': 'OVERLAY' }))) + '#/thanks');
  await expect(heading(page)).toBeVisible();
  await goTo(page, '#/home');
  await expect(heading(page)).toHaveCount(0);
});
