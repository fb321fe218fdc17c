import { expect, test } from 'vitest';
import { readCappedText } from '../../src/wire/json.ts';

test('a body is read whole up to the limit, and not at all beyond it', async () => {
  expect(await readCappedText(new Response('häuser'), 7)).toBe('häuser');
  expect(await readCappedText(new Response('häuser'), 6)).toBeUndefined();
  expect(await readCappedText(new Response(null, { status: 204 }), 100)).toBe('');
});

test('a body without end is read up to the limit, and cancelled', async () => {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000).fill(97 + (sent++ % 2))),
    cancel: () => void (isCancelled = true),
  });
  expect(await readCappedText(new Response(body), 10_500)).toBeUndefined();
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(15);
});
