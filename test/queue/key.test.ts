import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { byWorth, dueAt, keyTime, rowKey } from '../../src/queue/rows.ts';

const key = (time: number, isClick = false, mark = 'tab10'): string => rowKey(time, isClick, mark);
const times = fc.integer({ min: 0, max: 4e12 });

it('keys sort by time, from 1970 to 2090', () => {
  fc.assert(fc.property(times, times, (a, b) => a === b || key(a) < key(b) === a < b));
});
it('keys sort after the shared state and before the dead letters', () => {
  fc.assert(fc.property(times, (time) => key(time) > '!' && key(time) < '~'));
});
it('a key contains its time', () => {
  fc.assert(fc.property(times, (time) => keyTime(key(time)) === time));
});
it('two rows of the same time differ by kind and mark', () => {
  expect(new Set([key(1), key(1, true), key(1, false, 'tab11'), key(1, false, 'bat10')]).size).toBe(4);
});
it('a row that is due later keeps everything but its time', () => {
  const first = key(5, true);
  const later = dueAt(first, 8_000);
  expect(keyTime(later)).toBe(8_000);
  expect(dueAt(later, 5)).toBe(first);
});
it('clicks outrank displays, newer rows outrank older ones', () => {
  const [oldClick, newClick, oldShow, newShow] = [key(1, true), key(9, true), key(1), key(9)] as [
    string,
    string,
    string,
    string,
  ];
  expect([oldShow, newClick, newShow, oldClick].sort(byWorth)).toEqual([newClick, oldClick, newShow, oldShow]);
});
