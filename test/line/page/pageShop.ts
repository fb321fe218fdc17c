import type { Page } from '@playwright/test';
import { shopperCheck } from '../../../src/wire/offers/prefetched.ts';
import { offersOf, type Fixture } from './pageFixture.ts';

/** A SHA-256 in hex that names nobody. */
export const HASH = 'a'.repeat(64);

/** The script tag of most tests, with other attributes where a test says so; an empty one is left out. */
export function scriptTag(attributes: Record<string, string> = {}): string {
  const all = {
    relay: '/offers',
    view: 'THANK_YOU',
    'display-mode': 'INLINE',
    target: '#offers',
    'email-hash': HASH,
    'order-id': '1001',
    ...attributes,
  };
  const text = Object.entries(all).map(([name, value]) => (value === '' ? '' : ` data-${name}="${value}"`));
  return `<script async src="/offerlet.js"${text.join('')}></script>`;
}

/** A thank-you page. */
export function shop(body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Thank you</title><link rel="icon" href="data:,">${head}</head>
    <body><h1>Thank you</h1><div id="offers" style="min-height:300px"></div>${body}</body></html>`;
}

interface Block {
  readonly view?: unknown;
  readonly display_mode?: unknown;
  readonly order_id?: unknown;
  readonly shopper?: unknown;
  readonly at?: unknown;
  readonly response?: unknown;
}

/** What a server has prefetched for the page of `scriptTag`. */
export const block = (more: Block = {}): Required<Block> => ({
  view: 'THANK_YOU',
  display_mode: 'INLINE',
  order_id: '1001',
  shopper: { email_hash: typeof more.order_id === 'object' ? '' : shopperCheck(HASH, more.order_id ?? '1001') },
  at: new Date().toISOString(),
  response: offersOf(1),
  ...more,
});

/** The same as the server writes it into the page. */
export const inScript = (json: unknown): string =>
  `<script type="application/json" data-offerlet-offers>${JSON.stringify(json).replaceAll('<', String.raw`\u003c`)}</script>`;

/** Options of `showOffers` as code. */
export function options(mode: string, more = ''): string {
  return `{ relay: '/offers', request: { user_details: { email_hash: '${HASH}' }, placement_details: { view: 'THANK_YOU', display_mode: '${mode}' } }, target: '#offers', ${more} }`;
}

/** Opens a page that shows offers by the npm import: `offers` is the mount, `heard` the types of its events. */
export async function openWith(page: Page, fixture: Fixture, code: string, head = ''): Promise<void> {
  const script = `<script type="module">import { showOffers } from '/index.js'; window.heard = [];
    const onEvent = (event) => window.heard.push(event); window.showOffers = showOffers; ${code}</script>`;
  await page.goto(fixture.page('/npm', shop(script, head)));
}

/** The latest outcome of the mount that `openWith` has left in `offers`, as soon as there is one. */
export async function outcomeOf(page: Page): Promise<{ code: string; message: string; hint?: string }> {
  const found = await page.waitForFunction(() => {
    const { offers } = window as unknown as { offers?: { explain(): { outcome?: { code: string; message: string } } } };
    return offers?.explain().outcome;
  });
  return (await found.jsonValue()) as { code: string; message: string };
}

/** Every text that the page keeps or has sent, for a search for what must not be there. */
export async function everythingStored(page: Page): Promise<string> {
  const shared =
    "[JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie].join('\\n')";
  return `${await page.evaluate<string>(shared)}\n${await databases(page)}`;
}

/** Every row of the page's databases, which survive a killed browser. */
export async function databases(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const texts: string[] = [];
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve) => {
        const opening = indexedDB.open(name ?? '');
        opening.onsuccess = () => resolve(opening.result);
      });
      for (const table of db.objectStoreNames) {
        const rows = await new Promise((resolve) => {
          const reading = db.transaction(table).objectStore(table).getAll();
          reading.onsuccess = () => resolve(reading.result);
        });
        texts.push(JSON.stringify(rows));
      }
      db.close();
    }
    return texts.join('\n');
  });
}
