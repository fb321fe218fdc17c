// npm run bench -- arrival [rounds]: from the navigation to the painted offer, prefetched and not, on a quick, a slow and a busy page.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { chromium, type Browser } from '@playwright/test';
import { renderOffers } from 'offerlet/html';
import { createRelay, toNode } from '../../src/relay.ts';
import { createFakeNetwork } from '../../src/testing/createFakeNetwork.ts';
import { find } from '../browsers.mjs';
import { serve } from '../fixtures/serve.ts';

/** A phone on a slow line: milliseconds of a round trip, bits a second, and how much slower its processor is. */
const LINE = { name: '100 ms, 4 Mbit/s, 2 × CPU', latency: 100, bits: 4e6, slowdown: 2 };
/** Milliseconds that the network behind the relay takes. */
const DELAYS = [0, 150, 400] as const;

/** How a page gets its offer. */
type Way =
  | 'static card'
  | 'in the HTML'
  | 'in the HTML, streamed'
  | 'prefetched'
  | 'prefetched, streamed'
  | 'requested'
  | 'requested, 3 s image'
  | 'requested, busy page';

interface Figures {
  /** Milliseconds from the navigation until the offer is painted. */
  readonly painted: number;
  /** From the beginning of the script's evaluation until the request for offers leaves; NaN without a request. */
  readonly asked: number;
  /** From the response's last byte to the painted offer. */
  readonly shown: number;
}

const ORDER = '1001';
const REQUEST = {
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  order_details: { order_id: ORDER },
} as const;

/** Opens pages of a shop on slow lines, with a slow network behind its relay, and prints when the offer is there. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const shop = await openShop(readFileSync(new URL('../../dist/offerlet.js', import.meta.url)));
  const path = find('chromium')?.path;
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const ways: readonly Way[] = [
    'static card',
    'in the HTML',
    'in the HTML, streamed',
    'prefetched',
    'prefetched, streamed',
    'requested',
    'requested, 3 s image',
    'requested, busy page',
  ];
  const found = new Map<string, Figures[]>();
  for (let round = 0; round < rounds; round++)
    for (const delay of DELAYS)
      for (const way of ways) {
        const key = `${way} ${delay}`;
        shop.delay = delay;
        found.set(key, [...(found.get(key) ?? []), await visit(browser, shop.urlOf(way))]);
      }
  print(ways, found, rounds);
  await browser.close();
  await shop.close();
}

interface Shop {
  delay: number;
  urlOf(way: Way): string;
  close(): Promise<void>;
}

/** Starts a shop whose relay is in front of a network that takes `delay` milliseconds. */
async function openShop(script: Buffer): Promise<Shop> {
  const network = createFakeNetwork({ offers: 1, now: Date.now });
  const shop = { delay: 0, pages: 0 };
  // As a CDN sends them.
  const packed = brotliCompressSync(`performance.mark('evaluated');${script.toString()}`);
  const relay = toNode(
    createRelay({
      apiKey: 'adnet_rk_test_bench',
      version: '1.0.0',
      networkUrl: 'https://network.example',
      basePath: '/offers',
      rateLimit: false,
      onLog: () => undefined,
      async fetch(url, init) {
        await new Promise((resolve) => setTimeout(resolve, shop.delay));
        return network.fetch(url, init);
      },
    }),
  );
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/offers/')) return relay(request, response);
    if (pathname.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      if (pathname === '/tracker.js') return void response.end(TRACKER);
      response.setHeader('content-encoding', 'br');
      return void response.end(packed);
    }
    if (pathname === '/slow.png') return void setTimeout(() => response.writeHead(404).end(), IMAGE_MS);
    if (pathname !== '/thanks') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    const way = searchParams.get('way') as Way;
    const external_guid = `customer-${++shop.pages}`; // one shopper gets the same response for ten minutes
    const tag = `<script async src="/offerlet.js" data-relay="/offers"
      data-view="THANK_YOU" data-display-mode="INLINE" data-target="#offers" data-external-guid="${external_guid}"
      data-order-id="${ORDER}"></script>`;
    const prefetched =
      way.startsWith('requested') || way === 'static card'
        ? undefined
        : relay.prefetch(request, { ...REQUEST, user_details: { external_guid } });
    const [before = '', after = ''] = PLACE.split('|');
    if (way.startsWith('in the HTML')) {
      const isStreamed = way.endsWith('streamed');
      if (isStreamed) response.write(START + PAGE + before);
      const offers = await prefetched;
      const rest = renderOffers(offers).html + after + (offers?.script ?? '') + tag + END;
      return void response.end((isStreamed ? '' : START + PAGE + before) + rest);
    }
    if (way === 'prefetched, streamed') {
      response.write(START + PRELOAD + PAGE + before + after + tag);
      return void response.end(((await prefetched)?.script ?? '') + END);
    }
    const script = (await prefetched)?.script ?? '';
    const head = START + PAGE;
    const rest = way === 'requested, 3 s image' ? IMAGE : way === 'requested, busy page' ? TRACKERS : '';
    response.end(way === 'static card' ? head + CARD + END : head + before + after + script + tag + rest + END);
  }
  const { url, close } = await serve((request, response) => void respond(request, response));
  return Object.assign(shop, { urlOf: (way: Way) => `${url}/thanks?way=${encodeURIComponent(way)}`, close });
}

