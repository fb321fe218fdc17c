// The later pictures of pairs that are not the widget's alone: README's page, and the demo shop.
import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { startSandbox, type Sandbox } from '../line/drivers/sandbox.ts';
import { scriptTag } from '../package/bytes.ts';
import { onlyWithSameEyes } from './sameEyes.ts';

onlyWithSameEyes();

let sandbox: Sandbox;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await startSandbox();
});
test.afterAll(() => sandbox?.stop());

test('README’s page keeps no space when its relay fails', async ({ page, context }) => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const html = /```html\n(<!-- thank-you[^]*?)```/.exec(readme)?.[1] ?? '';
  await context.route(/^https:/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/offerlet.js')
      return route.fulfill({ body: String(scriptTag()), contentType: 'text/javascript' });
    if (pathname.startsWith('/offers/')) return route.fulfill({ status: 502, body: '' });
    return route.fulfill({ body: `${html}<p>Questions? Write to us.</p>`, contentType: 'text/html; charset=utf-8' });
  });
  await page.setViewportSize({ width: 1100, height: 760 });
  await page.goto('https://shop.test/');
  await expect(page.locator('#offers')).toHaveAttribute('data-offerlet', 'empty');
  await expect(page).toHaveScreenshot('readme-failed.png');
});

test('the demo shop’s offers wear its colours', async ({ page }) => {
  // The network chooses and the clock moves on: the picture has the offer, the order and the day of the one before.
  await page.route('**/offers/recommendations', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as {
      recommendations: Record<string, { advertiser: { logo_url?: string }; offer: Record<string, unknown> }>;
    };
    for (const placed of Object.values(body.recommendations)) {
      const { target_url, id, is_sandbox } = placed.offer;
      placed.offer = { id, target_url, is_sandbox, ...OFFER };
      Object.assign(placed.advertiser, ADVERTISER, {
        logo_url: new URL('/logos/wrenline-mobile.svg', sandbox.network).href,
      });
    }
    await route.fulfill({ response, json: body });
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(`${sandbox.shop}/orders/954551203?desk=none`);
  await expect(page.locator('#offers [part~=heading]')).toHaveText(OFFER.heading);
  await page.getByText(/^\s*Arrives/).evaluate(({ childNodes }) => {
    for (const node of childNodes)
      if (node instanceof Text && node.data.trim()) node.data = 'Arrives Thursday, November 26';
  });
  await page.waitForFunction(() => {
    const root = document.querySelector('#offers > *')?.shadowRoot;
    return [...(root?.querySelectorAll('img') ?? [])].every((image) => image.complete && image.naturalWidth > 0);
  });
  await expect(page).toHaveScreenshot('demo-shop.png');
});

const ADVERTISER = { name: 'Wrenline Mobile', description: 'Phone plans without a contract.' };
const OFFER = {
  heading: '20 GB for €7 a month, no contract',
  subheading: 'Keep your number. Switch in ten minutes, leave in one.',
  cta_details: { accept_copy: 'See the plan', decline_copy: 'I’m happy with mine' },
  disclosure_details: { copy: 'Price for the first 12 months, then €9.00 a month. Fair use applies when roaming.' },
};
