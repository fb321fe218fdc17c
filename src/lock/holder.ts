/** The process that a lock file names. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Where `pid` means something: one boot of one machine, and on Linux one pid namespace. */
  readonly scope?: string;
  /** When the process started, in clock ticks since the boot; pids are used again. Linux only. */
  readonly started?: string;
}

/** Whether a holder runs. `unknown`: it cannot be seen from here, or its pid may be another process's by now. */
export type HolderState = 'alive' | 'gone' | 'unknown';

/** This process, as it writes itself into a lock file. */
export function thisHolder(): Holder {
  const scope = readScope();
  const started = readStart(process.pid);
  return {
    pid: process.pid,
    host: thisHost(),
    ...(scope !== undefined && { scope }),
    ...(started !== undefined && { started }),
  };
}

/** The holder that a lock file names; `undefined` when the file is empty or damaged. */
export function parseHolder(text: string): Holder | undefined {
  const json: unknown = attempt(() => JSON.parse(text));
  if (typeof json !== 'object' || json === null) return undefined;
  const { pid, host, scope, started } = json as Partial<Record<keyof Holder, unknown>>;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    host: typeof host === 'string' ? host : 'another machine',
    ...(typeof scope === 'string' && { scope }),
    ...(typeof started === 'string' && { started }),
  };
}

/** Whether the holder still runs, as far as its pid tells. */
export function stateOf(holder: Holder): HolderState {
  const scope = readScope();
  if (scope === undefined || holder.scope !== scope) return 'unknown';
  if (!isRunning(holder.pid)) return 'gone';
  const started = readStart(holder.pid);
  if (started === undefined || holder.started === undefined) return 'unknown';
  // A container that restarts gives its process the pid of the one that died, often in a namespace of the same number.
  return started === holder.started ? 'alive' : 'gone';
}

/** The holder in words, such as `process 42`. */
export function describeHolder(holder: Holder | undefined): string {
  if (!holder) return 'another process';
  return holder.host === thisHost() ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
}

function thisHost(): string {
  return attempt(() => process.getBuiltinModule('node:os').hostname()) ?? 'this machine';
}

function readScope(): string | undefined {
  if (process.platform !== 'linux') return thisHost();
  const fs = process.getBuiltinModule('node:fs');
  return attempt(() => {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
  });
}

function readStart(pid: number): string | undefined {
  const fs = process.getBuiltinModule('node:fs');
  // The second field is the program's name, which may hold spaces and brackets; the start is the 20th field after it.
  return attempt(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19]);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM and its like: it runs, as another user.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
