import { expect, test } from 'vitest';
import { createProcessCache } from '../../src/network/context.ts';

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
