import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createRelay, type Relay } from '../../../src/relay.ts';
import { ask, KEY, RESPONSE } from '../scriptedNetwork.ts';
import { selfSigned } from './selfSigned.ts';

let network: Server;
const requests: { connection: TLSSocket; isResumed: boolean; key: string | undefined }[] = [];

beforeAll(async () => {
  network = createServer(selfSigned(), (request, response) => {
    const connection = request.socket as TLSSocket;
    const key = request.headers['x-api-key']?.toString();
    requests.push({ connection, isResumed: connection.isSessionReused(), key });
    const close = request.url === '/closing/recommendations';
    request.resume().on('end', () => {
      response.writeHead(200, close ? { connection: 'close' } : {}).end(JSON.stringify(RESPONSE));
    });
  });
  network.listen(0, '127.0.0.1');
  await once(network, 'listening');
});
afterAll(() => {
  network.closeAllConnections();
  network.close();
});
afterEach(() => {
  vi.unstubAllEnvs();
  requests.length = 0;
});

function relayTo(host: string, path = ''): Relay {
  const { port } = network.address() as AddressInfo;
  return createRelay({
    apiKey: KEY,
    version: '1.0.0',
    networkUrl: `https://${host}:${port}${path}`,
    onLog: () => undefined,
  });
}

test('a network whose certificate nobody has signed gets no request, and not the key', async () => {
  for (const host of ['127.0.0.1', 'localhost']) expect((await ask(relayTo(host))).status).toBe(502);
  expect(requests).toEqual([]);
});

test.each(['127.0.0.1', 'localhost'])('over TLS to %s, a connection is used again', async (host) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const relay = relayTo(host);
  for (let i = 0; i < 3; i++) expect(await (await ask(relay)).json()).toEqual(RESPONSE);
  expect(requests.map(({ key }) => key)).toEqual([KEY, KEY, KEY]);
  expect(new Set(requests.map(({ connection }) => connection)).size).toBe(1);
});

test('a new connection resumes the TLS session of the one before', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const relay = relayTo('localhost', '/closing');
  for (let i = 0; i < 3; i++) expect((await ask(relay)).status).toBe(200);
  expect(requests.map(({ isResumed }) => isResumed)).toEqual([false, true, true]);
});
