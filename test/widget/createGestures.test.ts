import { expect, test } from 'vitest';
import { createGestures } from '../../src/widget/createGestures.ts';

test('a layer is deaf for 400 ms, a section is not', () => {
  let at = 1_000;
  const layer = createGestures(true, () => at);
  expect(createGestures(false, () => at).isDeaf()).toBe(false);
  expect(layer.isDeaf()).toBe(true);
  at += 399;
  expect(layer.isDeaf()).toBe(true);
  at += 1;
  expect(layer.isDeaf()).toBe(false);
});

test('repeats within 500 ms are one gesture, also when they go on and on', () => {
  let at = 0;
  const { isRepeated } = createGestures(false, () => at);
  const offer = {};
  const heard = [0, 100, 500, 900, 1_399, 1_899, 2_500].map((time) => {
    at = time;
    return !isRepeated(offer);
  });
  expect(heard).toEqual([true, false, false, false, false, true, true]);
  expect(isRepeated({})).toBe(false);
});
