// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';
import {
  forgetOrders,
  openOrderMemory,
  type DurableNotes,
  type OrderMemory,
} from '../../src/session/sessionStorage.ts';

const DAY = 24 * 3_600_000;
const KEY = 'offerlet:1';
let now = 1_000;
let stored = new Map<string, unknown>();
const notes: DurableNotes = {
  read: async (key) => stored.get(key),
  async update(key, change) {
    stored.set(key, change(stored.get(key)));
  },
  async sweep(isFresh) {
    for (const [key, value] of stored) if (!isFresh(value)) stored.delete(key);
  },
};
const blocked = (): Storage => {
  throw new Error('blocked');
};
const open = (key?: string, storage = () => localStorage, kept: DurableNotes | undefined = notes): OrderMemory =>
  openOrderMemory({ key, notes: () => kept, syncStorage: storage, now: () => now });
beforeEach(() => {
  localStorage.clear();
  stored = new Map();
  now = 1_000;
});

test('a response is recalled within a day, even in another tab, and not after it', async () => {
  await open(KEY).keep({ session_id: 's' });
  now += DAY - 1;
  expect(await open(KEY).recall()).toEqual({ session_id: 's' });
  now += 1;
  expect(await open(KEY).recall()).toBeUndefined();
});

test('a name is new once, for any caller, until the order is forgotten', async () => {
  expect(open(KEY).once('VIEW')).toBe(true);
  expect(open(KEY).once('VIEW')).toBe(false);
  expect(await open(KEY).has('VIEW')).toBe(true);
  expect(open('offerlet:2').once('VIEW')).toBe(true);
  now += DAY;
  expect(open(KEY).once('VIEW')).toBe(true);
});

test('what a killed browser had not yet written to localStorage is found in the notes', async () => {
  const memory = open(KEY);
  await memory.keep({ session_id: 's' });
  memory.once('closed');
  localStorage.clear();
  const next = open(KEY);
  expect(await next.recall()).toEqual({ session_id: 's' });
  expect(await next.has('closed')).toBe(true);
  expect(next.once('closed')).toBe(false);
});

test('where there is no IndexedDB, localStorage alone remembers; where both are blocked, the page does', async () => {
  const memory = openOrderMemory({ key: KEY, notes: () => undefined, now: () => now });
  await memory.keep({ session_id: 's' });
  expect(await openOrderMemory({ key: KEY, notes: () => undefined, now: () => now }).recall()).toEqual({
    session_id: 's',
  });
  const alone = openOrderMemory({ key: KEY, notes: () => undefined, syncStorage: blocked, now: () => now });
  await alone.keep({ session_id: 's' });
  expect([alone.once('VIEW'), alone.once('VIEW'), await alone.recall()]).toEqual([true, false, { session_id: 's' }]);
});

test('an order that was shown in one tab and dismissed in another is both', async () => {
  const [first, second] = [open(KEY), open(KEY, blocked)];
  await first.keep({ session_id: 's' });
  second.once('closed');
  first.once('VIEW');
  const next = open(KEY, blocked);
  expect([await next.recall(), await next.has('closed'), await next.has('VIEW')]).toEqual([
    { session_id: 's' },
    true,
    true,
  ]);
});

test('without a key it lasts as long as the page and stores nothing', async () => {
  const memory = open();
  await memory.keep({ session_id: 's' });
  expect(memory.once('VIEW')).toBe(true);
  expect(memory.once('VIEW')).toBe(false);
  expect([localStorage.length, stored.size]).toEqual([0, 0]);
});

test('garbage and a date in the far future count as nothing', async () => {
  const future = { at: now + 2 * DAY, response: 1, seen: [] };
  for (const kept of ['{', null, [], { at: 'x' }, { at: now, response: 1 }, future]) {
    localStorage.setItem(KEY, JSON.stringify(kept));
    stored.set(KEY, kept);
    expect(await open(KEY).recall(), JSON.stringify(kept)).toBeUndefined();
  }
});

test('a response above 100,000 characters is not stored', async () => {
  await open(KEY).keep({ text: 'x'.repeat(100_000) });
  expect([localStorage.length, stored.size]).toEqual([0, 0]);
});

test('soon after an order was stored, older ones than a day are removed, and nothing of other scripts', async () => {
  await open(KEY).keep({});
  localStorage.setItem('shop', 'theirs');
  now += DAY;
  await open('offerlet:2').keep({});
  await vi.waitFor(() => expect(Object.keys(localStorage).toSorted()).toEqual(['offerlet:2', 'shop']), 5_000);
  expect([...stored.keys()]).toEqual(['offerlet:2']);
});

test('forgetOrders removes every order, and nothing of other scripts', async () => {
  await open(KEY).keep({});
  localStorage.setItem('shop', 'theirs');
  forgetOrders();
  expect(Object.keys(localStorage)).toEqual(['shop']);
});

test.each([
  ['destroy', true],
  ['denied', false],
])('an order that is being stored when its mount ends by "%s" is remembered: %s', async (how, isRemembered) => {
  const ending = new AbortController();
  const memory = openOrderMemory({
    key: KEY,
    notes: () => ({ ...notes, update: async () => ending.abort(how) }),
    now: () => now,
    signal: ending.signal,
  });
  await memory.keep({ session_id: 's' });
  expect(localStorage.getItem(KEY) !== null).toBe(isRemembered);
});
