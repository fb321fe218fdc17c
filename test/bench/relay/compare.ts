import { runLoad, type Load } from './load.ts';
import type { Served } from './processes.ts';

/** Requests after which V8 has compiled most of what it is going to; the relay has more of it than the pass-through. */
const WARM_UP = 3_000;

const SERVERS = ['direct', 'bare', 'relay'] as const;
type Name = (typeof SERVERS)[number];

/** Processor time of one request that the relay should not exceed, in microseconds. */
const GOALS: Readonly<Record<string, number>> = { '/recommendations': 130, '/events/batch': 220 };

/**
 * Holds the relay against the bare pass-through, in turns, and prints both. `direct` responds by itself: what the
 * pass-through takes more is the second socket.
 */
export async function compare(options: {
  path: string;
  body: () => string;
  seconds: number;
  rounds: number;
  servers: Readonly<Record<Name, Served>>;
}): Promise<void> {
  const { path, body, seconds, rounds, servers } = options;
  const loads: Record<Name, Load[]> = { direct: [], bare: [], relay: [] };
  const costs: Record<Name, number[]> = { direct: [], bare: [], relay: [] };
  for (const who of SERVERS) await runLoad({ port: servers[who].port, path, body, connections: 16, requests: WARM_UP });
  for (let round = 0; round < rounds; round++) {
    for (const who of SERVERS) {
      const before = await servers[who].usage('cpu');
      const load = await runLoad({ port: servers[who].port, path, body, connections: 16, seconds });
      const after = await servers[who].usage('cpu');
      loads[who].push(load);
      costs[who].push((after.cpu - before.cpu) / load.requests);
    }
  }
  console.log(`\n${path}${path === '/events/batch' ? ' (20 events)' : ''}`);
  for (const who of SERVERS) {
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
  const [direct, bare, relay] = SERVERS.map((who) => Math.round(median(costs[who]))) as [number, number, number];
  console.log(
    `  relay / bare: ${ratio((load) => load.perSecond)} × requests/s (goal ≥ 0.75; ${(bare / relay).toFixed(2)} by processor time, which a busy machine distorts less), ${ratio((load) => load.p99)} × p99 (goal ≤ 1.5)`,
  );
  console.log(
    `  processor: ${direct} µs for one socket, ${bare - direct} for the second socket, ${relay - bare} for the relay's own work; together ${relay} (goal ≤ ${GOALS[path]})`,
  );
}

function spread(values: readonly number[]): string {
  return values.toSorted((a, b) => a - b).join(' / ');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
