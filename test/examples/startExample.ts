import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../fixtures/serve.ts';
import { npmIn } from './prepare.mjs';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** A started command. */
export interface Running {
  readonly url: string;
  /** Everything that it printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a sandbox network in memory, and returns the settings of a relay in front of it as well. */
export async function startNetwork(): Promise<Running & { readonly settings: Record<string, string> }> {
  const port = await freePort();
  const args = [CLI, 'network', '--port', String(port), '--memory', '--json'];
  const running = await start({ command: process.execPath, args, port });
  // It listens before it is ready, and prints the line when it is, after its progress on a slow machine.
  let line: string | undefined;
  while ((line = /^\{.*\}$/m.exec(running.output())?.[0]) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 50));
  const { url, keys } = JSON.parse(line) as { url: string; keys: { integration: string } };
  return {
    ...running,
    settings: { OFFERLET_NETWORK: url, OFFERLET_API_KEY: keys.integration, OFFERLET_SANDBOX: 'true' },
  };
}

/** Runs a script of an example's package.json, which listens on the port in `variable`. */
export async function startScript(
  folder: string,
  script: string,
  { variable = 'PORT', ...settings }: Record<string, string>,
): Promise<Running> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ...settings, NODE_ENV: 'production', ORIGIN: url, [variable]: String(port) };
  const [command = '', ...npm] = npmIn(folder);
  return start({ command, args: [...npm, 'run', '--silent', script], port, cwd: folder, env });
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function start({ command, args, port, cwd, env }: Command): Promise<Running> {
  // A separate process group: npm does not pass every signal on to the server that it runs.
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  const url = `http://localhost:${port}`;
  const running = { url, output: () => output, stop: () => stop(child) };
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) break;
    // Any response means that it listens.
    if (await fetch(url).then(Boolean, () => false)) return running;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop(child);
  throw new Error(`${command} ${args.join(' ')} did not listen on ${url}:\n${output}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('close', resolve));
  process.kill(-child.pid, 'SIGKILL'); // asked to end, some wait for connections of the browser first
  await ended;
}
