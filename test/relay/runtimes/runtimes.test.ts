import { afterEach, describe, expect, test } from 'vitest';
import { RESPONSE, event, KEY, REQUEST } from '../scriptedNetwork.ts';
import { openModelNetwork, serveNetwork } from '../../client/modelNetwork.ts';
import { IS_LONG } from '../../fixtures/effort.ts';
import { serve, type Served } from '../../fixtures/serve.ts';
import { bringRuntime } from './bringRuntime.ts';
import { runMount, type MountRun } from './runMount.ts';
import { posting } from '../../fixtures/posting.ts';

/** A runtime that npm can bring, and what a merchant would write for it. */
interface Runtime extends Pick<MountRun, 'mount' | 'files' | 'command'> {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
}

const RUNTIMES: readonly Runtime[] = [
  {
    name: 'Deno',
    packages: { deno: '2.9.6' },
    mount: 'denoBun.ts',
    command: ['node_modules/.bin/deno', 'run', '--allow-net', '--allow-env', 'server.mjs'],
    files: {
      'server.mjs': `import { mountOnDeno } from './mount.mjs';
const options = { apiKey: Deno.env.get('OFFERLET_API_KEY'), version: '1.0.0', networkUrl: Deno.env.get('OFFERLET_NETWORK') };
Deno.serve({ port: 0, hostname: '127.0.0.1' }, mountOnDeno(options));`,
    },
  },
  {
    name: 'Bun',
    packages: { bun: '1.4.5' },
    mount: 'denoBun.ts',
    command: ['node_modules/.bin/bun', 'server.mjs'],
    files: {
      'server.mjs': `import { mountOnBun } from './mount.mjs';
const options = { apiKey: process.env.OFFERLET_API_KEY, version: '1.0.0', networkUrl: process.env.OFFERLET_NETWORK };
console.log(Bun.serve({ port: 0, hostname: '127.0.0.1', ...mountOnBun(options) }).url.href);`,
    },
  },
  aWorker('2026-01-01'),
  aWorker('2026-01-01', 'nodejs_compat'),
  // `process.getBuiltinModule` is there, node:http is not.
  aWorker('2025-03-01', 'nodejs_compat'),
  aWorker('2024-06-01', 'nodejs_compat'),
  {
    name: 'Next.js',
    packages: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
    mount: 'nextRoute.ts',
    command: [process.execPath, 'node_modules/next/dist/bin/next', 'dev', '--hostname', '127.0.0.1', '--port', '0'],
    files: {
      'app/layout.js': `export default function Layout({ children }) { return children; }`,
      'app/offers/[...path]/route.js': `import { mountOnNext } from '../../../mount.mjs';
export const { GET, POST, OPTIONS } = mountOnNext({
  apiKey: () => process.env.OFFERLET_API_KEY, version: '1.0.0', networkUrl: process.env.OFFERLET_NETWORK,
});`,
    },
  },
];

/** A Worker in the engine of its platform, with a compatibility date and flags. */
function aWorker(date: string, ...flags: string[]): Runtime {
  return {
    name: `a Worker of ${[date, ...flags].join(' with ')}`,
    packages: { miniflare: '4.20260730.0' },
    mount: 'worker.ts',
    command: [process.execPath, 'server.mjs'],
    files: {
      'worker.mjs': `export { worker as default } from './mount.mjs';`,
      'server.mjs': `import { Miniflare } from 'miniflare';
const { OFFERLET_API_KEY, OFFERLET_NETWORK } = process.env;
const worker = new Miniflare({
  host: '127.0.0.1', port: 0, modules: true, modulesRules: [{ type: 'ESModule', include: ['*.mjs'] }],
  scriptPath: 'worker.mjs', bindings: { OFFERLET_API_KEY, OFFERLET_NETWORK },
  compatibilityDate: '${date}', compatibilityFlags: ${JSON.stringify(flags)},
});
console.log(String(await worker.ready));`,
    },
  };
}

