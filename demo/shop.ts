// The demo shop's backend. It is a merchant like any other: it uses the package's public entries and nothing else.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orderPage } from './order-page.ts';
import { readChoices } from './choices.ts';
import { reportPage } from './report-page.ts';
import { createReport, type ReportKeys } from './report.ts';
import css from './shop.css?raw';

export interface ShopOptions {
  /** The network's address; the shop's backend asks it for the report. */
  network: string;
  /** Secret keys. They stay here, on the server. */
  keys: ReportKeys;
  /** The folder that holds `offerlet.js` and the shop's own scripts. */
  dist: string;
}

const CUSTOMER_EMAIL = 'jane.doe@example.com';
/** The scripts of the shop's own pages, as the build names them. */
const OWN_SCRIPT = /^\/((?:with-npm|with-element|live-report|shared-[\w-]+)\.js)$/;

/** The shop: order pages, the live report, and the scripts they load. */
export function createShop(options: ShopOptions): (request: Request) => Promise<Response> {
  const report = createReport(options);
  const emailHash = createHash('sha256').update(CUSTOMER_EMAIL).digest('hex');

  return async (request) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text('This shop only shows pages.', { status: 405, headers: { allow: 'GET, HEAD' } });
    if (url.pathname === '/offerlet.js' || url.pathname === '/offerlet-inspector.js')
      return script(join(options.dist, url.pathname));
    const own = OWN_SCRIPT.exec(url.pathname)?.[1];
    if (own !== undefined) return script(join(options.dist, 'demo', own));
    switch (url.pathname) {
      case '/':
        return Response.redirect(new URL(`/orders/${newOrderNumber()}${url.search}`, url), 302);
      case '/shop.css':
        return text(css, { headers: { 'content-type': 'text/css; charset=utf-8' } });
      case '/report':
        return page(reportPage());
      case '/report.json':
        return Response.json(await report(), { headers: { 'cache-control': 'no-store' } });
      case '/favicon.ico':
        return new Response(null, { status: 204 });
    }
    const order = /^\/orders\/(\d{1,9})$/.exec(url.pathname)?.[1];
    if (order === undefined) return text('There is no such page in this shop.', { status: 404 });
    return page(orderPage({ order, emailHash, choices: readChoices(url.searchParams) }));
  };
}

/** Order numbers rise with time, as a shop's do, so that each visit to `/` is a new order. */
function newOrderNumber(): number {
  return Math.floor(Date.now() / 100) % 1_000_000_000;
}

function page(html: string): Response {
  return text(html, { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } });
}

function text(body: string, init: ResponseInit): Response {
  return new Response(body, {
    ...init,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', ...init.headers },
  });
}

async function script(path: string): Promise<Response> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes) return text('This script is not built.', { status: 404 });
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  });
}
