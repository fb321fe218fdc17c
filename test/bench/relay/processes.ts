import { fork, type ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import { build } from 'vite';

const ROOT = process.cwd();
const SERVER = join(ROOT, 'test/bench/relay/server.mjs');

/** What a process holds in bytes, and has used in microseconds of processor time since its start. */
export interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly cpu: number;
}

/** A server in a separate process. */
export interface Served {
  readonly port: number;
  /** Asked for `memory`, it collects its garbage first. */
  usage(wanted: 'cpu' | 'memory'): Promise<Usage>;
  stop(): void;
}

/** Builds the relay, or another module of this tree, as it is in the source into one file. */
export async function buildModule(folder: string, entry = 'src/relay.ts'): Promise<string> {
  const file = `${basename(entry, '.ts')}.mjs`;
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: { entry: join(ROOT, entry), formats: ['es'], fileName: () => file },
    },
  });
  return join(folder, file);
}

/** Starts a server of `server.mjs`. */
export async function serve(args: string[]): Promise<Served> {
  const child = fork(SERVER, args, { execArgv: ['--expose-gc'] });
  const { port } = await hear<{ port: number }>(child);
  return {
    port,
    usage: (wanted) => {
      const answer = hear<Usage>(child);
      child.send(wanted);
      return answer;
    },
    stop: () => void child.kill(),
  };
}

function hear<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`The process ended with ${code}.`));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message as T);
    });
  });
}
