// One suite, three ways: offers on a page, a session on key-value storage, and a session that has nothing at all.
import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { offersOf, useFixture } from '../page/pageFixture.ts';
import { HASH } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';

type Way = 'page' | 'key-value' | 'nothing';
const WAYS: readonly Way[] = ['page', 'key-value', 'nothing'];

interface Start {
  readonly order?: string;
  readonly mode?: 'INLINE' | 'OVERLAY';
  readonly isPending?: boolean;
}

/** Defines `drive`, the same for a page and a worker: what a merchant's code would do with a session. */
const DRIVE = `
  let session, offer;
  export const drive = {
    async start({ options, useStorage }) {
      const { openSession } = await import('/session.js');
      const storage = useStorage && { getItem: async (key) => localStorage.getItem(key), setItem: async (key, value) => localStorage.setItem(key, value), removeItem: async (key) => localStorage.removeItem(key) };
      session = openSession({ ...options, storage, relay: '/offers', ...(options.isPending && { consent: new Promise(() => {}) }) });
    },
    async outcome() {
      while (!session.latest) await new Promise((resolve) => setTimeout(resolve, 20));
      const { code, groups } = session.latest;
      offer = groups[0]?.offers[0];
      if (offer) session.displayed(offer);
      return code;
    },
    accept: async () => session.accept(offer).stored,
    dismiss: async () => session.dismiss('close'),
    consent: async (isGiven) => session.consent(isGiven),
  };`;
const WORKER = `
  for (const name of ['indexedDB', 'caches', 'BroadcastChannel']) Object.defineProperty(globalThis, name, { value: undefined });
  Object.defineProperty(navigator, 'locks', { value: undefined });
  Object.defineProperty(crypto, 'subtle', { value: undefined });
  const loaded = import('/drive.js');
  onmessage = async ({ data: { name, argument }, ports: [port] }) => port.postMessage(await (await loaded).drive[name](argument));`;
const PAGE = `<!doctype html><html lang="en"><title>Thank you</title><link rel="icon" href="data:,"><div id="offers" style="min-height:300px"></div>
  <script type="module">
    if (location.search === '?nothing') {
      const worker = new Worker('/worker.js', { type: 'module' });
      window.run = (name, argument) => new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data);
        worker.postMessage({ name, argument }, [port2]);
      });
    } else {
      const { drive } = await import('/drive.js');
      window.run = (name, argument) => drive[name](argument);
    }
    const { showOffers } = await import('/index.js');
    window.show = (options) => { window.offers = showOffers({ ...options, relay: '/offers', target: '#offers', ...(options.isPending && { consent: new Promise(() => {}) }) }); };
    window.isReady = true;
  </script></html>`;

const fixture = useFixture();
test.beforeAll(async () => {
  const js = { 'content-type': 'text/javascript' };
  fixture.page(
    '/session.js',
    await bundle(fileURLToPath(new URL('../../../src/session.ts', import.meta.url)), 'es'),
    js,
  );
  fixture.page('/drive.js', DRIVE, js);
  fixture.page('/worker.js', WORKER, js);
  fixture.page('/', PAGE);
});

const run = (page: Page, name: string, argument?: unknown): Promise<unknown> =>
  page.evaluate(
    ([name, argument]) => (window as never as { run: (...given: unknown[]) => unknown }).run(name, argument),
    [name, argument] as const,
  );

async function start(page: Page, way: Way, { order, mode = 'INLINE', isPending }: Start = {}): Promise<void> {
  await page.goto(`${fixture.url}/${way === 'nothing' ? '?nothing' : ''}`);
  await page.waitForFunction('window.isReady');
  const options = {
    request: {
      user_details: { email_hash: HASH },
      placement_details: { view: 'THANK_YOU', display_mode: mode },
      ...(order && { order_details: { order_id: order } }),
    },
    isPending,
  };
  if (way === 'page') await page.evaluate(`window.show(${JSON.stringify(options)})`);
  else await run(page, 'start', { options, useStorage: way === 'key-value' });
}

async function outcome(page: Page, way: Way): Promise<unknown> {
  if (way !== 'page') return run(page, 'outcome');
  const found = await page.waitForFunction('offers.explain().outcome?.code');
  const code = await found.jsonValue();
  return code === 'rendered' ? 'offers' : code;
}

