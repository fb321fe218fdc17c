import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from '@playwright/test';
import { waitForRelay } from './patience.ts';

/** The first line of `offerlet sandbox --json`. */
export interface Sandbox {
  shop: string;
  relay: string;
  network: string;
  keys: { management: string; publishable: string; publisher_reporting: string; integration: string };
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** Starts the built command on free ports, with its data in memory. */
export async function startSandbox(options: readonly string[] = []): Promise<Sandbox> {
  const child = spawn(
    process.execPath,
    [CLI, 'sandbox', '--port', '0', '--network-port', '0', '--memory', '--json', ...options],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const kill = (): void => void child.kill();
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const line = await firstLine(child);
  return {
    ...(JSON.parse(line) as Omit<Sandbox, 'stop'>),
    stop: () =>
      new Promise((resolve) => {
        // One that has ended by itself says so no more.
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

/** The sandbox of the tests of a file. */
export function useSandbox(): Sandbox {
  const sandbox = {} as Sandbox;
  test.beforeAll(async () => void Object.assign(sandbox, await startSandbox()));
  test.afterAll(() => (sandbox as Partial<Sandbox>).stop?.());
  return sandbox;
}

/** The sandbox of the tests of a file, whose pages wait for its relay. */
export function useShop(): Sandbox {
  const sandbox = useSandbox();
  test.beforeEach(({ context }) => waitForRelay(context));
  return sandbox;
}

let shared: Promise<Sandbox> | undefined;

/** The sandbox of this worker, for tests that change nothing in it but add to it: started once, ended with the worker. */
export function sharedSandbox(): Promise<Sandbox> {
  return (shared ??= startSandbox());
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const end = out.indexOf('\n');
      if (end >= 0) resolve(out.slice(0, end));
    });
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    child.once('exit', (code) =>
      reject(new Error(`offerlet sandbox ended with ${code} before its first line: ${err}`)),
    );
  });
}
