import { runLoad, type Load } from './load.ts';
import type { Served } from './processes.ts';

/** Requests after which V8 has compiled most of what it is going to; the relay has more of it than the pass-through. */
const WARM_UP = 3_000;

/** Holds the relay against the bare pass-through, in turns, and prints both. */
export async function compare(options: {
  path: string;
  body: () => string;
  seconds: number;
  rounds: number;
  servers: { bare: Served; relay: Served };
}): Promise<void> {
  const { path, body, seconds, rounds, servers } = options;
  const loads: { bare: Load[]; relay: Load[] } = { bare: [], relay: [] };
  const costs: { bare: number[]; relay: number[] } = { bare: [], relay: [] };
  for (const { port } of [servers.bare, servers.relay])
    await runLoad({ port, path, body, connections: 16, requests: WARM_UP });
  for (let round = 0; round < rounds; round++) {
    for (const who of ['bare', 'relay'] as const) {
      const before = await servers[who].usage('cpu');
      const load = await runLoad({ port: servers[who].port, path, body, connections: 16, seconds });
      const after = await servers[who].usage('cpu');
      loads[who].push(load);
      costs[who].push((after.cpu - before.cpu) / load.requests);
    }
  }
  console.log(`\n${path}${path === '/events/batch' ? ' (20 events)' : ''}`);
  for (const who of ['bare', 'relay'] as const) {
    const rates = spread(loads[who].map((load) => Math.round(load.perSecond)));
    const p99 = spread(loads[who].map((load) => Number(load.p99.toFixed(1))));
    const cost = spread(costs[who].map(Math.round));
    const failed = loads[who].reduce((sum, load) => sum + load.failed, 0);
    console.log(
      `  ${who.padEnd(6)} ${rates} requests/s   p99 ${p99} ms   ${cost} µs of processor per request   failed ${failed}`,
    );
  }
  const ratio = (of: (load: Load) => number): string =>
    (median(loads.relay.map(of)) / median(loads.bare.map(of))).toFixed(2);
  const cost = (median(costs.bare) / median(costs.relay)).toFixed(2);
  console.log(
    `  relay / bare: ${ratio((load) => load.perSecond)} × requests/s (goal ≥ 0.75; ${cost} by processor time, which a busy machine distorts less), ${ratio((load) => load.p99)} × p99 (goal ≤ 1.5)`,
  );
}

function spread(values: readonly number[]): string {
  return values.toSorted((a, b) => a - b).join(' / ');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
