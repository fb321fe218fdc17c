import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from '@playwright/test';
import type { Sandbox } from '../drivers/sandbox.ts';

const CLI = fileURLToPath(new URL('../../../packages/operator/dist/operator/cli.js', import.meta.url));

/** A console in a separate process, as `offerlet-operator console` starts it. */
export interface StartedConsole {
  readonly url: string;
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

/** Starts `offerlet-operator console` for a network, at another time than the machine's with `now`. */
export async function startConsole(options: {
  network: string;
  key: string;
  words?: readonly string[];
  now?: string;
}): Promise<StartedConsole> {
  const words = ['console', '--network', options.network, '--port', '0', '--json', ...(options.words ?? [])];
  const ahead = options.now ? Date.parse(options.now) - Date.now() : 0;
  const clock = `const { now } = Date; Date = class extends Date { constructor(...at) { super(...(at.length ? at : [Date.now()])); } };
Date.now = () => now() + ${ahead};`;
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(clock)}`, CLI, ...words],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, OFFERLET_API_KEY: options.key },
    },
  );
  const [chunk] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`offerlet-operator console ended with ${code} before its first line`);
    }),
  ])) as [Buffer];
  const { url } = JSON.parse(chunk.toString().split('\n')[0] ?? '') as { url: string };
  return {
    url,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Starts one for the tests of a file. */
export function useConsole(sandbox: Sandbox): { readonly url: string } {
  let own: StartedConsole | undefined;
  test.describe.configure({ mode: 'default' }); // one network serves them all
  test.beforeAll(async () => {
    own = await startConsole({ network: sandbox.network, key: sandbox.keys.management });
  });
  test.afterAll(() => own?.stop());
  return {
    get url() {
      return own?.url ?? '';
    },
  };
}

/** Runs a command of `offerlet` and returns what it prints, byte for byte. */
export async function runCommand(words: readonly string[], key: string): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, OFFERLET_API_KEY: key },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

/** Calls a control of the sandbox network. */
export async function control(network: string, path: string, body?: object, method = 'POST'): Promise<unknown> {
  const response = await fetch(`${network}/sandbox/${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /sandbox/${path} returned ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
