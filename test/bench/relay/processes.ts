import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = process.cwd();
const SERVER = join(ROOT, 'test/bench/relay/server.mjs');

/** A server in a separate process. */
export interface Served {
  readonly port: number;
  /** Microseconds of processor time since its start. */
  usage(): Promise<number>;
  stop(): void;
}

/** Builds the source of the relay into one file. */
export async function buildRelay(folder: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'es2022',
      lib: { entry: join(ROOT, 'src/relay.ts'), formats: ['es'], fileName: () => 'relay.mjs' },
    },
  });
  return join(folder, 'relay.mjs');
}

/** Starts a server of `server.mjs`. */
export async function serve(args: string[]): Promise<Served> {
  const child = fork(SERVER, args, { execArgv: ['--expose-gc'] });
  const { port } = await hear<{ port: number }>(child);
  return {
    port,
    usage: () => {
      const answer = hear<number>(child);
      child.send('usage');
      return answer;
    },
    stop: () => void child.kill(),
  };
}

/** What a process of `server.mjs` that only measures has to say. */
export function measure(args: string[]): Promise<string> {
  return hear<string>(fork(SERVER, args, { execArgv: ['--expose-gc'] }));
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
