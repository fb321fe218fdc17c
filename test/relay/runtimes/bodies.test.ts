import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { toNode } from '../../../src/relay.ts';
import { event, REQUEST, setUp } from '../scriptedNetwork.ts';
import { serve, type Served } from '../../fixtures/serve.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function dial(): Promise<Socket> {
  served ??= await serve(toNode(setUp().relay));
  const { port } = served;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket)).on('error', reject);
  });
}

/** Everything that comes back until the other side hangs up. */
function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => resolve(got));
  });
}

const HEAD = 'POST /recommendations HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const CHUNK = `1000\r\n${'x'.repeat(4_096)}\r\n`;

test.each([
  ['fast', 0],
  ['slow', 4],
])('a %s sender of an unannounced body above the limit can read its 413', async (_, waitMs) => {
  const socket = await dial();
  const answer = readAll(socket);
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  for (let sent = 0; sent < 80 * 1024; sent += 4_096) {
    await new Promise((resolve, reject) =>
      socket.write(CHUNK, (error) => (error ? reject(error) : resolve(undefined))),
    );
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  socket.write('0\r\n\r\n');
  expect(await answer).toMatch(
    /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*"The request body is larger than 16384 bytes\."\}$/i,
  );
});

test('the connection of a sender that continues after its 413 is closed', async () => {
  const socket = await dial();
  const answer = readAll(socket);
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(5)}`);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
});

test('the limit is 16 KiB for recommendations and 64 KiB for a batch', async () => {
  const { relay } = setUp();
  const ask = async (path: string, body: object, size: number): Promise<number> => {
    const request = new Request(`https://shop.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body).padEnd(size, ' '),
    });
    return (await relay(request)).status;
  };
  expect(await ask('/recommendations', REQUEST, 16 * 1024)).toBe(200);
  expect(await ask('/recommendations', REQUEST, 16 * 1024 + 1)).toBe(413);
  expect(await ask('/events/batch', { events: [event()] }, 64 * 1024)).toBe(202);
  expect(await ask('/events/batch', { events: [event()] }, 64 * 1024 + 1)).toBe(413);
});

test('an announced size above the limit is a 413 before anything is read', async () => {
  const socket = await dial();
  const answer = readAll(socket);
  socket.write(`${HEAD}Content-Length: 100000000\r\n\r\n{`);
  expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
});

test('an unannounced body is cut off after at most 256 KiB', async () => {
  const statuses: number[] = [];
  const answer = toNode(setUp().relay);
  const server = createServer((incoming, outgoing) => {
    outgoing.on('finish', () => statuses.push(outgoing.statusCode));
    answer(incoming, outgoing);
  });
  const bytesRead = new Promise<number>((resolve) => {
    server.on('connection', (socket) => socket.on('close', () => resolve(socket.bytesRead)));
  });
  served = await serve(server);
  const socket = connect(served.port, '127.0.0.1').on('error', () => undefined);
  socket.write(`${HEAD.replace('recommendations', 'events/batch')}Transfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => socket.write(CHUNK), 1);
  expect(await bytesRead).toBeLessThanOrEqual(256 * 1024);
  clearInterval(timer);
  socket.destroy();
  expect(statuses).toEqual([413]);
});

test('a body that arrives too slowly is a 408', async () => {
  const { relay: slow } = setUp({ timeouts: { body: 80 } });
  served = await serve(toNode(slow));
  const socket = await dial();
  const answer = readAll(socket);
  socket.write(`${HEAD}Content-Length: 100\r\n\r\n{`);
  expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
  const stream = new Request('https://shop.example/recommendations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  expect((await slow(stream)).status).toBe(408);
});
