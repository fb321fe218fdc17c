import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from '../../../src/network/database/database.ts';

/** Microseconds of CPU per tick of /proc, as on every Linux that Node runs on. */
const TICK_US = 10_000;

/** Returns a function that reads the CPU time, in microseconds, that a database's server has used; `undefined` unless it runs on this machine. */
export async function serverCpu(db: Database): Promise<(() => number) | undefined> {
  const pids = new Set<number>();
  const [own] = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const citus = await db.query("SELECT 1 AS yes FROM pg_extension WHERE extname = 'citus'");
  const workers =
    citus.length > 0
      ? await db.query<{ pid: string }>("SELECT result AS pid FROM run_command_on_workers('SELECT pg_backend_pid()')")
      : [];
  for (const pid of [own?.pid, ...workers.map((worker) => Number(worker.pid))]) {
    const parent = pid === undefined ? undefined : readProcess(pid);
    if (parent?.name !== 'postgres') return undefined;
    pids.add(parent.parent);
  }
  return () => {
    let ticks = 0;
    for (const name of readdirSync('/proc')) {
      const found = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
      if (found && (pids.has(found.parent) || pids.has(Number(name)))) ticks += found.ticks;
    }
    return ticks * TICK_US;
  };
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
