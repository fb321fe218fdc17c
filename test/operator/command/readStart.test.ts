import { expect, test } from 'vitest';
import { readStart } from '../../../src/operator/command/whoami.ts';

test('a response is read whole up to the limit', async () => {
  expect(await readStart(new Response('häuser'), 100)).toBe('häuser');
  expect(await readStart(new Response('häuser'), 4)).toBe('häu');
  expect(await readStart(new Response(null, { status: 204 }), 100)).toBe('');
});

test('a response without end is read up to the limit, and cancelled', async () => {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000).fill(97 + (sent++ % 2))),
    cancel: () => void (isCancelled = true),
  });
  expect(await readStart(new Response(body), 10_500)).toHaveLength(10_500);
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(15);
});
