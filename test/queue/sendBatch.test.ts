import { afterEach, expect, it, vi } from 'vitest';
import { createPost, openClock } from '../../src/queue/createPost.ts';
import { sendBatch } from '../../src/queue/openSender.ts';
import type { Send } from '../../src/queue/events.ts';
import { serve, type Served } from '../fixtures/serve.ts';

const servers: Served[] = [];

/** A server that sends a status, headers and a body. */
async function respond(status: number, body: string): Promise<{ url: string }> {
  const server = await serve((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '7' });
    response.end(body);
  });
  servers.push(server);
  return { url: `${server.url}/` };
}

afterEach(async () => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) await server.close();
});

it('a response is settled by its status as soon as the headers arrive, and a body that stalls for a second is aborted', async () => {
  vi.useFakeTimers(); // it is settled although no time passes
  for (const status of [201, 202, 400, 401, 413, 429, 500, 503]) {
    let signal: AbortSignal | undefined;
    const response = await sendBatch(
      async (_, how) => {
        ({ signal } = how);
        return new Response(new ReadableStream(), { status, headers: { 'retry-after': '7' } });
      },
      [],
      { keepalive: false },
    );
    expect(response).toMatchObject({ status, retryAfter: '7' });
    await vi.advanceTimersByTimeAsync(999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal?.aborted).toBe(true);
  }
});

it('a body that ends in time is not aborted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { url } = await respond(202, '{"results":[]}');
  let signal: AbortSignal | undefined;
  await sendBatch(async (events, how) => post(url)(events, { ...how, signal: (signal = how.signal) }), [], {
    keepalive: false,
  });
  await vi.advanceTimersByTimeAsync(1_200);
  expect(signal?.aborted).toBe(false);
});

it('the bodies of 207 and 502 are read', async () => {
  for (const status of [207, 502]) {
    const { url } = await respond(status, '{"results":[]}');
    expect(await sendBatch(post(url), [], { keepalive: false })).toMatchObject({ status, body: { results: [] } });
  }
});

it('a 207 whose body stalls counts as no response after ten seconds', async () => {
  vi.useFakeTimers();
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode('{"results":[')) });
  const settled = vi.fn();
  const response = sendBatch(async () => new Response(body, { status: 207 }), [], { keepalive: false }).finally(
    settled,
  );
  await vi.advanceTimersByTimeAsync(9_999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await response).toMatchObject({ status: 0 });
});

it('a network failure has status 0 and a reason', async () => {
  const { url } = await respond(202, '');
  await servers[0]?.close();
  expect(await sendBatch(post(url), [], { keepalive: false })).toMatchObject({
    status: 0,
    reason: expect.stringContaining('TypeError'),
  });
});

it('whatever is thrown is a failure with status 0', async () => {
  const send = (): never => {
    throw Object.create(null) as unknown;
  };
  expect(await sendBatch(send, [], { keepalive: false })).toEqual({ status: 0, reason: 'Error' });
});

function post(url: string): Send {
  return (events, how) => createPost({ clock: openClock() })(url, { events }, how);
}
