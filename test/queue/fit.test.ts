import { expect, it } from 'vitest';
import { batchSize as sizeOf, overflow } from '../../src/queue/fit.ts';
import { rowKey } from '../../src/queue/key.ts';

const batchSize = (keys: readonly string[], ...rest: number[]): number =>
  sizeOf(
    keys.map((key) => [key]),
    ...rest,
  );
const keys = (count: number, bytes: number, isClick = false): string[] =>
  Array.from({ length: count }, (_, n) => rowKey(1e12 + n, 'abcd', isClick, bytes, n));

it('a batch has at most 20 events', () => {
  expect(batchSize(keys(19, 300))).toBe(19);
  expect(batchSize(keys(20, 300))).toBe(20);
  expect(batchSize(keys(21, 300))).toBe(20);
});
it('a batch has at most 48 KB', () => {
  expect(batchSize(keys(20, 5_000))).toBe(9);
  expect(batchSize(keys(20, 2_456))).toBe(20);
  expect(batchSize(keys(3, 60_000))).toBe(0);
});
it('half a batch is as many events as were asked for', () => {
  expect(batchSize(keys(20, 300), 3)).toBe(3);
});
it('a batch fits what keepalive has left', () => {
  expect(batchSize(keys(20, 300), 20, 1_000)).toBe(3);
});
it('nothing has to go from 1,000 events of the usual size', () => {
  expect(overflow(keys(1_000, 400)).drop).toEqual([]);
});
it('the oldest displays go before any click', () => {
  const [clicks, displays] = [keys(600, 400, true), keys(500, 400)];
  expect(overflow([...clicks, ...displays]).drop.sort()).toEqual(displays.slice(0, 100));
});
it('the oldest clicks go when there is nothing else', () => {
  expect(overflow(keys(1_003, 400, true)).drop.sort()).toEqual(keys(3, 400, true));
});
it('2 MiB are the other limit', () => {
  const { drop } = overflow(keys(300, 10_000));
  expect(300 - drop.length).toBe(Math.floor((2 * 1024 * 1024) / 10_000));
});
