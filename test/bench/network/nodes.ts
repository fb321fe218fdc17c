import { createNetwork } from '../../../src/network.ts';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { nodeUrl, openCitus } from '../../network/databases.ts';
import { ask, event, testNetworkOf, type Body, type Shown } from '../../network/testNetwork.ts';
import { KINDS, median } from './ingest.ts';
import { openFloor } from './nodesFloor.ts';
import { openServers } from './serverCpu.ts';

const PUBLISHERS = 24;
const SHARDS = 32;
const PLAIN = 'offerlet_bench';
const ROUNDS = 5;
/** Rounds before those: until then this process compiles, and servers plan. */
const WARM_UPS = 3;
/** Batches per round, each of two new sessions; requests for offers; conversions, each in a separate batch. */
const BATCHES = 240;
const BATCH = 2 * KINDS.length;
const REQUESTS = 480;
const CONVERSIONS = 160;
/** How many conversions of one offer are sent at the same time. */
const SENDERS = 8;

/** How many a round has of the paths that are not a batch of events, and what one counts as. */
const SIZES: ReadonlyMap<string, readonly [count: number, size: number]> = new Map([
  ['a request for offers', [REQUESTS, 1]],
  ['a conversion with a budget', [CONVERSIONS, 1]],
]);

/** Microseconds of CPU per event, request for offers or conversion: of this process, and of each server, the coordinator first. */
interface Cost {
  readonly process: number;
  readonly servers: readonly number[];
}

/**
 * `npm run bench -- network --nodes COORDINATOR,WORKER,…`: the cost of an event on one PostgreSQL and on clusters of
 * one worker and more. The baseline is a transaction by hand that writes the same rows and does nothing else. Also
 * measures a request for offers and a conversion of an offer with a budget.
 */
export async function measureNodes(urls: readonly string[]): Promise<void> {
  const [first = ''] = urls;
  const servers = await openServers(urls);
  const citus = openCitus(urls, SHARDS);
  const plain = openPostgres(first, { connections: 1 });
  await plain.exec(`DROP DATABASE IF EXISTS ${PLAIN}`);
  await plain.exec(`CREATE DATABASE ${PLAIN}`);
  const places = [{ title: 'PostgreSQL', nodes: [nodeUrl(first, PLAIN)] }];
  for (let workers = 1; workers < urls.length; workers += 1) {
    const name = new URL(await citus.freshUrl(workers)).pathname.slice(1);
    const nodes = urls.slice(0, workers + 1).map((node) => nodeUrl(node, name));
    places.push({ title: `citus, ${workers} worker${workers > 1 ? 's' : ''}`, nodes });
  }
  console.log(
    `\nµs of CPU per event, request for offers or conversion; ${PUBLISHERS} publishers, batches of ${BATCH} events of two new sessions, one after the other`,
  );
  console.log('  place                path                        process  servers  of which coordinator, workers');
  for (const { title, nodes } of places) {
    const network = await createNetwork({ databaseUrl: nodes, seed: 'demo', log: () => undefined });
    const senders = await openSenders(network);
    await giveBudgets(nodes[0] ?? '');
    const floor = await openFloor(nodes);
    const ours = openPaths(network, senders);
    const paths = {
      'a request for offers': ours.offers,
      'a conversion with a budget': ours.conversions,
      'the network': ours.events,
      'by hand, its own node': floor.near,
      ...(nodes.length > 2 ? { 'by hand, any node': floor.anywhere } : {}),
      ...(nodes.length > 1 ? { 'by hand, past citus': floor.direct } : {}),
    };
    for (const [path, prepare] of Object.entries(paths)) {
      const costs: Cost[] = [];
      const [count, size] = SIZES.get(path) ?? [BATCHES, BATCH];
      for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
        const run = await prepare(count);
        const before = { servers: servers.readCpu(), own: process.cpuUsage() };
        await run();
        const { user, system } = process.cpuUsage(before.own);
        const used = servers.readCpu().map((after, index) => (after - (before.servers[index] ?? 0)) / count / size);
        if (round >= 0) costs.push({ process: (user + system) / count / size, servers: used });
      }
      print(title, path, costs);
    }
    await floor.close();
    const largest = servers.readLargest();
    const rates: number[] = [];
    for (let round = -WARM_UPS; round < ROUNDS; round += 1) {
      const run = await ours.oneBudget(CONVERSIONS);
      const began = performance.now();
      await run();
      if (round >= 0) rates.push((CONVERSIONS / (performance.now() - began)) * 1_000);
    }
    const rate = `${median(rates).toFixed(0)} conversions of one budget per second, ${SENDERS} at once`;
    console.log(`  ${title.padEnd(20)} ${rate}; the largest connection has ${largest.toFixed(0)} MB`);
    await network.close();
  }
  await plain.exec(`DROP DATABASE ${PLAIN} WITH (FORCE)`);
  await Promise.all([plain.close(), citus.stop()]);
}

