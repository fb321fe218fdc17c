// @vitest-environment happy-dom
import { beforeEach, expect, test } from 'vitest';
import { forgetAll, openMemory } from '../../src/page/memory.ts';

const DAY = 24 * 3_600_000;
let now = 1_000;
const open = (key?: string) => openMemory(key, undefined, () => now);
beforeEach(() => {
  localStorage.clear();
  now = 1_000;
});

test('an answer is recalled within a day, in another tab too, and not after it', () => {
  open('offerlet:1').keep({ session_id: 's' });
  now += DAY - 1;
  expect(open('offerlet:1').recall()).toEqual({ session_id: 's' });
  now += 1;
  expect(open('offerlet:1').recall()).toBeUndefined();
});

test('a name comes once, whoever asks, until the answer is forgotten', () => {
  expect(open('offerlet:1').once('VIEW')).toBe(true);
  expect(open('offerlet:1').once('VIEW')).toBe(false);
  expect(open('offerlet:1').has('VIEW')).toBe(true);
  expect(open('offerlet:2').once('VIEW')).toBe(true);
  now += DAY;
  expect(open('offerlet:1').once('VIEW')).toBe(true);
});

test('without a key it lasts as long as the page and stores nothing', () => {
  const memory = open();
  memory.keep({ session_id: 's' });
  expect(memory.once('VIEW')).toBe(true);
  expect(memory.once('VIEW')).toBe(false);
  expect(localStorage.length).toBe(0);
});

test('storage that throws costs only the memory across pages', () => {
  const blocked = (): Storage => {
    throw new Error('blocked');
  };
  const memory = openMemory('offerlet:1', blocked);
  memory.keep({ session_id: 's' });
  expect(memory.once('VIEW')).toBe(true);
  expect(memory.once('VIEW')).toBe(false);
  expect(() => forgetAll(blocked)).not.toThrow();
});

test('garbage, a foreign value and a date in the far future count as nothing', () => {
  for (const text of ['{', 'null', '[]', '{"at":"x"}', `{"at":${now + 2 * DAY},"answer":1}`]) {
    localStorage.setItem('offerlet:1', text);
    expect(open('offerlet:1').recall()).toBeUndefined();
  }
});

test('an answer above 100,000 characters is not kept', () => {
  open('offerlet:1').keep({ text: 'x'.repeat(100_000) });
  expect(localStorage.length).toBe(0);
});

test('keeping one order sweeps what is older than a day, and nothing of anybody else', () => {
  open('offerlet:1').keep({});
  localStorage.setItem('shop', 'theirs');
  now += DAY;
  open('offerlet:2').keep({});
  expect(Object.keys(localStorage).toSorted()).toEqual(['offerlet:2', 'shop']);
});

test('forgetAll empties every order, and nothing of anybody else', () => {
  open('offerlet:1').keep({});
  localStorage.setItem('shop', 'theirs');
  forgetAll();
  expect(Object.keys(localStorage)).toEqual(['shop']);
});
