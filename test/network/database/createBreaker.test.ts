import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBreaker } from '../../../src/network/database/createBreaker.ts';
import { DatabaseUnavailableError } from '../../../src/network/database/database.ts';

const SILENT_MS = 2_000;
const PAUSE_MS = 2_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that waits, and then finds its node unavailable. */
async function waitInVain(ms: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  throw new DatabaseUnavailableError(new Error('no reply'));
}

test('work for a node that has not responded in time is refused at once, and work for others runs', async () => {
  const { run } = createBreaker(SILENT_MS);
  const first = expect(run('a', () => waitInVain(SILENT_MS))).rejects.toThrow('no reply');
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  await first;
  const work = vi.fn(async () => 'done');
  await expect(run('a', work)).rejects.toThrow('does not reply');
  await expect(run('a', work)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  expect(work).not.toHaveBeenCalled();
  expect(await run('b', work)).toBe('done');
  expect(await run(undefined, work)).toBe('done');
});

test('one at a time tries again, and once it has succeeded everything runs', async () => {
  const { run } = createBreaker(SILENT_MS);
  const first = expect(run('a', () => waitInVain(SILENT_MS))).rejects.toThrow('no reply');
  await vi.advanceTimersByTimeAsync(SILENT_MS + PAUSE_MS);
  await first;
  const trial = run('a', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return 'back';
  });
  await expect(run('a', async () => 'too early')).rejects.toThrow('does not reply');
  await vi.advanceTimersByTimeAsync(500);
  expect(await trial).toBe('back');
  expect(await run('a', async () => 'runs')).toBe('runs');
});

test('a node that refuses at once, and an error in a statement, keep nobody from trying', async () => {
  const { run } = createBreaker(SILENT_MS);
  await expect(run('a', () => Promise.reject(new DatabaseUnavailableError(new Error('refused'))))).rejects.toThrow();
  const slow = expect(
    run('a', async () => {
      await new Promise((resolve) => setTimeout(resolve, SILENT_MS));
      throw new Error('syntax error');
    }),
  ).rejects.toThrow('syntax error');
  await vi.advanceTimersByTimeAsync(SILENT_MS);
  await slow;
  expect(await run('a', async () => 'runs')).toBe('runs');
});
