import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { open, runLoad, type Load } from './relay/load.ts';

const ROOT = process.cwd();
const SERVER = join(ROOT, 'test/bench/relay/server.mjs');
const SESSION = '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10';
const MB = 1024 * 1024;

interface Served {
  readonly port: number;
  memory(): Promise<{ rss: number; heapUsed: number }>;
  stop(): void;
}

/** `npm run bench -- relay [seconds per run]`: the relay next to a bare node:http pass-through, in turns. */
export async function run(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? 4);
  const rounds = Number(args[1] ?? 3);
  const folder = await mkdtemp(join(tmpdir(), 'offerlet-bench-'));
  const served: Served[] = [];
  try {
    const relayModule = await buildRelay(folder);
    const network = await serve(['network']);
    served.push(network);
    const address = `http://127.0.0.1:${network.port}`;
    const bare = await serve(['bare', address]);
    served.push(bare);
    const relay = await serve(['relay', address, relayModule]);
    served.push(relay);
    console.log(
      `relay and bare node:http pass-through in turns, ${rounds} × ${seconds} s each, 16 connections, each in a process of its own`,
    );
    for (const [path, body] of [
      ['/recommendations', question],
      ['/events/batch', batch],
    ] as const) {
      await compare({ path, body, seconds, rounds, ports: { bare: bare.port, relay: relay.port } });
    }
    await measureConnections(relay);
    await measureGrowth(relay, seconds);
  } finally {
    for (const each of served) each.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(options: {
  path: string;
  body: () => string;
  seconds: number;
  rounds: number;
  ports: { bare: number; relay: number };
}): Promise<void> {
  const { path, body, seconds, rounds, ports } = options;
  const runs: { bare: Load[]; relay: Load[] } = { bare: [], relay: [] };
  for (const port of [ports.bare, ports.relay]) await runLoad({ port, path, body, connections: 16, seconds: 1 });
  for (let round = 0; round < rounds; round++) {
    for (const who of ['bare', 'relay'] as const) {
      runs[who].push(await runLoad({ port: ports[who], path, body, connections: 16, seconds }));
    }
  }
  console.log(`\n${path}${path === '/events/batch' ? ' (20 events)' : ''}`);
  for (const who of ['bare', 'relay'] as const) {
    const rates = runs[who].map((load) => Math.round(load.perSecond)).sort((a, b) => a - b);
    const p99 = runs[who].map((load) => load.p99.toFixed(1)).sort((a, b) => Number(a) - Number(b));
    const failed = runs[who].reduce((sum, load) => sum + load.failed, 0);
    console.log(`  ${who.padEnd(6)} ${rates.join(' / ')} requests/s   p99 ${p99.join(' / ')} ms   failed ${failed}`);
  }
  const ratio = median(runs.relay.map((load) => load.perSecond)) / median(runs.bare.map((load) => load.perSecond));
  const slower = median(runs.relay.map((load) => load.p99)) / median(runs.bare.map((load) => load.p99));
  console.log(
    `  relay / bare: ${ratio.toFixed(2)} × requests/s (goal ≥ 0.75), ${slower.toFixed(2)} × p99 (goal ≤ 1.5)`,
  );
}

async function measureConnections(relay: Served): Promise<void> {
  const before = await relay.memory();
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => open(relay.port)));
  const started = performance.now();
  const load = await runLoad({
    port: relay.port,
    path: '/recommendations',
    body: question,
    connections: 1,
    seconds: 0.2,
  });
  const took = performance.now() - started;
  const after = await relay.memory();
  for (const socket of sockets) socket.destroy();
  console.log(
    `\n1,000 idle connections: + ${((after.rss - before.rss) / MB).toFixed(1)} MB resident; good requests beside them p99 ${load.p99.toFixed(1)} ms (${took.toFixed(0)} ms in all)`,
  );
}

/** As many batches as 100 shoppers a second for 10 minutes send, as fast as they go. */
async function measureGrowth(relay: Served, seconds: number): Promise<void> {
  const heaps: number[] = [];
  let batches = 0;
  for (let part = 0; part < 6; part++) {
    const load = await runLoad({
      port: relay.port,
      path: '/events/batch',
      body: batch,
      connections: 16,
      seconds: Math.max(2, seconds),
    });
    batches += Math.round(load.perSecond * Math.max(2, seconds));
    heaps.push((await relay.memory()).heapUsed / MB);
  }
  console.log(
    `${batches.toLocaleString('en')} batches (${(batches * 20).toLocaleString('en')} events) in six parts, heap after each (MB): ${heaps.map((heap) => heap.toFixed(0)).join(' ')}`,
  );
  console.log('The ids kept are bounded at 200,000: the heap rises to that and stays.');
}

function question(): string {
  return JSON.stringify({
    user_details: { email_hash: 'b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
  });
}

function batch(): string {
  const events = Array.from({ length: 20 }, () => ({
    event_id: crypto.randomUUID(),
    event_name: 'BRAND_DISPLAY',
    event_datetime: new Date().toISOString(),
    session_id: SESSION,
    initiating_target: 'INLINE_SLOT',
    brand_properties: { offer_id: 'o1', advertiser_id: 'a1', insertion_id: 'i1' },
  }));
  return JSON.stringify({ events });
}

async function buildRelay(folder: string): Promise<string> {
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

async function serve(args: string[]): Promise<Served> {
  const child = fork(SERVER, args, { execArgv: ['--expose-gc'] });
  const { port } = await hear<{ port: number }>(child);
  return {
    port,
    memory: () => {
      const answer = hear<{ rss: number; heapUsed: number }>(child);
      child.send('memory');
      return answer;
    },
    stop: () => void child.kill(),
  };
}

function hear<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`The process ended with ${code}.`)));
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