/** What a thank-you page has on top. */
const START = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><title>Thank you</title>
<style>body { font: 16px/1.5 system-ui; margin: 24px auto; max-width: 640px } #offers { min-block-size: 520px }</style>
`;
const PRELOAD = '<link rel="preload" as="script" href="/offerlet.js">';
/** 40 KB, as pages of shops have them before the place of the offers: menus, the order, addresses. */
const PAGE = `<h1>Thank you for your order</h1><p>Order ${ORDER} is on its way.</p><nav hidden>${Array.from(
  { length: 400 },
  (_, at) => `<a href="/category/${at}/of/the/shop">Category ${at}, with what belongs to it, and what does not</a>`,
).join('')}</nav>`;
const PLACE = '<div id="offers">|</div>';
const END = '<p>Questions? Write to us.</p></html>';
const CARD = `<div id="offers"><section style="border: 1px solid; border-radius: 12px; padding: 24px"><small>Sponsored</small>
<h2>20 % off your first bag of coffee</h2><p>Roasted on Monday, at your door on Wednesday.</p>
<a part="accept" href="https://offers.offerlet.test/1">Get 20 % off</a> <button>No, thank you</button></section></div>`;

const IMAGE_MS = 3_000;
const IMAGE = '<img src="/slow.png" width="10" height="10" alt="">';
/** Twelve scripts of 30 KB, as trackers and tag managers bring them. */
export const TRACKERS = Array.from({ length: 12 }, (_, at) => `<script async src="/tracker.js?${at}"></script>`).join(
  '',
);
export const TRACKER = `(() => { let sum = 0; ${Array.from({ length: 700 }, (_, at) => `sum += Math.sqrt(${at} + performance.now());`).join('\n')} globalThis.last = sum; })();`;

/** Opens a page as a new shopper, until its offer is painted. */
async function visit(browser: Browser, url: string): Promise<Figures> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LINE.latency,
    downloadThroughput: LINE.bits / 8,
    uploadThroughput: LINE.bits / 8,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: LINE.slowdown });
  await page.addInitScript(watchForOffer);
  await page.goto(url, { waitUntil: 'commit' });
  const figures = await page.evaluate(async () => {
    const painted = await (window as unknown as { painted: Promise<number> }).painted;
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const request = entries.find(({ name }) => name.endsWith('/recommendations'));
    const [evaluated] = performance.getEntriesByName('evaluated');
    return {
      painted,
      asked: request && evaluated ? request.startTime - evaluated.startTime : Number.NaN,
      shown: request ? painted - request.responseEnd : Number.NaN,
    };
  });
  await context.close();
  return figures;
}

/** In the page: resolves `window.painted` to the time of the first frame with an offer. */
function watchForOffer(): void {
  const find = (): Element | null | undefined => {
    const place = document.querySelector('#offers');
    const hosts = [place, ...(place?.querySelectorAll('*') ?? [])];
    const roots = hosts.flatMap((host) => host?.shadowRoot ?? []);
    return (
      place?.querySelector('[part~=accept]') ?? roots.map((root) => root.querySelector('[part~=accept]')).find(Boolean)
    );
  };
  const painted = new Promise<number>((resolve, reject) => {
    setTimeout(() => reject(new Error('nothing was shown within 20 s')), 20_000);
    const look = (): void => {
      if (!find()?.getBoundingClientRect().height) return void requestAnimationFrame(look);
      // This frame shows it; a message is delivered once it has been painted.
      const { port1, port2 } = new MessageChannel();
      port1.addEventListener('message', () => resolve(performance.now()));
      port1.start();
      port2.postMessage(0);
    };
    requestAnimationFrame(look);
  });
  Object.assign(window, { painted });
}

function print(ways: readonly Way[], found: ReadonlyMap<string, Figures[]>, rounds: number): void {
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const of = (way: Way, delay: number, key: keyof Figures): number =>
    Math.round(median((found.get(`${way} ${delay}`) ?? []).map((figures) => figures[key])));
  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell, at) => String(cell)[at ? 'padStart' : 'padEnd'](at ? 16 : 26)).join('');
  const lines = [row([LINE.name, ...DELAYS.map((delay) => `network ${delay} ms`)])];
  for (const way of ways) {
    lines.push(row([way, ...DELAYS.map((delay) => of(way, delay, 'painted'))]));
    if (way.startsWith('requested'))
      lines.push(row(['', ...DELAYS.map((delay) => `${of(way, delay, 'asked')} + ${of(way, delay, 'shown')}`)]));
  }
  lines.push(
    `Milliseconds from the navigation to the painted offer. Medians of ${rounds}.`,
    'Requested, second line: from the script’s evaluation to the request + from the response to the painted offer.',
    '',
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
