import { expect, test } from 'vitest';
import { amountSeen, judgeVisibility, type Amount, type Visibility } from '../../src/page/visibility.ts';

const viewport = { width: 1_000, height: 800 };
const amount = (width: number, height: number, visibleHeight: number): Amount =>
  amountSeen({ width, height }, { width, height: visibleHeight }, viewport);

/** What is known after samples at the given moments. */
function after(...samples: [at: number, amount: Amount][]): Visibility {
  return samples.reduce((known, [at, amount]) => judgeVisibility(known, amount, at), { reached: 0 } as Visibility);
}

test('nothing visible is nothing, one pixel is something, half is enough', () => {
  expect(amount(300, 250, 0)).toBe(0);
  expect(amount(300, 250, 1)).toBe(1);
  expect(amount(300, 250, 124)).toBe(1);
  expect(amount(300, 250, 125)).toBe(2);
});

test('above 242,500 square pixels 30 % is enough, at 242,500 it is not', () => {
  expect(amount(970, 251, 76)).toBe(2);
  expect(amount(970, 250, 76)).toBe(1);
});

test('an element that does not fit needs half of the part that would', () => {
  expect(amount(600, 4_000, 400)).toBe(2);
  expect(amount(600, 4_000, 390)).toBe(1);
  expect(amount(200, 1_200, 402)).toBe(2);
  expect(amountSeen({ width: 4_000, height: 100 }, { width: 500, height: 100 }, viewport)).toBe(2);
});

test('a view takes one uninterrupted second', () => {
  expect(after([0, 2], [500, 2], [999, 2]).reached).toBe(1);
  expect(after([0, 2], [500, 2], [1_000, 2]).reached).toBe(2);
  expect(after([0, 2], [500, 1], [600, 2], [1_100, 2]).reached).toBe(1);
  expect(after([0, 2], [500, 0], [600, 2], [1_200, 2], [1_600, 2]).reached).toBe(2);
});

test('samples more than a second apart prove nothing', () => {
  expect(after([0, 2], [60_000, 2]).reached).toBe(1);
  expect(after([0, 2], [60_000, 2], [60_500, 2], [61_000, 2]).reached).toBe(2);
});

test('what was reached is never lost', () => {
  expect(after([0, 1], [10, 0]).reached).toBe(1);
  expect(after([0, 2], [1_000, 2], [1_100, 0]).reached).toBe(2);
});

test('a clock that steps back restarts the second', () => {
  expect(after([5_000, 2], [100, 2]).reached).toBe(1);
});