async function accept(page: Page, way: Way): Promise<void> {
  if (way !== 'page') return void (await run(page, 'accept'));
  // A widget ignores clicks for the first 400 ms of a layer.
  await page.waitForTimeout(500);
  await page.locator('[part~=accept]').first().click();
}

async function consent(page: Page, way: Way, isGiven: boolean): Promise<void> {
  if (way === 'page') await page.evaluate(`offers.consent(${isGiven})`);
  else await run(page, 'consent', isGiven);
}

/** Only a page measures views. */
const names = (): string[] => fixture.names().filter((name) => !name.endsWith('VIEW'));
const asked = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const CLICKED = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK'];

for (const way of WAYS) {
  test.describe(way, () => {
    test('what the shopper sees and does arrives once and in order; a double click is one click', async ({ page }) => {
      await start(page, way);
      expect(await outcome(page, way)).toBe('offers');
      await accept(page, way);
      if (way === 'page')
        await page
          .locator('[part~=accept]')
          .first()
          .click({ timeout: 2_000 })
          .catch(() => {});
      else await accept(page, way);
      await poll(names).toEqual(way === 'page' ? expect.arrayContaining(CLICKED) : CLICKED);
      await page.waitForTimeout(500);
      if (way !== 'page') expect(names()).toEqual(CLICKED);
    });

    test('each outcome', async ({ page }) => {
      for (const [status, code] of [
        [400, 'refused'],
        [500, 'network_error'],
        [200, 'network_error'],
      ] as const) {
        fixture.reply = (_, response) => void response.writeHead(status).end(status === 200 ? '<html>' : '{}');
        await start(page, way);
        expect(await outcome(page, way)).toBe(code);
      }
      fixture.reply = () => offersOf(0);
      await start(page, way);
      expect(await outcome(page, way)).toBe('no_offers');
    });

    test('a 207 retries what was refused, and drops what never will be accepted', async ({ page }) => {
      let isFirst = true;
      const accepted: string[] = [];
      fixture.accept = ({ body }, response) => {
        const events = body.events as { event_name: string }[];
        const results = events.map(({ event_name }, index) =>
          isFirst
            ? { index, success: false, error: { code: 'no', message: 'no', retryable: event_name !== 'WIDGET_LOAD' } }
            : { index, success: true },
        );
        if (!isFirst) accepted.push(...events.map(({ event_name }) => event_name));
        isFirst = false;
        response.writeHead(207, { 'content-type': 'application/json' }).end(JSON.stringify({ results }));
      };
      await start(page, way);
      await outcome(page, way);
      await accept(page, way);
      await poll(() => accepted).toContain('BRAND_CLICK');
      await poll(() => accepted).toContain('BRAND_DISPLAY');
      expect(accepted).not.toContain('WIDGET_LOAD');
    });

    test('nothing is requested before consent; a denial ends it, and later consent starts anew', async ({ page }) => {
      await start(page, way, { isPending: true });
      await page.waitForTimeout(300);
      expect(fixture.asked).toEqual([]);
      await consent(page, way, true);
      expect(await outcome(page, way)).toBe('offers');
      await accept(page, way);
      await poll(names).toContain('BRAND_CLICK');
      await consent(page, way, false);
      await page.waitForTimeout(100);
      const { length } = fixture.events;
      await page.waitForTimeout(400);
      expect(fixture.events).toHaveLength(length);
      expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.startsWith("offerlet"))')).toEqual([]);
      await consent(page, way, true);
      expect(await outcome(page, way)).toBe('offers');
      expect(asked()).toBe(2);
    });

    test('the same order is requested and counted once where there is storage', async ({ page }) => {
      await start(page, way, { order: '7' });
      expect(await outcome(page, way)).toBe('offers');
      await poll(names).toContain('BRAND_DISPLAY');
      await page.waitForTimeout(300);
      await start(page, way, { order: '7' });
      expect(await outcome(page, way)).toBe('offers');
      await page.waitForTimeout(500);
      expect(asked()).toBe(way === 'nothing' ? 2 : 1);
      expect(names().filter((name) => name === 'BRAND_DISPLAY')).toHaveLength(way === 'nothing' ? 2 : 1);
    });
  });
}
