import { fileURLToPath } from 'node:url';
import { openPeers } from '../peers/openPeers.ts';

/** A queue in the race: its script defines `start()` and `enqueue(id)` in the page. */
export interface Contender {
  name: string;
  script: string;
}

const PEERS = { '@rudderstack/analytics-js': '3.34.1', '@segment/analytics-next': '1.84.3', 'idb-keyval': '6.3.0' };

const SOURCES: Readonly<Record<string, string>> = {
  offerlet: `
    import { openQueue } from ${JSON.stringify(fileURLToPath(new URL('../../../src/queue.ts', import.meta.url)))};
    let queue;
    window.start = () => { queue = openQueue({ endpoint: '/events/batch' }); };
    window.enqueue = (id) => queue.track({ event_id: id, event_name: 'BRAND_DISPLAY', session_id: 's-1', initiating_target: 'INLINE_SLOT',
      brand_properties: { offer_id: 'o-1', advertiser_id: 'a-1', insertion_id: 'i-1' } });`,
  'idb-keyval array': `
    import { get, update } from 'idb-keyval';
    const send = async () => {
      const list = (await get('queue')) ?? [];
      if (!list.length) return;
      const batch = list.slice(0, 20);
      const answer = await fetch('/events/batch', { method: 'POST', body: JSON.stringify({ events: batch }) }).catch(() => null);
      if (answer?.ok) await update('queue', (list) => list.slice(batch.length));
    };
    window.start = () => { setInterval(send, 1000); };
    window.enqueue = (id) => update('queue', (list = []) => [...list, { event_id: id, event_name: 'BRAND_DISPLAY', event_datetime: new Date().toJSON(),
      session_id: 's-1', brand_properties: { offer_id: 'o-1', advertiser_id: 'a-1', insertion_id: 'i-1' } }]);`,
  RudderStack: `
    import { RudderAnalytics } from '@rudderstack/analytics-js/bundled';
    let analytics;
    window.start = () => {
      analytics = new RudderAnalytics();
      analytics.load('key', location.origin, { configUrl: location.origin, plugins: [], logLevel: 'NONE' });
    };
    window.enqueue = (id) => { analytics.track('BRAND_DISPLAY', { event_id: id }); };`,
  Segment: `
    import { AnalyticsBrowser } from '@segment/analytics-next';
    let analytics;
    window.start = () => { analytics = AnalyticsBrowser.load({ writeKey: 'key', cdnURL: location.origin }); };
    window.enqueue = (id) => { void analytics.track('BRAND_DISPLAY', { event_id: id }).catch(() => {}); };`,
};

/** Everybody in the race whom this machine can bring, bundled alike. */
export async function bundleContenders(): Promise<Contender[]> {
  const peers = openPeers(PEERS);
  const contenders: Contender[] = [];
  for (const [name, source] of Object.entries(SOURCES)) {
    if (peers.areThere || name === 'offerlet') contenders.push({ name, script: await peers.bundle(name, source) });
    else console.log(`${name}: left out, the registry is out of reach`);
  }
  peers.close();
  return contenders;
}
