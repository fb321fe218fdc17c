import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { ofEachTest } from '../fixtures/ofEachTest.ts';
import type * as RelayEntry from '../../src/relay.ts';
import { serve } from '../fixtures/serve.ts';
import { allAccepted } from '../wire/offers/wholeResponse.ts';
import { offersOf, type Asked } from '../line/page/pageFixture.ts';

/** The key that must never leave the server. */
export const KEY = 'adnet_rk_test_canary0123456789';
/** Personal data that must never be stored. */
export const CANARIES = {
  email: 'canary.shopper@example.com',
  order_id: 'order-canary-4711',
  amount: '9134.77',
  first_name: 'Canarina',
  phone: '+49 30 5550 4711',
};

/** A shop that runs what is published: the built script in its page, the built relay in its backend. */
export interface TrustShop {
  url: string;
  /** Every request that reached the network, in order. */
  calls: Asked[];
  /** The path of every POST of a page, in order. */
  posts: string[];
  /** Every line the relay logged. */
  logs: string[];
  /** The body of the next responses to POST /recommendations; by default one offer. */
  offers(): unknown;
  /** Headers the network adds to its responses. */
  networkHeaders: Record<string, string>;
  /** Replaces the network's response to a batch, once set. */
  batchStatus: number;
  page(path: string, html: string, headers?: Record<string, string>): string;
  close(): Promise<void>;
}

const built = (file: string): URL => pathToFileURL(`${import.meta.dirname}/../../dist/${file}`);

export const useTrustShop = (): TrustShop => ofEachTest(openTrustShop);

/** Starts the shop and its network on free ports. */
async function openTrustShop(shop: TrustShop): Promise<void> {
  const { createRelay, toNode } = (await import(built('relay.js').href)) as typeof RelayEntry;
  const files = new Map(
    ['offerlet.js', 'offerlet-inspector.js', 'relay.js'].map((file) => [`/${file}`, readFileSync(built(file))]),
  );
  const pages = new Map<string, { html: string; headers: Record<string, string> }>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await text(request)) || '{}') as Record<string, unknown>;
    const path = request.url ?? '/';
    shop.calls.push({ path, headers: request.headers, body });
    if (path === '/recommendations') return send(response, 200, shop.offers(), shop.networkHeaders);
    send(response, shop.batchStatus, allAccepted((body.events as unknown[] | undefined) ?? []), shop.networkHeaders);
  }

  const network = await serve((...both) => void respond(...both).catch(() => both[1].destroy()));
  const relay = toNode(
    createRelay({
      apiKey: KEY,
      version: '1.0.0',
      networkUrl: network.url,
      basePath: '/offers',
      sandbox: true,
      onLog: (entry) => shop.logs.push(JSON.stringify(entry)),
    }),
  );
  const server = await serve((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop');
    if (request.method === 'POST') shop.posts.push(pathname);
    if (pathname.startsWith('/offers/')) return relay(request, response);
    const page = pages.get(pathname);
    const file = files.get(pathname) ?? moduleAt(pathname);
    if (page) return void response.writeHead(200, page.headers).end(page.html);
    response.writeHead(file ? 200 : 404, { 'content-type': 'text/javascript' }).end(file);
  });

  Object.assign<TrustShop, TrustShop>(shop, {
    url: server.url,
    calls: [],
    posts: [],
    logs: [],
    offers: () => offersOf(1),
    networkHeaders: {},
    batchStatus: 202,
    page(path, html, headers = {}) {
      pages.set(path, { html, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
      return server.url + path;
    },
    async close() {
      await Promise.all([server.close(), network.close()]);
    },
  });
}

/** A thank-you page with the script tag; attributes that are `undefined` are left out. */
export function thankYou(attributes: Record<string, string | undefined> = {}, head = '', body = ''): string {
  const all = {
    relay: '/offers',
    view: 'THANK_YOU',
    'display-mode': 'INLINE',
    target: '#offers',
    email: CANARIES.email,
    'order-id': CANARIES.order_id,
    'order-amount': CANARIES.amount,
    'order-currency': 'EUR',
    ...attributes,
  };
  const written = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [` data-${name}="${value}"`],
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Thank you</title><link rel="icon" href="data:,">${head}</head>
<body><h1>Thank you</h1><div id="offers"></div>${body}<script async src="/offerlet.js"${written.join('')}></script></body></html>`;
}

/** A file of the build that another built file imports. */
function moduleAt(pathname: string): Buffer | undefined {
  try {
    return /^\/[\w./-]+\.js$/.test(pathname) ? readFileSync(built(pathname.slice(1))) : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string>): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