function print(title: string, path: string, costs: readonly Cost[]): void {
  const shown = (values: readonly number[], width: number): string => median(values).toFixed(0).padStart(width);
  const sums = costs.map(({ servers }) => servers.reduce((sum, value) => sum + value, 0));
  const each = (costs[0]?.servers ?? []).map((_, index) =>
    shown(
      costs.map(({ servers }) => servers[index] ?? 0),
      5,
    ),
  );
  console.log(
    `  ${title.padEnd(20)} ${path.padEnd(27)} ${shown(
      costs.map((cost) => cost.process),
      7,
    )}  ${shown(sums, 7)} ${each.join(' ')}`,
  );
}

type Network = Awaited<ReturnType<typeof createNetwork>>;

async function openSenders(network: Network): Promise<string[]> {
  const world = testNetworkOf(network);
  const keys: string[] = [];
  for (let n = 0; n < PUBLISHERS; n += 1) {
    const tenant: Body = await world.control('POST', '/sandbox/channels', { name: `Channel ${n}` });
    keys.push(tenant.keys.integration);
  }
  return keys;
}

/** Gives each offer a budget that is never spent. */
async function giveBudgets(coordinator: string): Promise<void> {
  const db = openPostgres(coordinator, { connections: 1 });
  await db.exec('UPDATE offers SET budget = 1000000000');
  await db.close();
}

/** The whole paths from the request to the response. Sessions are opened before, and clicks that earn conversions are sent. */
function openPaths(network: Network, keys: readonly string[]) {
  const headers = (index: number): Record<string, string> => ({
    'x-api-key': keys[index % keys.length] ?? '',
    version: '1.0.0',
    'content-type': 'application/json',
  });
  const post = async (index: number, path: string, body: unknown): Promise<Response> => {
    const init = { method: 'POST', headers: headers(index), body: JSON.stringify(body) };
    const response = await network.fetch(new Request(`http://127.0.0.1${path}`, init));
    if (!response.ok) throw new Error(`The network answered ${response.status}`);
    return response;
  };
  const session = async (index: number): Promise<Shown> => {
    const body: Body = await (await post(index, '/recommendations', ask())).json();
    return { session_id: body.session_id, items: body.recommendation_groups.flatMap((group: Body) => group.items) };
  };
  const offers = async (count: number) => async (): Promise<void> => {
    for (let index = 0; index < count; index += 1) await post(index, '/recommendations', ask());
  };
  const now = (): { event_datetime: string } => ({ event_datetime: new Date().toISOString() });
  /** Prepares the conversion of the clicked offer at a place of a session. */
  const earn = async (index: number, shown: Shown, place = 0): Promise<() => Promise<unknown>> => {
    await post(index, '/events/batch', { events: [event('BRAND_CLICK', shown, now(), place)] });
    const events = [event('CONVERSION', shown, now(), place)];
    return () => post(index, '/events/batch', { events });
  };
  const conversions = async (count: number): Promise<() => Promise<void>> => {
    const earned: (() => Promise<unknown>)[] = [];
    for (let index = 0; index < count; index += 1) earned.push(await earn(index, await session(index)));
    return async () => {
      for (const send of earned) await send();
    };
  };
  const oneBudget = async (count: number): Promise<() => Promise<void>> => {
    const earned: (() => Promise<unknown>)[] = [];
    const [first] = (await session(0)).items;
    for (let index = 0; earned.length < count; index += 1) {
      const shown = await session(index);
      const place = shown.items.findIndex(({ offer_id }) => offer_id === first?.offer_id);
      if (place >= 0) earned.push(await earn(index, shown, place));
    }
    const send = async (): Promise<void> => {
      for (let next = earned.pop(); next; next = earned.pop()) await next();
    };
    return async () => {
      await Promise.all(Array.from({ length: SENDERS }, send));
    };
  };
  const events = async (count: number): Promise<() => Promise<void>> => {
    const batches: unknown[] = [];
    for (let index = 0; index < count; index += 1) {
      const sessions = [await session(index), await session(index)];
      const parts = (name: string): Record<string, unknown> => ({
        ...now(),
        ...(name === 'ELEMENT_CLICK' ? { initiating_target: 'INLINE_NAV_FORWARD' } : {}),
        ...(name.startsWith('PRODUCT_') ? { product_properties: { product_id: 'p' } } : {}),
      });
      const events = sessions.flatMap((one) => KINDS.map((name, n) => event(name, one, parts(name), n % 3)));
      batches.push({ events });
    }
    return async () => {
      for (const [index, batch] of batches.entries()) await post(index, '/events/batch', batch);
    };
  };
  return { offers, events, conversions, oneBudget };
}
