import { runLoad, type Load } from './load.ts';
import type { Served } from './processes.ts';

/** Requests after which V8 has compiled most of what it is going to; the relay has more of it than the pass-through. */
const WARM_UP = 3_000;

/** Holds the relay against pass-throughs, in turns, and prints all. */
export async function compare(options: {
  title: string;
  path: string;
  /** The share of a pass-through's requests that the relay should manage with the same processor time. */
  goal?: number;
  fileGoal?: number;
  body: () => string;
  seconds: number;
  rounds: number;
  servers: Readonly<Record<'bare' | 'relay' | 'file', Served>>;
}): Promise<void> {
  const { title, path, body, goal, fileGoal, seconds, rounds } = options;
  const servers = Object.entries(options.servers);
  const loads: Record<string, Load[]> = {};
  const costs: Record<string, number[]> = {};
  for (const [, { port }] of servers) await runLoad({ port, path, body, connections: 16, requests: WARM_UP });
  for (let round = 0; round < rounds; round++) {
    for (const [who, server] of servers) {
      const before = await server.usage();
      const load = await runLoad({ port: server.port, path, body, connections: 16, seconds });
      const after = await server.usage();
      (loads[who] ??= []).push(load);
      (costs[who] ??= []).push((after - before) / load.requests);
    }
  }
  console.log(`\n${title}`);
  for (const [who] of servers) {
    const all = loads[who] ?? [];
    const rates = spread(all.map((load) => Math.round(load.perSecond)));
    const p99 = spread(all.map((load) => Number(load.p99.toFixed(1))));
    const cost = spread((costs[who] ?? []).map(Math.round));
    const failed = all.reduce((sum, load) => sum + load.failed, 0);
    console.log(
      `  ${who.padEnd(9)} ${rates} requests/s   p99 ${p99} ms   ${cost} µs of processor per request   failed ${failed}`,
    );
  }
  const of = (who: string): string => (median(costs['bare'] ?? []) / median(costs[who] ?? [])).toFixed(2);
  const aim = (share: number | undefined): string => (share === undefined ? '' : ` (goal ≥ ${share})`);
  console.log(
    `  by processor time, bare / relay ${of('relay')}${aim(goal)}, with a file and its ledger ${of('file')}${aim(fileGoal)}`,
  );
}

function spread(values: readonly number[]): string {
  return values.toSorted((a, b) => a - b).join(' / ');
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
