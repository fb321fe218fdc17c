import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from '../../../src/network/database/database.ts';

/** Microseconds of CPU per tick of /proc, as on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Returns a function that reads the CPU time, in microseconds, that a database's server has used; `undefined` unless it runs on this machine. */
export async function serverCpu(db: Database): Promise<(() => number) | undefined> {
  const [own] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = serverOf(own?.pid);
  return server === undefined ? undefined : () => readServers([server])[0] ?? 0;
}

/** The first process of the server that a backend belongs to. */
function serverOf(backend: number | undefined): number | undefined {
  const found = backend === undefined ? undefined : readProcess(backend);
  return found?.name === 'postgres' ? found.parent : undefined;
}

function readServers(servers: readonly number[]): number[] {
  const ticks = servers.map(() => 0);
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    const index = servers.findIndex((server) => found?.parent === server || Number(name) === server);
    if (found && index >= 0) ticks[index] = (ticks[index] ?? 0) + found.ticks;
  }
  return ticks.map((count) => count * TICK_US);
}

function readProcess(pid: number): { name: string; parent: number; ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { name, parent: Number(parent), ticks: Number(fields[9]) + Number(fields[10]) };
  } catch {
    return undefined; // it has ended
  }
}
