import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface MountRun {
  /** Where the runtime is installed. */
  readonly folder: string;
  /** The file of `demo/mounts` that is run; the others find it as `mount.mjs`, bundled with the relay. */
  readonly mount: string;
  readonly files: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a mount on its runtime until it is stopped. */
export async function runMount(run: MountRun): Promise<{ url: string; stop(): Promise<void> }> {
  const { folder } = run;
  await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    resolve: { alias: { 'offerlet/relay': join(ROOT, 'src/relay.ts') } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: { entry: join(ROOT, 'demo/mounts', run.mount), formats: ['es'], fileName: () => 'mount.mjs' },
    },
  });
  for (const [name, text] of Object.entries(run.files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const [command, ...args] = run.command;
  // A separate group, because some runtimes start their own processes.
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...run.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /http:\/\/(127\.0\.0\.1|localhost):\d+/.exec(output)?.[0];
      if (found) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`${command} ended: ${output.slice(0, 2_000)}`)));
  });
  return {
    url,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}
