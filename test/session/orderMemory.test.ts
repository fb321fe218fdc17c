// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest';
import { clearOrders, localOrders, openOrderMemory, type OrderMemory } from '../../src/session/orderMemory.ts';

const DAY = 24 * 3_600_000;
const KEY = 'offerlet:1';
const NEVER = new AbortController().signal;
let now = 1_000;
beforeEach(() => {
  localStorage.clear();
  now = 1_000;
});
/** The memory of a page that has just been opened. */
const open = async (key?: string): Promise<OrderMemory> => {
  const memory = openOrderMemory({ key, store: localOrders, signal: NEVER, now: () => now });
  await memory.recall();
  return memory;
};
/** Waits until a page knows that `once` was called on another one. */
const remembered = (name: string, page?: OrderMemory): Promise<void> =>
  vi.waitFor(async () => expect(await (page ?? (await open(KEY))).has(name)).toBe(true));

test('a response is recalled within a day, even in another tab, and not after it', async () => {
  await (await open(KEY)).keep({ session_id: 's' });
  now += DAY - 1;
  expect(await (await open(KEY)).recall()).toEqual({ session_id: 's' });
  now += 1;
  expect(await (await open(KEY)).recall()).toBeUndefined();
});

test('a name is new once, for any caller, until the order is forgotten', async () => {
  expect((await open(KEY)).once('VIEW')).toBe(true);
  await remembered('VIEW');
  expect((await open(KEY)).once('VIEW')).toBe(false);
  expect((await open('offerlet:2')).once('VIEW')).toBe(true);
  now += DAY;
  expect((await open(KEY)).once('VIEW')).toBe(true);
});

test('a name is remembered beyond the page only once what it stands for is written', async () => {
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => (write = resolve));
  const memory = await open(KEY);
  expect([memory.once('VIEW', () => written), memory.once('VIEW')]).toEqual([true, false]);
  await memory.keep({ session_id: 's' });
  expect((await open(KEY)).once('VIEW')).toBe(true);
  write();
  await remembered('VIEW');
});

test('where storage is blocked, the page remembers', async () => {
  vi.stubGlobal('localStorage', undefined);
  const memory = await open(KEY);
  await memory.keep({ session_id: 's' });
  expect(await memory.recall()).toEqual({ session_id: 's' });
  expect([memory.once('VIEW'), memory.once('VIEW')]).toEqual([true, false]);
});

test('an order that was shown in one tab and dismissed in another is both', async () => {
  const [one, other] = [await open(KEY), await open(KEY)];
  await one.keep({ session_id: 's' });
  other.once('closed');
  await remembered('closed', one);
  expect(await other.recall()).toEqual({ session_id: 's' });
});

test('without a key it lasts as long as the page and stores nothing', async () => {
  const memory = await open();
  await memory.keep({ session_id: 's' });
  expect([memory.once('VIEW'), memory.once('VIEW')]).toEqual([true, false]);
  expect(await memory.recall()).toEqual({ session_id: 's' });
  expect(localStorage.length).toBe(0);
});

test.each(['null', '[]', '{"at":1000}', 'x', `{"at":${5 * DAY},"seen":[],"response":1}`])(
  '%s in storage counts as nothing',
  async (text) => {
    localStorage.setItem(KEY, text);
    const memory = await open(KEY);
    expect(await memory.recall()).toBeUndefined();
    expect(memory.once('VIEW')).toBe(true);
  },
);

test('a response above 100,000 characters is not stored', async () => {
  await (await open(KEY)).keep({ text: 'x'.repeat(100_001) });
  expect(await (await open(KEY)).recall()).toBeUndefined();
});

test('once consent was withdrawn, a request that ends and what is seen store nothing', async () => {
  const consent = new AbortController();
  const memory = openOrderMemory({ key: KEY, store: localOrders, signal: consent.signal });
  consent.abort();
  await memory.keep({ session_id: 's' });
  expect([memory.once('VIEW'), localStorage.length]).toEqual([true, 0]);
});

test('soon after an order was stored, older ones than a day are removed, and nothing of other scripts', async () => {
  vi.useFakeTimers();
  await (await open('offerlet:old')).keep(1);
  localStorage.setItem('cart', '1');
  now += DAY;
  await (await open(KEY)).keep(1);
  await vi.advanceTimersByTimeAsync(500);
  expect(Object.keys(localStorage).toSorted()).toEqual(['cart', KEY]);
  vi.useRealTimers();
});

test('clearOrders removes every order, and nothing of other scripts', async () => {
  await (await open(KEY)).keep(1);
  localStorage.setItem('cart', '1');
  clearOrders();
  expect(Object.keys(localStorage)).toEqual(['cart']);
});
