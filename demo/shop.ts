// The demo shop's backend. Like any merchant it uses the package's public entries and nothing else.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRelay, type DedupeStore, type RelayContext, type RelayOptions } from 'offerlet/relay';
import { readChoices } from './choices/choices.ts';
import deskCss from './styles/desk.css?raw';
import { framePage } from './views/framePage.ts';
import hostileCss from './styles/hostile.css?raw';
import { orderPage } from './views/orderPage.ts';
import { FAVICON } from './views/pictures.ts';
import { RELAYS } from './placement/placement.ts';
import { policyFor } from './placement/policyFor.ts';
import shopCss from './styles/shop.css?raw';

/** The options of `createShop`. */
export interface ShopOptions {
  /** The network's URL. */
  readonly network: string;
  /** The secret integration key. It stays here, on the server. */
  readonly apiKey: string;
  /** The path of the operators' console, and the id by which it knows this shop. */
  readonly console: string;
  readonly publisher: string;
  /** Accepted events, shared with the shop's other relay; by default, they are remembered in memory. */
  readonly dedupe?: DedupeStore | undefined;
  /** By default, those of every relay. */
  readonly timeouts?: RelayOptions['timeouts'];
  /** The folders of `offerlet.js` and of the shop's own scripts. */
  readonly folders: { readonly widget: string; readonly shop: string };
}

/** Who sent a request. */
export interface Visitor {
  readonly ip?: string;
}

const CUSTOMER_EMAIL = 'jane.doe@example.com';
/** The paths of the shop's own scripts and of the widget's, as the build names them. */
const OWN_SCRIPT = /^\/((?:with-npm|with-element|shop-page|desk|shared-[\w-]+)\.js)$/;
const WIDGET_SCRIPT = /^\/(offerlet[\w.-]*\.js)$/;
const STYLES: Readonly<Record<string, string>> = {
  '/shop.css': shopCss,
  '/hostile.css': hostileCss,
  '/desk.css': deskCss,
};
const NOT_HERE = 'This page does not exist.';

/** What the console shows of this shop beside it: how often its widget did what today. */
const REPORT = new URLSearchParams({
  period: 'today',
  grain: 'total',
  by: 'widget_id',
  compare: 'none',
  metrics: 'channel_payout,feed_loads,widget_displays,impressions,clicks,conversions',
  chart: 'clicks',
});

/** Creates the shop: order pages in every variant, and the scripts that they load. */
export function createShop(options: ShopOptions): (request: Request, from?: Visitor) => Promise<Response> {
  const { network, apiKey, dedupe, timeouts, folders } = options;
  const emailHash = createHash('sha256').update(CUSTOMER_EMAIL).digest('hex');
  const relay = createRelay({
    apiKey,
    networkUrl: network,
    version: '1.0.0',
    basePath: RELAYS.counted,
    forwardEventIds: true,
    context: languageOf,
    dedupe,
    timeouts,
  });

  async function get(url: URL): Promise<Response> {
    const path = url.pathname;
    const file = WIDGET_SCRIPT.exec(path)?.[1];
    if (file !== undefined) return script(join(folders.widget, file));
    const own = OWN_SCRIPT.exec(path)?.[1];
    if (own !== undefined) return script(join(folders.shop, own));
    const css = STYLES[path];
    if (css !== undefined)
      return text(css, { headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' } });
    switch (path) {
      case '/':
        return Response.redirect(new URL(`/orders/${newOrderNumber()}${url.search}`, url), 302);
      case '/report':
        return Response.redirect(new URL(`${options.console}/?${REPORT}&publisher=${options.publisher}`, url), 302);
      // The advertiser's shop, where the last click landed.
      case '/sale':
        return Response.redirect(`${network}/visit`, 302);
      case '/favicon.svg':
      case '/favicon.ico':
        return text(FAVICON, { headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' } });
    }
    return order(url);
  }

  function order(url: URL): Response {
    const [, number, receipt] = /^\/orders\/(\d{1,9})(\/receipt)?$/.exec(url.pathname) ?? [];
    if (number === undefined) return text(NOT_HERE, { status: 404 });
    const choices = readChoices(url.searchParams);
    const about = { order: { number, emailHash }, choices, query: url.searchParams };
    if (choices.frame !== 'none' && choices.desk !== 'none') return page(framePage({ ...about, address: url }));
    const { nonce, header } = policyFor(choices, network);
    return page(orderPage({ ...about, nonce, isReceipt: receipt !== undefined }), header);
  }

  return async (request, from) => {
    const url = new URL(request.url);
    if (url.pathname.startsWith(`${RELAYS.counted}/`)) return markSandbox(await relay(request, from));
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text('The shop accepts GET and HEAD only.', { status: 405, headers: { allow: 'GET, HEAD' } });
    return get(url);
  };
}

/** Returns the language of the order page that requests offers, for the relay's `context`. The shop has it in its URL. */
export function languageOf(request: Request): RelayContext {
  const referrer = request.headers.get('referer') ?? '';
  const page = URL.canParse(referrer) ? new URL(referrer) : undefined;
  return page?.pathname.startsWith('/orders/')
    ? { attributes: { language: readChoices(page.searchParams).locale } }
    : {};
}

/**
 * Adds `sandbox: true` to the response of the relay for counted orders. That relay sends no `is_sandbox`, so sales are paid
 * as in a live shop; but this network's URLs are on this machine, and the widget only opens those in a sandbox.
 */
async function markSandbox(response: Response): Promise<Response> {
  if (!response.ok || !response.headers.get('content-type')?.includes('json')) return response;
  const body = (await response.json()) as object;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return Response.json('recommendations' in body ? { ...body, sandbox: true } : body, {
    status: response.status,
    headers,
  });
}

/** Returns an order number that rises with time, so that each visit to `/` is a new order. */
function newOrderNumber(): number {
  return Math.floor(Date.now() / 100) % 1_000_000_000;
}

function page(html: string, policy = ''): Response {
  return text(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...(policy === '' ? {} : { 'content-security-policy': policy }),
    },
  });
}

function text(body: string, init: ResponseInit): Response {
  return new Response(body, {
    ...init,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...init.headers },
  });
}

async function script(path: string): Promise<Response> {
  const code = await readFile(path, 'utf8').catch(() => undefined);
  if (code === undefined) return text('This script has not been built.', { status: 404 });
  return text(code, { headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' } });
}
