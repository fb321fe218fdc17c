import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { CONTAINER } from '../lock/contenders.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The `offerlet` command, built from the source as it is. */
export interface Command {
  /**
   * Starts `offerlet` with arguments, in an environment with nothing but `env` and the path; `isContained`: as process 1
   * of a new pid namespace, as in a container.
   */
  start(args: readonly string[], how?: { env?: Record<string, string>; isContained?: boolean }): Running;
  /** The file that Node runs. */
  readonly file: string;
  remove(): Promise<void>;
}

/** A process of the command. */
export interface Running {
  /** The URL in the first line of output, which is JSON with `--json` and text without. Fails when the process ends before. */
  readonly url: Promise<string>;
  /** The exit code; `null` after a signal. */
  readonly ended: Promise<number | null>;
  /** The first line of its standard output. */
  line(): string;
  /** All that it wrote to both streams. */
  output(): string;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Builds a command into a folder from which the packages of the project are found. */
export async function buildCommand(entry = 'src/cli.ts'): Promise<Command> {
  const folder = await mkdtemp(join(ROOT, 'node_modules', '.offerlet-command-'));
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'silent',
    publicDir: false,
    build: {
      outDir: folder,
      minify: false,
      target: 'es2022',
      lib: { entry: join(ROOT, entry), formats: ['es'], fileName: () => 'cli.mjs' },
      rolldownOptions: { external: (id) => !id.startsWith('.') && !id.startsWith('/') },
    },
  });
  return {
    start(args, { env = {}, isContained = false } = {}) {
      const command = [process.execPath, join(folder, 'cli.mjs'), ...args];
      const [program = '', ...rest] = isContained ? [...CONTAINER, ...command] : command;
      return follow(
        spawn(program, rest, {
          env: { PATH: process.env['PATH'] ?? '', ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
    },
    file: join(folder, 'cli.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function urlIn(line: string): string {
  if (line.startsWith('{')) return (JSON.parse(line) as { url: string }).url;
  return /http:\S+/.exec(line)?.[0] ?? '';
}

function follow(child: ChildProcessByStdio<null, Readable, Readable>): Running {
  let out = '';
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      output += chunk.toString();
      if (out.includes('\n')) resolve(urlIn(out.slice(0, out.indexOf('\n'))));
    });
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    void ended.then((code) => reject(new Error(`The command ended with ${code}: ${output}`)));
  });
  url.catch(() => undefined);
  return {
    url,
    ended,
    line: () => out.split('\n', 1)[0] ?? '',
    output: () => output,
    kill: (signal) => void child.kill(signal),
  };
}
