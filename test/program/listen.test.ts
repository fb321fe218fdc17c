import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { listen, type Listening } from '../../src/program/listen.ts';

let server: Listening | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await server?.close();
  server = undefined;
});

const portOf = ({ url }: Listening): number => Number(new URL(url).port);

/** Sends text and returns the status line of what comes back. */
async function exchange(text: string): Promise<string> {
  server ??= await listen((_, response) => response.end('fine'), { port: 0 });
  const socket = connect(portOf(server), '127.0.0.1');
  socket.write(text);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString().split('\r\n', 1)[0] ?? '';
}

test('a port in use is blamed on the option that it came from', async () => {
  server = await listen(() => undefined, { port: 0 });
  const port = portOf(server);
  const again = (portOption?: string): Promise<unknown> => listen(() => undefined, { port, portOption });
  await expect(again()).rejects.toThrow(
    `Port ${port} is in use. Stop the other program, or use another port with --port.`,
  );
  await expect(again('--network-port')).rejects.toThrow('use another port with --network-port.');
});

test('a client that asks and does not read is hung up on, one that reads slowly is not', async () => {
  const timers = vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const handled: unknown[] = [];
  server = await listen(
    ({ socket }, response) => {
      handled.push(socket.remotePort);
      response.end('x'.repeat(1024 * 1024));
    },
    { port: 0 },
  );
  const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const [idle, slow] = [0, 1].map(() => connect(portOf(server as Listening), '127.0.0.1')) as [Socket, Socket];
  const closed = { idle: false, slow: false };
  idle.on('close', () => (closed.idle = true)).on('error', () => undefined);
  slow.on('close', () => (closed.slow = true)).on('error', () => undefined);
  idle.write(ask.repeat(20));
  slow.write(ask.repeat(20));
  let read = 0;
  slow.on('data', ({ byteLength }: Buffer) => (read += byteLength));
  await vi.waitFor(() => expect(read).toBeGreaterThan(20 * 1024 * 1024));
  expect(handled.filter((port) => port === idle.localPort).length).toBeLessThan(15); // what the kernel holds, and one
  slow.write(ask);
  timers.advanceTimersByTime(28_000);
  await pause(20);
  expect(closed).toEqual({ idle: false, slow: false });
  timers.advanceTimersByTime(6_000);
  idle.resume(); // what was on its way arrives, and then the end
  await vi.waitFor(() => expect(closed.idle).toBe(true));
  expect(closed.slow).toBe(false);
  slow.destroy();
});

test('a client that pipelines few requests gets their responses in order, one that never ends is hung up on', async () => {
  let isHeld = true;
  const held: (() => void)[] = [];
  server = await listen(
    ({ url = '' }, response) => {
      const send = (): unknown => response.end(url);
      if (isHeld) held.push(send);
      else send();
    },
    { port: 0 },
  );
  const [few, many] = [0, 1].map(() => connect(portOf(server as Listening), '127.0.0.1')) as [Socket, Socket];
  let received = '';
  few.on('data', (chunk: Buffer) => (received += chunk.toString()));
  many.on('error', () => undefined);
  few.write(Array.from({ length: 60 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  many.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1_000));
  await once(many, 'close');
  expect(held).toHaveLength(2);
  isHeld = false;
  held.forEach((send) => send());
  await vi.waitFor(() => expect(received).toMatch(/\/59$/));
  expect(received.match(/^\/\d+(?=HTTP|$)/gm)).toEqual(Array.from({ length: 60 }, (_, at) => `/${at}`));
});

test('a request is refused that has more headers than are kept, or two hosts, and stderr has that once', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const head = 'GET / HTTP/1.1\r\nHost: a\r\n';
  expect(await exchange(`${head}${'x:\r\n'.repeat(1_200)}X-Forwarded-For: 192.0.2.1\r\n\r\n`)).toMatch(/ 431 /);
  expect(await exchange(`${head}host: 127.0.0.1\r\n\r\n`)).toMatch(/ 400 /);
  expect(await exchange(`${head}${'x:\r\n'.repeat(900)}\r\n`)).toMatch(/ 200 /);
  expect(error.mock.calls.join()).toMatch(/^Refused with status 431[^\n]*two Host headers, or 1,000 headers[^\n]*$/);
  error.mockRestore();
});

test('a stopping server finishes requests in progress and accepts no new ones', async () => {
  let held: ServerResponse | undefined;
  server = await listen((_, response) => void (held = response), { port: 0 });
  const underWay = exchange('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await vi.waitFor(() => expect(held).toBeDefined());
  const closed = server.close();
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  held?.end('fine');
  expect(await underWay).toMatch(/ 200 /);
  await closed;
});
