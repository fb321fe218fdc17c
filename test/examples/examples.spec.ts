import { expect, test, type Page } from '@playwright/test';
import { waitForRelay } from '../line/drivers/patience.ts';
import { BUILDS, prepareExample } from './prepare.mjs';
import { typeCheck } from '../package/packages.ts';
import { startNetwork, startScript, type Running } from './startExample.ts';
import { underStrictPolicy } from './strictPolicy.ts';

// Each example as its reader gets it: installed with the packed tarball, built, started with its own scripts.
let network: Awaited<ReturnType<typeof startNetwork>>;
test.beforeAll(async () => {
  network = await startNetwork();
});
test.afterAll(() => network.stop());
test.beforeEach(({ context }) => waitForRelay(context));

/** Examples without their own server: the relay runs beside them. */
const CLIENT_ONLY = ['react-vite', 'vue'];
/** Examples whose server prefetches: the page requests no offers. */
const PREFETCHED = ['node', 'next'];

for (const [name, mode] of BUILDS) {
  test(`${name} (${mode}) shows offers, counts one load, and delivers one click`, async ({ page, context }) => {
    test.setTimeout(400_000);
    const folder = await prepareExample(name, mode);
    const site = await startSite(name, folder);
    try {
      const lines = consoleOf(page);
      const pictures = network.settings['OFFERLET_NETWORK'] ?? '';
      // Next.js's own loader of chunks sets script URLs that Trusted Types forbid, and Solid's templates set innerHTML.
      const violations = await underStrictPolicy(page, {
        pictures,
        hasTrustedTypes: !['next', 'solid-start'].includes(name),
      });
      // A link is the browser's own until the page is hydrated.
      await page.goto(site.url, { waitUntil: 'networkidle' });
      await page.evaluate('window.stays = true');
      const traffic = trafficOf(page);

      await page.getByText('Place the order').click();
      const accept = page.locator('[part~=accept]').first();
      await expect(accept).toBeVisible();
      // Offers are painted before they are stored.
      const stored = "Object.keys(localStorage).some((key) => key.startsWith('offerlet:') && !key.endsWith('device'))";
      await expect.poll(() => page.evaluate(stored)).toBe(true);
      await page.goBack();
      await expect(page.getByText('Place the order')).toBeVisible();
      // Next.js keeps the page that was left in the document.
      await expect(page.locator('[part~=accept]:visible')).toHaveCount(0);
      await page.goForward();
      await expect(accept).toBeVisible();
      if (name !== 'node') expect(await page.evaluate('window.stays'), 'the navigation was on the client').toBe(true);

      // The whole page again: rendered on the server and hydrated where the example has a server.
      await page.addInitScript(rememberPlace);
      await page.reload();
      await expect(accept).toBeVisible();
      if (!CLIENT_ONLY.includes(name)) expect(await page.evaluate(hydratedPlace)).toBe(true);

      await page.waitForTimeout(500); // the widget ignores clicks on what has just appeared
      const opened = context.waitForEvent('page');
      await accept.click();
      await (await opened).close();
      await expect.poll(() => traffic.sessions.size).toBe(1);
      const [session = ''] = traffic.sessions;
      await expect.poll(() => namesAtNetwork(session)).toContain('BRAND_CLICK');
      const names = await namesAtNetwork(session);
      const requests = PREFETCHED.includes(name) ? 0 : 1;
      expect([traffic.requests, traffic.sessions.size], 'one order is one request and one session').toEqual([
        requests,
        1,
      ]);
      for (const once of ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_CLICK'])
        expect(
          names.filter((one) => one === once),
          once,
        ).toHaveLength(1);
      expect(lines).toEqual([]);
      expect(violations).toEqual([]);
    } finally {
      await site.stop();
    }
  });
}

const USE = `
import type {} from 'offerlet/element';
type Attributes = PROPS;
export const right: Attributes = { relay: '/offers', view: 'THANK_YOU', 'display-mode': 'INLINE', class: 'offers' };
// @ts-expect-error: no such view
export const wrong: Attributes = { view: 'HOME' };
`;

for (const [name, props] of [
  ['vue', "InstanceType<import('vue').GlobalComponents['offer-let']>['$props']"],
  ['svelte-kit', "import('svelte/elements').SvelteHTMLElements['offer-let']"],
] as const) {
  test(`${name}: templates know the attributes of <offer-let>`, async () => {
    test.setTimeout(400_000);
    expect(typeCheck(await prepareExample(name, 'production'), USE.replace('PROPS', props))).toBe('');
  });
}

/** Starts an example, and the relay beside it if it has no server. */
async function startSite(name: string, folder: string): Promise<Running> {
  if (!CLIENT_ONLY.includes(name)) return startScript(folder, 'start', network.settings);
  const relay = await startScript(folder, 'relay', { ...network.settings, variable: 'OFFERLET_PORT' });
  const site = await startScript(folder, 'start', { OFFERLET_RELAY: relay.url });
  return {
    ...site,
    async stop() {
      await site.stop();
      await relay.stop();
    },
  };
}

/** Returns the requests for offers and the sessions of the events, as the page sends them. */
function trafficOf(page: Page): { requests: number; sessions: Set<string> } {
  const traffic = { requests: 0, sessions: new Set<string>() };
  page.on('request', (request) => {
    if (request.url().endsWith('/offers/recommendations')) traffic.requests++;
    if (!new URL(request.url()).pathname.endsWith('/offers/events/batch')) return;
    const { events } = request.postDataJSON() as { events: { session_id: string }[] };
    for (const { session_id } of events) traffic.sessions.add(session_id);
  });
  return traffic;
}

/** The events of a session that the network stored. */
async function namesAtNetwork(session: string): Promise<string[]> {
  const response = await fetch(`${network.settings['OFFERLET_NETWORK']}/sandbox/events?session_id=${session}`);
  const { events } = (await response.json()) as { events: { event: { event_name: string } }[] };
  return events.map(({ event }) => event.event_name);
}

/** Errors and warnings, hydration among them. */
function consoleOf(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) lines.push(message.text());
  });
  page.on('pageerror', ({ message }) => lines.push(message));
  return lines;
}

/** In the page: remembers the element that the server rendered, before any deferred script runs. */
function rememberPlace(): void {
  document.addEventListener('readystatechange', () => {
    // What is streamed is at the end of the document first, and takes the place of what was there meanwhile.
    const place = [...document.querySelectorAll('.offers, offer-let')].at(-1) ?? null;
    if (document.readyState === 'interactive') Object.assign(window, { renderedPlace: place });
  });
}

/** In the page: whether hydration has kept that element. */
function hydratedPlace(): boolean {
  const { renderedPlace } = window as unknown as { renderedPlace: Element | null };
  return renderedPlace !== null && renderedPlace === document.querySelector('.offers, offer-let');
}
