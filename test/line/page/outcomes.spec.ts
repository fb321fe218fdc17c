import { expect, test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { openWith, options, outcomeOf, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

/** Shows INLINE offers, and returns the outcome and what was left on the page and in the console. */
async function end(page: Page, more = ''): Promise<{ code: string; message: string; hint?: string; lines: string[] }> {
  const lines: string[] = [];
  page.on('console', (message) => message.type() !== 'error' && lines.push(message.text()));
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`));
  await openWith(page, fixture, `window.offers = showOffers({ ...${options('INLINE')}, ${more} });`);
  const outcome = await outcomeOf(page);
  if (outcome.code !== 'rendered') expect(await page.locator('#offers').innerHTML()).toBe('');
  return { ...outcome, lines };
}

test('without offers, the page stays as it was', async ({ page }) => {
  fixture.reply = () => offersOf(0);
  expect(await end(page)).toMatchObject({ code: 'no_offers', lines: [] });
  await poll(fixture.names).toEqual(['WIDGET_LOAD']);
});

test('when no offer can be shown, the hint says why', async ({ page }) => {
  fixture.reply = () => offersOf(1, { recommendations: {} });
  expect(await end(page)).toMatchObject({ code: 'no_offers', hint: expect.stringContaining('not in recommendations') });
});

for (const [how, code, mark] of [
  ['destroy()', 'destroyed', null],
  ['consent(false)', 'consent_denied', 'empty'],
] as const)
  test(`offers that end by ${how} while they are loaded wait for nothing`, async ({ page }) => {
    fixture.reply = () => offersOf(2, { recommendations: { ...(offersOf(1)['recommendations'] as object) } });
    const onEvent = `onEvent: ({ type }) => type === 'leftOut' && offers.${how}`;
    await openWith(page, fixture, `window.offers = showOffers({ ...${options('OVERLAY')}, ${onEvent} });`);
    expect((await outcomeOf(page)).code).toBe(code);
    await letPass(page, 300);
    expect(await page.evaluate('offers.explain().waitingFor')).toBeUndefined();
    expect(await page.locator('#offers').getAttribute('data-offerlet')).toBe(mark);
  });

test('a refusal is reported with the relay’s message, in one line on the developer’s own machine', async ({ page }) => {
  fixture.reply = (_, response) => void response.writeHead(400).end('{"message":"view must be one of …"}');
  expect(await end(page)).toMatchObject({
    code: 'refused',
    message: expect.stringContaining('status 400 (view must'),
    lines: [expect.stringMatching(/^offerlet: .*view must be one of.*\. \S.*\(refused\)$/)],
  });
  expect(fixture.events).toEqual([]);
});

for (const [what, more, name] of [
  ['no relay', "relay: ''", 'relay'],
  ['a target that is not there', "target: '#nowhere'", 'target'],
  ['a target that is not a selector', "target: '##'", 'target'],
] as const) {
  test(`${what}: one console line says what to set, and nothing is counted`, async ({ page }) => {
    const { code, hint, lines } = await end(page, more);
    expect(code).toBe('invalid_config');
    expect(hint).toMatch(RegExp(`^Set ${name}( to |\\.)`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(name);
    // A page that still loads may have the place later: it asks at once, and counts nothing.
    if (!what.startsWith('a target')) expect(fixture.asked).toEqual([]);
    expect(fixture.events).toEqual([]);
  });
}

for (const [what, attributes] of [
  ['the path of the relay is wrong', { relay: '/nowhere' }],
  ['consent is pending', { consent: 'required' }],
] as const) {
  test(`where ${what}, a page of the developer’s own machine loads the inspector, and any other page never`, async ({
    page,
  }) => {
    fixture.reply = (_, response) => void response.writeHead(404).end('<html>');
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('offerlet-inspector.js')) loaded.push(new URL(request.url()).hostname);
    });
    await page.route('http://shop.test/**', async (route) => {
      const response = await fetch(fixture.url + new URL(route.request().url()).pathname);
      const contentType = response.headers.get('content-type') ?? '';
      await route.fulfill({ status: response.status, body: await response.text(), contentType });
    });
    const own = fixture.page('/look', shop(scriptTag(attributes)));
    await page.goto(`${own}?offerlet=inspect`);
    await poll(() => loaded).toContain('127.0.0.1');
    await page.goto('http://shop.test/look?offerlet=inspect');
    await page.waitForFunction('window.offerlet?.explain?.()[0]');
    await letPass(page, 300);
    expect(loaded).not.toContain('shop.test');
  });
}

test('a mode that is misspelt is quoted, and where a policy blocks the relay, the hint says where to look', async ({
  page,
}) => {
  const headers = { 'content-security-policy': "connect-src 'none'" };
  for (const [attributes, hint] of [
    [{ 'display-mode': 'OVERLY' }, 'one of OVERLAY, FULLSCREEN, PULLUP, INLINE, not "OVERLY".'],
    [{}, 'connect-src of the page'],
  ] as const) {
    await page.goto(fixture.page('/wrong', shop(scriptTag(attributes)), headers));
    await poll(() => page.evaluate('window.offerlet?.explain?.()[0]?.outcome?.hint')).toContain(hint);
  }
});

test('on a page that is not UTF-8, the texts of the script are what they are', async ({ page }) => {
  const html = shop(scriptTag({ locale: 'fr' })).replace('<meta charset="utf-8">', '');
  await page.goto(fixture.page('/latin', html, { 'content-type': 'text/html; charset=windows-1252' }));
  await expect(page.getByText('Sponsorisé')).toBeVisible();
});