let network: Served | undefined;
let running: { stop(): Promise<void> } | undefined;
afterEach(async () => {
  await running?.stop();
  await network?.close();
});

describe.skipIf(!IS_LONG)('a real runtime', () => {
  test.for(RUNTIMES)('$name runs its mount', { timeout: 400_000 }, async (runtime, { skip }) => {
    const brought = await bringRuntime(runtime.packages);
    if ('missing' in brought) {
      console.warn(`Not run on ${runtime.name}: ${brought.missing}`);
      return skip(brought.missing);
    }
    const reached: string[] = [];
    let strays = 0;
    const elsewhere = await serve((_, response) => void ((strays += 1), response.end('{}')));
    network = await serve((request, response) => {
      request.resume().on('end', () => {
        reached.push(`${request.url} ${String(request.headers['x-api-key'])}`);
        if (request.url === '/recommendations') response.writeHead(200).end(JSON.stringify(RESPONSE));
        else if (request.url === '/events') response.writeHead(307, { location: elsewhere.url }).end();
        else response.writeHead(202).end();
      });
    });
    const mounted = await runMount({
      ...runtime,
      folder: brought.folder,
      env: { OFFERLET_API_KEY: KEY, OFFERLET_NETWORK: network.url, NEXT_TELEMETRY_DISABLED: '1' },
    });
    running = mounted;
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(`${mounted.url}/offers${path}`, posting(body));

    const health = await fetch(`${mounted.url}/offers/health`);
    expect(await health.json()).toMatchObject({ status: 'ok', environment: 'staging' });
    const answer = await post('/recommendations', { ...REQUEST, user_details: { email: 'ada@example.com' } });
    expect([answer.status, answer.headers.get('cache-control'), await answer.json()]).toEqual([
      200,
      'no-store',
      RESPONSE,
    ]);
    const batch = { events: [event(), event({ asset_id: 'Grüße, 日本' })] };
    expect((await post('/events/batch', batch)).status).toBe(202);
    expect((await post('/events/batch', batch)).status, 'a repeat is known').toBe(202);
    expect((await post('/events', event())).status, 'a redirect is not followed').toBe(502);
    expect((await post('/recommendations', { ...REQUEST, pad: 'x'.repeat(20_000) })).status).toBe(413);
    expect((await fetch(`${mounted.url}/offers/events`, { method: 'OPTIONS' })).status).toBe(204);
    expect((await fetch(`${mounted.url}/offers/events`)).status).toBe(405);
    expect(reached).toEqual([`/recommendations ${KEY}`, `/events/batch ${KEY}`, `/events ${KEY}`]);
    expect(strays).toBe(0);

    // Nobody there: the failure is known as one that sent nothing, so an event is not counted as lost.
    await network.close();
    network = undefined;
    await elsewhere.close();
    expect((await post('/recommendations', REQUEST)).status).toBe(502);
  });

  const withoutNext = RUNTIMES.filter(({ name }) => name !== 'Next.js');
  test.for(withoutNext)('$name runs the client', { timeout: 400_000 }, async (runtime, { skip }) => {
    const brought = await bringRuntime(runtime.packages);
    if ('missing' in brought) return skip(brought.missing);
    const model = openModelNetwork();
    model.fault = (call) => (call === 4 ? { status: 307, headers: { location: 'https://elsewhere.example' } } : {});
    network = await serveNetwork(model);
    const env = { OFFERLET_API_KEY: KEY, OFFERLET_NETWORK: network.url };
    const mounted = await runMount({ ...runtime, ...brought, mount: '../../test/client/clientMount.ts', env });
    running = mounted;
    const [statuses, error] = (await (await fetch(mounted.url)).json()) as [string[], string];
    expect(statuses).toEqual(['stored', 'stored', 'stored']);
    expect(error).toMatch(/^UnreachableError: POST \/events was redirected/);
    expect(model.calls.map(({ path }) => path)).toEqual(['/recommendations', '/events/batch', '/events', '/events']);
    expect(JSON.stringify(model.calls[0]?.body)).not.toContain('ada@');
  });
});
