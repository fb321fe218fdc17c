import { readFileSync } from 'node:fs';
import type { BrowserContext } from '@playwright/test';
import { scriptTag, shop } from '../page/pageShop.ts';

/** A shop that needs no server: the test responds to every request. */
export const SHOP = 'https://shop.example';

/** Serves a merchant's thank-you page with the built script, at any path of the shop. */
export async function serveShop(
  context: BrowserContext,
  attributes: Record<string, string> = {},
  change = (html: string): string => html,
): Promise<void> {
  const script = readFileSync('dist/offerlet.js', 'utf8');
  const html = change(shop(`${scriptTag(attributes)}<p id="below">Below the offers</p>`));
  await context.route(`${SHOP}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/offerlet.js') return route.fulfill({ contentType: 'text/javascript', body: script });
    if (route.request().method() === 'GET') return route.fulfill({ contentType: 'text/html', body: html });
    // The relay, wherever it is mounted.
    return route.fallback();
  });
}
