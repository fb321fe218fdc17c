import { once } from 'node:events';
import { createServer as createHttp2, connect as connectHttp2, type ClientHttp2Stream } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { toNode } from '../../../src/relay.ts';
import { serve } from '../../fixtures/serve.ts';
import { REQUEST, setUp } from '../scriptedNetwork.ts';

test.each([
  ['more headers than Node keeps', `${'x:\r\n'.repeat(1_001)}x-forwarded-for: 192.0.2.1\r\n`, 431],
  ['two hosts', 'Host: other.example\r\n', 400],
])('a request with %s is refused', async (_, extra, status) => {
  const { relay, network } = setUp({ addressHeader: 'x-forwarded-for' });
  const served = await serve(toNode(relay));
  const socket = connect(served.port, '127.0.0.1');
  const body = JSON.stringify(REQUEST);
  socket.write(
    `POST /recommendations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${extra}\r\n${body}`,
  );
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  expect(chunk.toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(network.calls).toHaveLength(0);
  socket.destroy();
  await served.close();
});

test('over HTTP/2, a body that is too large is a 413 that ends its stream, and :authority is the host', async () => {
  const { relay } = setUp();
  const server = createHttp2(toNode(relay) as Parameters<typeof createHttp2>[1]);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const post = (headers: Record<string, string>): ClientHttp2Stream =>
    session.request({
      ':method': 'POST',
      ':path': '/recommendations',
      'content-type': 'application/json',
      ...headers,
    });
  const statusOf = async (stream: ClientHttp2Stream): Promise<unknown> =>
    ((await once(stream, 'response')) as [Record<string, unknown>])[0][':status'];

  const large = post({ 'content-length': '100000' }).on('error', () => undefined);
  const closed = once(large, 'close');
  large.resume().write('{');
  expect(await statusOf(large)).toBe(413);
  await closed;

  const named = { ':authority': 'shop.example', host: 'other.example' };
  const own = post({ ...named, origin: 'http://shop.example' });
  own.end(JSON.stringify(REQUEST));
  expect(await statusOf(own)).toBe(200);
  const foreign = post({ ...named, origin: 'http://other.example' });
  foreign.end(JSON.stringify(REQUEST));
  expect(await statusOf(foreign)).toBe(403);
  session.close();
  await vi.waitFor(() => expect(session.closed).toBe(true));
  server.close();
});
