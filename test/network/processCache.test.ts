import { expect, test } from 'vitest';
import { createProcessCache } from '../../src/network/createProcessCache.ts';

test('concurrent requests share a read, but only one that began after they came', async () => {
  const cache = createProcessCache(false);
  const finish: ((value: number) => void)[] = [];
  const get = (name = 'state'): Promise<number> =>
    cache.untilCleared(name, () => new Promise<number>((resolve) => finish.push(resolve)));
  const first = get();
  // While the first read is in progress, a key may be revoked: what comes now must see that.
  const [second, third] = [get(), get()];
  const other = get('other');
  expect(finish).toHaveLength(2);
  finish[0]?.(1);
  expect(await first).toBe(1);
  await Promise.resolve();
  expect(finish).toHaveLength(3);
  const fourth = get();
  finish[2]?.(2);
  finish[1]?.(7);
  expect(await Promise.all([second, third, other])).toEqual([2, 2, 7]);
  await Promise.resolve();
  finish[3]?.(3);
  expect(await fourth).toBe(3);
  const fifth = get();
  finish[4]?.(4);
  expect(await fifth).toBe(4);
});

test('a read that fails fails for those that share it, and the next one reads again', async () => {
  const cache = createProcessCache(false);
  let reads = 0;
  const get = (): Promise<number> =>
    cache.untilCleared('state', async () => {
      reads += 1;
      if (reads < 3) throw new Error(`lost ${reads}`);
      return reads;
    });
  const results = await Promise.allSettled([get(), get(), get()]);
  expect(results.map((result) => (result.status === 'rejected' ? String(result.reason) : result.value))).toEqual([
    'Error: lost 1',
    'Error: lost 2',
    'Error: lost 2',
  ]);
  expect(await get()).toBe(3);
});

test('what has a version is read once for each, and again when a node that was behind gave an earlier one', async () => {
  const cache = createProcessCache(false);
  let reads = 0;
  const get = (wanted: string, actual = wanted): Promise<string> =>
    cache.atVersion('catalogue', wanted, async () => {
      reads += 1;
      return { version: actual, value: `${actual} ${reads}` };
    });
  expect(await Promise.all([get('one'), get('one')])).toEqual(['one 1', 'one 1']);
  expect(await get('one')).toBe('one 1');
  // The version was read on one node, the catalogue on another.
  expect(await get('two', 'one')).toBe('one 2');
  expect(await get('two')).toBe('two 3');
  expect(await get('two')).toBe('two 3');
  cache.clear();
  expect(await get('two')).toBe('two 3');
});

test('a versioned read that fails is tried again by the next request', async () => {
  const cache = createProcessCache(false);
  const failing = cache.atVersion('catalogue', 'one', async () => Promise.reject(new Error('lost')));
  await expect(failing).rejects.toThrow('lost');
  expect(await cache.atVersion('catalogue', 'one', async () => ({ version: 'one', value: 1 }))).toBe(1);
});
