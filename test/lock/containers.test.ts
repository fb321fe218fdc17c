// Containers cannot see each other's processes, so each of these tests waits for five seconds of silence: together,
// each on its own volume.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test as base, vi } from 'vitest';
import { buildLock, hasNamespaces, startContender, type Contender } from './contenders.ts';

vi.setConfig({ testTimeout: 60_000 });

let built: Awaited<ReturnType<typeof buildLock>>;
beforeAll(async () => {
  built = await buildLock();
}, 60_000);
afterAll(() => built.remove());

interface Volume {
  readonly directory: string;
  /** Starts a container that can lock the directory. */
  contend(): Promise<Contender>;
}

const test = base.extend<{ volume: Volume }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures this one needs
  volume: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'offerlet-lock-'));
    const contenders: Contender[] = [];
    await use({
      directory,
      async contend() {
        const contender = startContender({ module: built.module, directory, isContained: true });
        contenders.push(contender);
        await contender.next();
        return contender;
      },
    });
    for (const contender of contenders) await contender.signal('SIGKILL').catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  },
});

describe.skipIf(!hasNamespaces)('two containers on one volume', { concurrent: true }, () => {
  test('keep each other out while the owner runs', async ({ volume }) => {
    const [one, two] = [await volume.contend(), await volume.contend()];
    expect(await one.take()).toMatchObject({ taken: true });
    expect(await two.take()).toEqual({
      refused: expect.stringMatching(/is in use by process 1$/),
      waited: [expect.stringContaining('cannot be seen from here')],
    });
    await one.release();
    expect(await two.take()).toEqual({ taken: true, waited: [] });
  });

  test('that start over one dead owner never both get the directory', async ({ volume }) => {
    const [one, two] = [await volume.contend(), await volume.contend()];
    const dead = { pid: 1, host: hostname(), scope: 'a container that is gone', started: '1' };
    await writeFile(join(volume.directory, 'test.lock.1'), JSON.stringify(dead));
    const at = Date.now() + 5;
    const outcomes = await Promise.all([one.take(at), two.take(at)]);
    expect(outcomes.filter((outcome) => outcome.taken)).toHaveLength(1);
  });

  test('restart after a kill, with the same pid 1', async ({ volume }) => {
    for (let life = 0; life < 3; life++) {
      const contender = await volume.contend();
      expect(await contender.take()).toMatchObject({ taken: true });
      await contender.signal('SIGKILL');
    }
  });

  test('a frozen owner that is replaced is notified when it wakes', async ({ volume }) => {
    const [one, two] = [await volume.contend(), await volume.contend()];
    await one.take();
    await one.signal('SIGSTOP');
    expect(await two.take()).toMatchObject({ taken: true });
    await one.signal('SIGCONT');
    expect((await one.next()).lost).toContain('was taken over by another process');
  });

  test('whose owner is too busy to do anything for eight seconds leave it the directory', async ({ volume }) => {
    const [one, two] = [await volume.contend(), await volume.contend()];
    await one.take();
    await one.block(8_000);
    expect(await two.take()).toMatchObject({ refused: expect.stringContaining('is in use') as unknown });
    expect(await one.check()).toBe(true);
  });

  test('whose owner is frozen and replaced: its first check after it wakes already fails', async ({ volume }) => {
    const [one, two] = [await volume.contend(), await volume.contend()];
    await one.take();
    // No code of the owner runs between the freeze and the check.
    await one.block(500);
    const checked = one.check();
    await one.signal('SIGSTOP');
    expect(await two.take()).toMatchObject({ taken: true });
    await one.signal('SIGCONT');
    expect(await checked).toBe(false);
    expect(await two.check()).toBe(true);
  });
});
