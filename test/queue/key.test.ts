import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { byWorth, dueAt, keyTime, rowKey } from '../../src/queue/key.ts';

const key = (time: number, more = {}): string => {
  const { tab, isClick, count } = { tab: 'abcd', isClick: false, count: 0, ...more };
  return rowKey(time, tab, isClick, count);
};
const times = fc.integer({ min: 0, max: 4e12 });

it('what happened earlier sorts first, in 1970 as in 2090', () => {
  fc.assert(fc.property(times, times, (a, b) => a === b || key(a) < key(b) === a < b));
});
it('a key sorts behind the shared state and before the dead letters', () => {
  fc.assert(fc.property(times, (time) => key(time) > '!' && key(time) < '~'));
});
it('the time is read back from the key', () => {
  fc.assert(fc.property(times, (time) => keyTime(key(time)) === time));
});
it('two tabs and two events of one tab never share a key', () => {
  expect(new Set([key(1), key(1, { tab: 'efgh' }), key(1, { count: 1 }), key(1, { isClick: true })]).size).toBe(4);
});
it('a row that is due later keeps all but its time', () => {
  expect(dueAt(key(5, { count: 9 }), 8_000.7)).toBe(key(8_000, { count: 9 }));
});
it('clicks are worth more than displays, new ones more than old ones', () => {
  const [oldClick, newClick, oldShow, newShow] = [
    key(1, { isClick: true }),
    key(9, { isClick: true }),
    key(1),
    key(9),
  ] as [string, string, string, string];
  expect([oldShow, newClick, newShow, oldClick].sort(byWorth)).toEqual([newClick, oldClick, newShow, oldShow]);
});
