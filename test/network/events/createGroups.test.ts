import { expect, test } from 'vitest';
import { createGroups } from '../../../src/network/events/eventStore.ts';

/** Groups whose runs end when the test says so. */
function controlled(limits = { waitMs: 600_000, size: 100 }) {
  const runs: { name: string; works: readonly string[]; end(error?: Error): void }[] = [];
  const add = createGroups<string, string>(
    (name, works) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error): void =>
          error ? reject(error) : resolve(works.map((work) => `${work} of ${works.length}`));
        runs.push({ name, works, end });
      }),
    limits,
  );
  const started = (): (readonly string[])[] => runs.map(({ works }) => works);
  return { add, runs, started };
}

test('work that arrives together runs together; what arrives while it runs is the next group', async () => {
  const { add, runs, started } = controlled();
  const first = [add('p', 'a', 1), add('p', 'b', 1)];
  await expect.poll(started).toEqual([['a', 'b']]);
  const second = [add('p', 'c', 1), add('p', 'd', 1)];
  runs[0]?.end();
  expect(await Promise.all(first)).toEqual(['a of 2', 'b of 2']);
  await expect.poll(started).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  runs[1]?.end();
  expect(await Promise.all(second)).toEqual(['c of 2', 'd of 2']);
});

test('names do not wait for each other', async () => {
  const { add, started } = controlled();
  void add('p', 'a', 1);
  await expect.poll(started).toEqual([['a']]);
  void add('q', 'b', 1);
  await expect.poll(started).toEqual([['a'], ['b']]);
});

test('work waits no longer than the limit for a group that does not end', async () => {
  const { add, started } = controlled({ waitMs: 1, size: 100 });
  void add('p', 'a', 1);
  await expect.poll(started).toEqual([['a']]);
  void add('p', 'b', 1);
  await expect.poll(started).toEqual([['a'], ['b']]);
});

test('a group that is large enough starts at once', () => {
  const { add, started } = controlled({ waitMs: 600_000, size: 30 });
  for (const work of ['a', 'b', 'c']) void add('p', work, 15);
  expect(started()).toEqual([['a', 'b']]);
});

test('an error reaches everybody in the group, and the next one runs', async () => {
  const { add, runs, started } = controlled();
  const failed = Promise.allSettled([add('p', 'a', 1), add('p', 'b', 1)]);
  await expect.poll(started).toHaveLength(1);
  const next = add('p', 'c', 1);
  runs[0]?.end(new Error('refused'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect.poll(started).toHaveLength(2);
  runs[1]?.end();
  expect(await next).toBe('c of 1');
});
