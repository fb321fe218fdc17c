import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../packages/operator/dist/operator/cli.js', import.meta.url));

/** Where changes are logged: never in the account that runs the tests, and apart for each worker. */
const STATE = mkdtempSync(join(tmpdir(), 'offerlet-console-'));
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }));

/** A console in a separate process, as `offerlet-operator console` starts it. */
export interface StartedConsole {
  readonly url: string;
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

/** Starts `offerlet-operator console` for a network. */
export async function startConsole(options: {
  network: string;
  key: string;
  words?: readonly string[];
  /** Where changes are logged; one folder for each worker by default. */
  state?: string;
}): Promise<StartedConsole> {
  const words = ['console', '--network', options.network, '--port', '0', '--json', ...(options.words ?? [])];
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: options.state ?? STATE, OFFERLET_API_KEY: options.key },
  });
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

/** Runs a command of `offerlet` and returns what it prints, byte for byte. */
export async function runCommand(words: readonly string[], key: string, state = STATE): Promise<string> {
  const child = spawn(process.execPath, [CLI, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, XDG_STATE_HOME: state, OFFERLET_API_KEY: key },
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
