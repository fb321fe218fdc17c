import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ofEachTest } from '../../fixtures/ofEachTest.ts';
import { serve } from '../../fixtures/serve.ts';
import { bundle } from '../drivers/bundle.ts';

/** One batch as the relay saw it. */
export interface Batch {
  ids: string[];
  at: number;
  bytes: number;
}

/** A site with a queue on it and a relay that writes every batch down. */
export interface QueueSite {
  url: string;
  batches: Batch[];
  /** Every id that arrived, as often as it did. */
  arrived(): string[];
  /** The response to a batch; `undefined` leaves it without one. */
  answer: (ids: string[], response: ServerResponse) => number | undefined | Promise<number | undefined>;
  /** Connections are refused by closing them at once: all, or those of the pages at a path. */
  isDown: boolean | string;
  close(): Promise<void>;
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Queue</title><link rel="icon" href="data:,"><body>
<script src="/queue.js"></script><script src="/pageQueue.js"></script><script>
  const asked = new URLSearchParams(location.search);
  window.emitted = [];
  if (!asked.has('idle') && !asked.has('page')) window.queue = offerletQueue.openQueue({ endpoint: '/events/batch', onEvent: (event) => emitted.push(event) });
  window.withdrawn = 0;
  window.openPage = (endpoint = '/events/batch') => (window.queue = offerletSessionQueue.openSessionQueue({
    endpoint, onEvent: (event) => emitted.push(event), onWithdrawn: () => withdrawn++ }));
  if (asked.has('page')) openPage();
  window.track = (from, count, name = 'BRAND_DISPLAY') => Promise.all(Array.from({ length: count }, (_, n) => queue.track({
    event_id: from + n, event_name: name, session_id: '6f1a3c9e-1111-4222-8333-444455556666', initiating_target: 'INLINE_SLOT',
    brand_properties: { offer_id: 'offer-1', advertiser_id: 'adv-1', insertion_id: 'ins-' + n } })));
</script>`;

export const useQueueSite = (): QueueSite => ofEachTest(startQueueSite);

/** Starts the site on a free port. */
async function startQueueSite(site: QueueSite): Promise<void> {
  const script = await bundle(
    fileURLToPath(new URL('../../../src/queue.ts', import.meta.url)),
    'iife',
    'offerletQueue',
  );
  const pageScript = await bundle(
    fileURLToPath(new URL('pageQueue.ts', import.meta.url)),
    'iife',
    'offerletSessionQueue',
  );
  const server = await serve((request, response) => {
    void (async () => {
      if (!request.url?.startsWith('/events/batch')) {
        const found = { '/queue.js': script, '/pageQueue.js': pageScript }[request.url ?? ''];
        response.writeHead(200, { 'content-type': found ? 'text/javascript' : 'text/html' });
        return response.end(found ?? PAGE);
      }
      // A sandboxed frame is of another origin.
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', 'content-type');
      if (request.method === 'OPTIONS') return response.end();
      const { isDown } = site;
      if (isDown === true || (isDown && request.headers.referer === site.url + isDown)) return request.socket.destroy();
      const body = await text(request);
      const { events } = JSON.parse(body) as { events: { event_id: string }[] };
      const ids = events.map(({ event_id }) => event_id);
      site.batches.push({ ids, at: Date.now(), bytes: body.length });
      const status = await site.answer(ids, response);
      if (status) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    })().catch(() => response.destroy());
  });
  Object.assign<QueueSite, QueueSite>(site, {
    ...server,
    batches: [],
    arrived: () => site.batches.flatMap(({ ids }) => ids),
    answer: () => 202,
    isDown: false,
  });
}

/** How many of the ids `from0` to `from<count - 1>` are missing, and how many came more than once. */
export function tally(arrived: readonly string[], from: string, count: number): { lost: number; duplicated: number } {
  const expected = new Set(Array.from({ length: count }, (_, n) => from + n));
  const ours = arrived.filter((id) => expected.has(id));
  return { lost: count - new Set(ours).size, duplicated: ours.length - new Set(ours).size };
}
