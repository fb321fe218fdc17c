import { RecommendationsClient, type ReportableEvent } from '../../src/client.ts';
import { serve } from './relay/processes.ts';

/** `npm run bench -- client [events] [rounds]`: events a second of the client, next to a plain loop of `fetch` with the same responses. */
export async function run(args: string[]): Promise<void> {
  const count = Number(args[0] ?? 4_000);
  const rounds = Number(args[1] ?? 5);
  const network = await serve(['network']);
  const url = `http://127.0.0.1:${network.port}`;
  try {
    const ways = [
      { what: 'client.reportAll(events)', way: reportAll, figures: [] as number[] },
      { what: 'fetch /events for each', way: fetchEach, figures: [] as number[] },
      { what: 'fetch /events/batch for 20', way: fetchBatches, figures: [] as number[] },
    ];
    for (let round = 0; round < rounds; round++)
      for (const { way, figures } of ways) figures.push(await perSecond(count, () => way(url, eventsOf(count))));
    for (const { what, figures } of ways) print(what, figures);
  } finally {
    network.stop();
  }
}

async function reportAll(networkUrl: string, events: readonly ReportableEvent[]): Promise<void> {
  const client = new RecommendationsClient({ networkUrl, apiKey: 'adnet_rk_test_bench', version: '1.0.0' });
  const reports = await client.reportAll(events);
  if (reports.some(({ status }) => status !== 'stored')) throw new Error('An event was not stored.');
}

const HEADERS = { 'x-api-key': 'adnet_rk_test_bench', version: '1.0.0', 'content-type': 'application/json' };

/** What a backend would write by hand: one request for each event. */
async function fetchEach(url: string, events: readonly ReportableEvent[]): Promise<void> {
  for (const event of events) await post(`${url}/events`, event);
}

/** The floor: as many requests as the client makes, without checks, ids, retries or a look into the results. */
async function fetchBatches(url: string, events: readonly ReportableEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += 20)
    await post(`${url}/events/batch`, { events: events.slice(at, at + 20) });
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) });
  await response.text();
  if (!response.ok) throw new Error('An event was not stored.');
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return count / ((performance.now() - begin) / 1_000);
}

function eventsOf(count: number): ReportableEvent[] {
  return Array.from({ length: count }, () => ({
    event_id: crypto.randomUUID(),
    event_name: 'BRAND_CLICK',
    event_datetime: new Date().toISOString(),
    session_id: '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10',
    initiating_target: 'INLINE_ACTION_BUTTON',
    brand_properties: { offer_id: 'o-1', advertiser_id: 'a-1', insertion_id: 'i-1' },
  }));
}

function print(what: string, figures: readonly number[]): void {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted[sorted.length >> 1] ?? 0;
  process.stdout.write(`${what.padEnd(28)} ${Math.round(middle).toLocaleString('en').padStart(8)} events a second\n`);
}
