import { expect, test } from 'vitest';
import { isObject, own, parseJson } from '../../src/wire/json.ts';

test('only objects are objects: not null, not arrays', () => {
  expect([{}, Object.create(null)].map(isObject)).toEqual([true, true]);
  expect([null, [], 'x', 5, undefined, true].map(isObject)).toEqual([false, false, false, false, false, false]);
});

test('only own properties are read', () => {
  const json = parseJson('{"a":1,"__proto__":2,"hasOwnProperty":3}');
  expect(['a', '__proto__', 'hasOwnProperty', 'toString', 'constructor'].map((key) => own(json, key))).toEqual([
    1,
    2,
    3,
    undefined,
    undefined,
  ]);
  expect([own(null, 'a'), own('text', 'length'), own([1], 'length'), own([1], '0')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('text that is not JSON is undefined, never an exception', () => {
  expect(['', '{', '<html>', 'undefined', '{"a":1}x'].map(parseJson)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(parseJson(' [1, null] ')).toEqual([1, null]);
});
