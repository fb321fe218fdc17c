// The whole pipeline in one process: a shop's page, its relay and the network on its embedded database, over real HTTP.
// Between each two of them is a hop that loses responses, fails, and accepts only some events of a batch.
import { fileURLToPath } from 'node:url';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { createNetwork } from '../../../src/network.ts';
import { createRelay } from '../../../src/relay.ts';
import type { BatchResults } from '../../../src/wire/events.ts';
import { bundle } from '../drivers/bundle.ts';

/** How often each fault applies, as a share of all batches. */
export interface Faults {
  /** The batch arrives and counts, but the response is lost. */
  lost: number;
  /** The batch gets a 503 and does not arrive. */
  failed: number;
  /** One event is refused in a 207 and may be retried; the others count. */
  partial: number;
}

/** What a hop has done to batches so far. */
export interface Damage extends Faults {
  batches: number;
}

/** A running pipeline. */
export interface Line {
  /** The shop's port. Every host name that resolves to it is a separate shop. */
  port: number;
  /** The shop's URL. */
  shop: string;
  network: string;
  managementKey: string;
  /** Between page and relay, and between relay and network. */
  hops: readonly [Damage, Damage];
  close(): Promise<void>;
}

/** The widget_id of the page, so that the report can be limited to it. */
export const WIDGET_ID = 'whole-line';

/** The options of a pipeline. Without faults every batch arrives and gets a response. */
export interface LineOptions {
  faults?: Faults;
  /** Decides when a fault applies. */
  random?: () => number;
  seed?: 'demo' | 'empty';
  /** Whether the relay is in sandbox mode, in which URLs of this machine are accepted. */
  isSandbox?: boolean;
  /** The file of `src/` that is served as `/script.js`. */
  entry?: string;
  /** Returns the shop's page at a path. */
  page?: (path: string) => string;
}

/** Starts a pipeline on free ports. */
export async function startLine({
  faults = { lost: 0, failed: 0, partial: 0 },
  random = Math.random,
  seed = 'demo',
  isSandbox = false,
  entry = 'queue.ts',
  page = () => PAGE,
}: LineOptions): Promise<Line> {
  const script = await bundle(
    fileURLToPath(new URL(`../../../src/${entry}`, import.meta.url)),
    'iife',
    'offerletQueue',
  );
  const network = await createNetwork({ memory: true, seed, log: () => undefined });
  const networkServer = await serve((request, from) => network.fetch(request, from), { port: 0 });
  const { integration = '', management = '' } = network.describe().keys;
  const hops = [newDamage(), newDamage()] as const;

  const relay = createRelay({
    apiKey: integration,
    version: '1.0.0',
    networkUrl: networkServer.url,
    basePath: '/offers',
    forwardEventIds: true,
    sandbox: isSandbox,
    timeouts: { recommendations: 60_000 },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const answer = await strike({ request, damage: hops[1], faults, random, pass: (each) => fetch(each) });
      if (!answer) throw new TypeError('the answer was lost');
      return answer;
    },
  });
  const shop = await serve(
    async (request, from) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/script.js') return new Response(script, { headers: { 'content-type': 'text/javascript' } });
      if (!pathname.startsWith('/offers/'))
        return new Response(page(pathname), { headers: { 'content-type': 'text/html' } });
      const pass = (each: Request): Promise<Response> => relay(each, from.ip === undefined ? {} : { ip: from.ip });
      const answer = await strike({ request, damage: hops[0], faults, random, pass });
      if (answer) return answer;
      from.drop?.();
      return new Response(null, { status: 500 });
    },
    { port: 0 },
  );

  return {
    port: Number(new URL(shop.url).port),
    shop: shop.url,
    network: networkServer.url,
    managementKey: management,
    hops,
    async close() {
      await Promise.all([shop.close(), networkServer.close()]);
      await network.close();
    },
  };
}

/** A request on its way, and what may happen to it. */
export interface Passing {
  request: Request;
  damage: Damage;
  faults: Faults;
  random: () => number;
  pass(request: Request): Promise<Response>;
}

