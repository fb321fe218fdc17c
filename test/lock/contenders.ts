import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a contender says: one of the fields each time. */
export interface Said {
  readonly ready?: boolean;
  readonly taken?: boolean;
  readonly refused?: string;
  readonly waiting?: string;
  readonly released?: boolean;
  readonly lost?: string;
  readonly owns?: boolean;
  readonly blocking?: boolean;
}

/** A separate process that locks and releases the directory on command. */
export interface Contender {
  next(): Promise<Said>;
  /** Tries to lock, at a time if one is given, and returns the result and what was logged while it waited. */
  take(at?: number): Promise<Said & { readonly waited: readonly string[] }>;
  release(): Promise<void>;
  /** Whether it passes the lock's check, which it does first thing. */
  check(): Promise<boolean>;
  /** Lets its main thread do nothing else for a time. Resolves when that begins. */
  block(ms: number): Promise<void>;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/** Runs a program as process 1 of a new pid namespace, as in a container. */
export const CONTAINER = ['unshare', '-r', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** Whether this machine lets a process have its own pid namespace. */
export const hasNamespaces = spawnSync('unshare', [...CONTAINER.slice(1), 'true']).status === 0;

/** Starts a contender for a directory, with the lock as it was built; `isContained`: as process 1 of a new pid namespace. */
export function startContender(options: { module: string; directory: string; isContained?: boolean }): Contender {
  const { module, directory, isContained = false } = options;
  const command = [process.execPath, join(import.meta.dirname, 'contender.mjs'), module, directory];
  const [program = '', ...args] = isContained ? [...CONTAINER, ...command] : command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();

  async function next(): Promise<Said> {
    const line = await lines.next();
    if (line.done === true) throw new Error('The contender has ended.');
    return JSON.parse(line.value) as Said;
  }

  return {
    next,
    async take(at) {
      child.stdin.write(at === undefined ? 'take\n' : `take ${at}\n`);
      const waited: string[] = [];
      for (;;) {
        const said = await next();
        if (said.waiting === undefined) return { ...said, waited };
        waited.push(said.waiting);
      }
    },
    async release() {
      child.stdin.write('release\n');
      await next();
    },
    async check() {
      child.stdin.write('check\n');
      for (;;) {
        const said = await next();
        if (said.owns !== undefined) return said.owns;
      }
    },
    async block(ms) {
      child.stdin.write(`block ${ms}\n`);
      await next();
    },
    async signal(signal) {
      const pid = isContained ? childOf(child.pid) : child.pid;
      if (pid !== undefined) process.kill(pid, signal);
      if (signal === 'SIGKILL') await ended;
    },
  };
}

function childOf(pid: number | undefined): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return Number(stdout.trim().split('\n')[0]) || undefined;
}
