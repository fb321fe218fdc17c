import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from '../../../src/network/database/database.ts';

/** Microseconds of CPU per tick of /proc, as on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Returns a function that reads the CPU time, in microseconds, that a database's server has used; `undefined` unless it runs on this machine. */
export async function serverCpu(db: Database): Promise<(() => number) | undefined> {
  const [own] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const backend = own && readProcess(own.pid);
  const server = backend?.name === 'postgres' ? backend.parent : undefined;
  return server === undefined ? undefined : () => readTicks(server) * TICK_US;
}

/** The ticks of a server's first process and of its backends. */
function readTicks(server: number): number {
  const processes = readdirSync('/proc').flatMap((name) =>
    /^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : [],
  );
  return processes.reduce((sum, { pid, parent, ticks }) => sum + (parent === server || pid === server ? ticks : 0), 0);
}

function readProcess(pid: number): { pid: number; name: string; parent: number; ticks: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { pid, name, parent: Number(parent), ticks: Number(fields[9]) + Number(fields[10]) };
  } catch {
    return undefined; // it has ended
  }
}
