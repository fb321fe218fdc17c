import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import type * as entry from './widgetEntry.ts';
import type { ShopperAction, WidgetProps } from '../../../src/widget/props.ts';
import { FOOTER, hero, placed } from '../../widget/offers.ts';
import { bundle } from '../drivers/bundle.ts';

declare global {
  interface Window {
    widget: typeof entry;
    mounted: ReturnType<typeof entry.mountWidget>;
    acted: ShopperAction[];
    violations: string[];
  }
}

/** The policy of a page that trusts nobody. */
export const STRICT_CSP =
  "default-src 'none'; style-src 'none'; script-src 'self'; img-src https:; require-trusted-types-for 'script'; trusted-types 'none'";

const SHOP = 'https://shop.test/';
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" rx="16" fill="#14532d"/><circle cx="48" cy="48" r="22" fill="#fbbf24"/></svg>';

let code: Promise<string> | undefined;

/** What a thank-you page looks like. */
export interface ShopPage {
  body?: string;
  head?: string;
  html?: string;
  csp?: string;
}

/** Opens a thank-you page with the widget's code on it; nothing leaves the machine. */
export async function openShop(page: Page, { body = '', head = '', html = '', csp }: ShopPage = {}): Promise<void> {
  code ??= bundle(fileURLToPath(new URL('widgetEntry.ts', import.meta.url)), 'iife', 'widget');
  const script = `${await code};window.widget=widget;window.acted=[];window.violations=[];
document.addEventListener('securitypolicyviolation',(event)=>window.violations.push(event.violatedDirective));`;
  await page.context().route(/^https:/, (route) => {
    const { hostname, pathname } = new URL(route.request().url());
    if (pathname === '/widget.js') return route.fulfill({ body: script, contentType: 'text/javascript' });
    if (hostname === 'images.test') return route.fulfill({ body: PICTURE, contentType: 'image/svg+xml' });
    if (hostname !== 'shop.test') return route.fulfill({ body: '<title>Brand</title>', contentType: 'text/html' });
    return route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: csp ? { 'content-security-policy': csp } : {},
      body: `<!doctype html><html lang="en" ${html}><head><meta name="viewport" content="width=device-width"><title>Thank you</title>${head}</head>
<body><main><h1>Thank you, Ada</h1><p>Order 1001 is on its way.</p><button id="before">Track it</button>
<div id="offers"></div>${body}</main><script src="/widget.js"></script></body></html>`,
    });
  });
  await page.goto(SHOP);
}

/** Mounts the widget as a page does: a layer on a host of its own, INLINE in #offers. */
export async function mount(page: Page, props: Partial<WidgetProps> = {}): Promise<void> {
  await page.evaluate(
    ([given, footer, groups]) => {
      const { createLayerHost, messagesFor, mountWidget } = window.widget;
      const mode = given.mode ?? 'INLINE';
      const inline = document.querySelector<HTMLElement>('#offers');
      const host = mode === 'INLINE' && inline ? inline : createLayerHost();
      const locale = given.locale ?? 'en';
      window.mounted = mountWidget(host, {
        mode,
        groups,
        footer,
        sandbox: false,
        messages: messagesFor(locale),
        theme: 'auto',
        locale,
        watch() {},
        on: (action) => void window.acted.push(action),
        ...given,
      });
    },
    [props, FOOTER, props.groups ?? [hero(placed(0), placed(1), placed(2))]] as const,
  );
}

/** What the shopper did so far, as the page hears it. */
export function acted(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    window.acted.map((action) => ('by' in action ? `${action.type} by ${action.by}` : action.type)),
  );
}

/** Waits until a layer that has just opened listens to clicks. */
export async function listening(page: Page): Promise<void> {
  await page.waitForTimeout(450);
}
