import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { createScriptedNetwork, event, KEY, REQUEST } from '../scriptedNetwork.ts';
import { posting } from '../../fixtures/posting.ts';

/** What every runtime for servers has in common. */
const WEB = {
  AbortController,
  AbortSignal,
  crypto,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  btoa,
  TextEncoder,
  URL,
  WeakMap,
  clearTimeout,
  performance,
  setTimeout,
};

/** The relay entry as one script, built for no platform in particular. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    publicDir: false,
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      lib: {
        entry: fileURLToPath(new URL('../../../src/relay.ts', import.meta.url)),
        formats: ['iife'],
        name: 'relay',
      },
      rolldownOptions: { platform: 'neutral' },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output)) throw new Error('Nothing was built.');
  expect(output.output).toHaveLength(1);
  return output.output[0].code;
}

test('the relay is one file without an import, and works where only Web APIs are', async () => {
  const code = await bundle();
  expect(code).not.toMatch(/\bimport\s*\(|\brequire\s*\(|from\s*["']node:/);
  const network = createScriptedNetwork();
  const realm = createContext({ ...WEB, fetch: network.fetch });
  runInContext(`${code};globalThis.relay = relay`, realm);
  expect(runInContext('typeof process + typeof Buffer + typeof require', realm)).toBe('undefinedundefinedundefined');
  const answer = runInContext(
    `relay.createRelay({ apiKey: '${KEY}', version: '1.0.0', networkUrl: 'https://network.example', basePath: '/offers' })`,
    realm,
  ) as (request: Request) => Promise<Response>;
  const post = (path: string, body: unknown): Request =>
    new Request(`https://shop.example/offers${path}`, posting(body));

  expect(
    (await answer(post('/recommendations', { ...REQUEST, user_details: { email: 'ada@example.com' } }))).status,
  ).toBe(200);
  const batch = { events: [event(), event({ event_name: 'CONVERSION' })] };
  expect((await answer(post('/events/batch', batch))).status).toBe(207);
  expect((await answer(post('/events', batch.events[0]))).status).toBe(201);
  expect(network.calls.map((call) => call.path)).toEqual(['/recommendations', '/events/batch']);
});

test('where there are no files, a store in a file says what to use instead', async () => {
  const realm = createContext({ ...WEB });
  runInContext(`${await bundle()};globalThis.relay = relay`, realm);
  await expect(runInContext("relay.openDedupeFile('/data')", realm) as Promise<unknown>).rejects.toThrow(
    /keep accepted events in memory or in Redis/,
  );
});
