/** What a lock file holds after its owner has given the directory back. */
const RELEASED = '{"released":true}';

/** The numbered lock files of one directory. */
export interface LockFiles {
  /** The numbers in use, the owner's last. */
  numbers(): Promise<readonly number[]>;
  /** The owner's number, read before anything else can happen; `undefined` when there is none. */
  highest(): number | undefined;
  pathOf(number: number): string;
  /** Creates the file of a number; `false` when there is one already. */
  create(number: number, text: string): Promise<boolean>;
  /** What a file holds and when it was touched; `undefined` when it does not exist. */
  look(number: number): Promise<Look | undefined>;
  /** Touches a file. Throws when it does not exist. */
  touch(number: number): Promise<void>;
  /** Marks a file as released, in one write of the same length, so that nobody reads half of it. */
  release(number: number): Promise<void>;
  remove(number: number): Promise<void>;
}

/** The highest number that is a lock file's: one with more digits would not be found again. */
export const NUMBER_MAX = 999_999_999_999_999;
/** Bytes of a lock file that are read: it may be a link to anything. */
const TEXT_MAX = 4_096;

interface Look {
  readonly text: string;
  readonly isReleased: boolean;
  readonly touchedAt: number;
}

/** The files `NAME.lock.1`, `NAME.lock.2`, … of a directory. */
export function lockFiles(directory: string, name: string): LockFiles {
  const fs = process.getBuiltinModule('node:fs/promises');
  const {
    readdirSync,
    constants: { O_RDONLY, O_NONBLOCK },
  } = process.getBuiltinModule('node:fs');
  const path = process.getBuiltinModule('node:path');
  const prefix = `${name}.lock.`;
  const pathOf = (number: number): string => path.join(directory, prefix + number);

  function readNumbers(names: readonly string[]): readonly number[] {
    return names
      .filter((file) => file.startsWith(prefix) && /^[1-9]\d{0,14}$/.test(file.slice(prefix.length)))
      .map((file) => Number(file.slice(prefix.length)))
      .sort((a, b) => a - b);
  }

  return {
    numbers: async () => readNumbers(await fs.readdir(directory)),
    highest: () => readNumbers(readdirSync(directory)).at(-1),
    pathOf,
    async create(number, text) {
      try {
        const file = await fs.open(pathOf(number), 'wx', 0o600);
        // On a full disk it stays empty: the heartbeat alone says that it has an owner.
        await file.write(text, 0).catch(() => undefined);
        await file.close();
        return true;
      } catch (error) {
        if (systemErrorCode(error) === 'EEXIST') return false;
        throw error;
      }
    },
    async look(number) {
      try {
        // Opened each time: network file systems read a file's times anew only then.
        // Without waiting: it may be a pipe.
        const file = await fs.open(pathOf(number), O_RDONLY | (O_NONBLOCK ?? 0));
        try {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(TEXT_MAX), 0, TEXT_MAX, null);
          const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
          return { text, isReleased: text === RELEASED, touchedAt: (await file.stat()).mtimeMs };
        } finally {
          await file.close();
        }
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    async touch(number) {
      const now = new Date();
      await fs.utimes(pathOf(number), now, now);
    },
    async release(number) {
      const file = await fs.open(pathOf(number), 'r+');
      try {
        const { size } = await file.stat();
        await file.write(RELEASED.padEnd(size), 0);
      } finally {
        await file.close();
      }
    },
    remove: (number) => fs.rm(pathOf(number), { force: true }),
  };
}

/** The code of a file system's error, such as `ENOENT`. */
export function systemErrorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Runs in a separate thread. Ends by itself once the file is gone, which its successor deletes. */
const TOUCH = `
const { workerData } = process.getBuiltinModule('node:worker_threads');
const { utimesSync } = process.getBuiltinModule('node:fs');
const timer = setInterval(() => {
  try {
    const now = new Date();
    utimesSync(workerData.file, now, now);
  } catch (error) {
    if (error.code === 'ENOENT') clearInterval(timer);
  }
}, workerData.everyMs);
`;

/**
 * Touches a file from a separate thread, so that a main thread which is busy for seconds does not look dead. Does
 * nothing where the runtime has no threads or does not allow them. Returns what ends it.
 */
export function keepTouching(file: string, everyMs: number): () => Promise<void> {
  try {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    // Without the process's own flags and environment: a loader that they name has no business in there.
    const worker = new Worker(TOUCH, { eval: true, workerData: { file, everyMs }, execArgv: [], env: {} });
    worker.on('error', () => undefined);
    worker.unref();
    return async () => {
      await worker.terminate();
    };
  } catch {
    return () => Promise.resolve();
  }
}

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
    host: typeof host === 'string' && /^[\w.-]{1,255}$/.test(host) ? host : 'another machine',
    ...(typeof scope === 'string' && { scope }),
    ...(typeof started === 'string' && { started }),
  };
}

/** Whether the holder still runs, as far as its pid shows. */
export function readHolderState(holder: Holder): HolderState {
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