/** Forwards a request, or applies a fault to it. Resolves to undefined when the response is lost. */
export async function strike({ request, damage, faults, random, pass }: Passing): Promise<Response | undefined> {
  if (!new URL(request.url).pathname.endsWith('/events/batch')) return pass(request);
  damage.batches += 1;
  const fate = random();
  if (fate < faults.lost) {
    damage.lost += 1;
    await pass(request);
    return undefined;
  }
  if (fate < faults.lost + faults.failed) {
    damage.failed += 1;
    return Response.json({ message: 'a bad day' }, { status: 503 });
  }
  if (fate >= faults.lost + faults.failed + faults.partial) return pass(request);
  const { events } = (await request.clone().json()) as { events: unknown[] };
  if (events.length < 2) return pass(request);
  damage.partial += 1;
  const refused = Math.floor(random() * events.length);
  const rest = JSON.stringify({ events: events.filter((_, index) => index !== refused) });
  const answer = await pass(new Request(request.url, { method: 'POST', headers: request.headers, body: rest }));
  if (answer.status !== 202 && answer.status !== 207) return answer;
  const { results } = (await answer.json()) as BatchResults;
  const moved = results.map((result) => ({ ...result, index: result.index + (result.index < refused ? 0 : 1) }));
  const error = { code: 'BUSY', message: 'not now', retryable: true };
  return Response.json({ results: [...moved, { index: refused, success: false, error }] }, { status: 207 });
}

/** Returns a count of damage that has not begun. */
export function newDamage(): Damage {
  return { batches: 0, lost: 0, failed: 0, partial: 0 };
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Thank you</title><link rel="icon" href="data:,"><body>
<script src="/script.js"></script><script>
  window.dropped = 0;
  window.errors = [];
  window.queue = offerletQueue.openQueue({ endpoint: '/offers/events/batch', onEvent(event) {
    if (event.type === 'dropped') dropped += event.count;
    if (event.type === 'error') errors.push(event.reason);
    if (event.type === 'deadLetter') dropped++;
  } });
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  async function ask() {
    const answer = await fetch('/offers/recommendations', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_details: { external_guid: crypto.randomUUID() },
        placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: '${WIDGET_ID}' } }) });
    return answer.json();
  }
  // Plays a shopper's visit of the given number of events. Resolves to the tracked events once all are on disk.
  window.visit = async (count) => {
    while ((await queue.stats()).onDisk > 500) await sleep(200);
    const { session_id, recommendation_groups } = await ask();
    const items = recommendation_groups.flatMap((group) => group.items);
    const about = ({ offer_id, advertiser_id, insertion_id }, event_name, initiating_target) =>
      ({ event_name, session_id, initiating_target, brand_properties: { offer_id, advertiser_id, insertion_id } });
    const events = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW'].map((event_name) => ({ event_name, session_id }));
    for (const item of items) events.push(about(item, 'BRAND_DISPLAY', 'INLINE_SLOT'), about(item, 'BRAND_VIEW', 'INLINE_SLOT'));
    while (events.length < count) events.push(events.length % 3
      ? about(items[events.length % items.length], 'BRAND_CLICK', 'INLINE_ACTION_BUTTON')
      : about(items[events.length % items.length], 'ELEMENT_CLICK', 'INLINE_NAV_FORWARD'));
    events.length = count;
    for (let at = 0; at < count; at += 25) {
      await Promise.all(events.slice(at, at + 25).map((event) => queue.track(event)));
      await sleep(Math.random() * 40);
    }
    const number = (name) => events.filter(({ event_name }) => event_name === name).length;
    return { events: count, feed_loads: number('WIDGET_LOAD'), widget_displays: number('WIDGET_DISPLAY'),
      viewable_widget_displays: number('WIDGET_VIEW'), impressions: number('BRAND_DISPLAY'), clicks: number('BRAND_CLICK') };
  };
</script>`;
