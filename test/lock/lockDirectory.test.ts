import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test as base, vi } from 'vitest';
import { ofSuite } from '../fixtures/opened.ts';
import { thisHolder } from '../../src/lock/lockFiles.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../src/lock/lockDirectory.ts';
import { hasNamespaces, startContender, type Contender } from './contenders.ts';
import { buildCommand } from '../relay/command.ts';

// An owner that cannot be seen is waited for, for five seconds: those tests run together.
vi.setConfig({ maxConcurrency: 20 });

const built = ofSuite(() => buildCommand('src/lock/lockDirectory.ts'));

interface Volume {
  readonly directory: string;
  /** What was said while this process waited for the lock. */
  readonly said: readonly string[];
  /** Locks the directory for this process. */
  lock(): Promise<DirectoryLock>;
  /** Starts a process that can lock the directory; `isContained`: in its own container. */
  contend(isContained?: boolean): Promise<Contender>;
}

/** Each test has its own directory. */
const test = base.extend<{ volume: Volume }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern which fixtures this one needs
  volume: async ({}, use) => {
    const directory = await mkdtemp(join(tmpdir(), 'offerlet-lock-'));
    const contenders: Contender[] = [];
    const said: string[] = [];
    await use({
      directory,
      said,
      lock: () => lockDirectory(directory, { name: 'test', say: (line) => said.push(line) }),
      async contend(isContained = false) {
        const contender = startContender({ module: built.file, directory, isContained });
        contenders.push(contender);
        await contender.next();
        return contender;
      },
    });
    for (const contender of contenders) await contender.signal('SIGKILL').catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  },
});

const leave = ({ directory }: Volume, holder: object): Promise<void> =>
  writeFile(join(directory, 'test.lock.1'), JSON.stringify(holder));

test('a directory belongs to one owner at a time, and to the next one once it is released', async ({
  volume: { directory, said, lock },
}) => {
  const first = await lock();
  await expect(lock()).rejects.toThrow(new DirectoryInUseError(`${directory} is in use by process ${process.pid}`));
  await first.release();
  const second = await lock();
  expect(await readdir(directory)).toEqual(['test.lock.2']);
  await second.release();
  expect(said).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a lock of an earlier process with the same pid, as in a container that restarts, is taken over at once',
  async ({ volume }) => {
    const { said, lock } = volume;
    await leave(volume, { ...thisHolder(), started: '1' });
    await (await lock()).release();
    expect(said).toEqual([]); // who waits says so
  },
);

test('a lock file with the highest number is an error, not an endless wait', async ({
  volume: { directory, lock },
}) => {
  await writeFile(join(directory, 'test.lock.999999999999999'), '{"released":true}');
  await expect(lock()).rejects.toThrow(DirectoryInUseError);
  await expect(lock()).rejects.toThrow('test.lock.999999999999999, which no other can follow');
});

test('of two processes that find one dead owner, exactly one gets the directory, 60 times', async ({ volume }) => {
  const { directory, contend } = volume;
  const [one, two] = [await contend(), await contend()];
  const dead = { ...thisHolder(), pid: 2 ** 22 + 1 };
  for (let round = 0; round < 60; round++) {
    for (const file of await readdir(directory)) await rm(join(directory, file));
    await leave(volume, dead);
    const at = Date.now() + 5;
    const outcomes = await Promise.all([one.take(at), two.take(at)]);
    const winners = outcomes.filter((outcome) => outcome.taken);
    expect(winners, `round ${round}: ${JSON.stringify(outcomes)}`).toHaveLength(1);
    await (outcomes[0].taken ? one : two).release();
  }
});

test('a process that was killed leaves the directory to the next one at once', async ({ volume: { contend } }) => {
  const first = await contend();
  expect(await first.take()).toMatchObject({ taken: true });
  await first.signal('SIGKILL');
  const second = await contend();
  expect(await second.take()).toEqual({ taken: true, waited: [] });
});

test('an owner whose files are deleted learns that it has lost the directory', async ({
  volume: { directory, lock },
}) => {
  const first = await lock();
  first.check();
  await rm(join(directory, 'test.lock.1'));
  expect((await first.lost).message).toContain(`${directory} was removed, or its files were`);
  expect(() => first.check()).toThrow(/was removed/);
  const second = await lock();
  await first.release();
  await expect(lock()).rejects.toThrow(/in use by process/);
  second.check();
  await second.release();
});

test('an owner whose main thread was busy looks at the directory before it checks', async ({
  volume: { directory, lock },
}) => {
  const first = await lock();
  await writeFile(join(directory, 'test.lock.2'), JSON.stringify(thisHolder()));
  // No timer of the owner can run meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  expect(() => first.check()).toThrow(/was taken over/);
  expect((await first.lost).message).toContain('was taken over');
});

describe('an owner that cannot be seen', { concurrent: true }, () => {
  const foreign = JSON.stringify({ pid: process.pid, host: 'elsewhere', scope: 'another boot' });
  test.for([
    ['damaged', 'not JSON'],
    ['empty', ''],
    ['of another machine', foreign],
  ])('a lock that is %s is taken over after five silent seconds, with one line', async ([, text = ''], { volume }) => {
    await writeFile(join(volume.directory, 'test.lock.7'), text);
    const started = performance.now();
    const taken = await volume.lock();
    expect(performance.now() - started).toBeGreaterThan(4_900);
    expect(volume.said).toEqual([
      expect.stringMatching(/cannot be seen from here\. Waiting up to 5 seconds for a sign of life\.$/),
    ]);
    expect(JSON.parse(await readFile(join(volume.directory, 'test.lock.8'), 'utf8'))).toMatchObject({
      pid: process.pid,
      host: hostname(),
    });
    await taken.release();
  });

  test.runIf(process.platform === 'linux').for([
    ['a link to a file without end', (file: string): Promise<void> => symlink('/dev/zero', file)],
    ['a pipe', (file: string): void => void execFileSync('mkfifo', [file])],
  ] as const)('a lock that is %s is damaged', async ([, make], { volume: { directory, lock } }) => {
    await make(join(directory, 'test.lock.1'));
    await (await lock()).release();
    expect(await readdir(directory)).toEqual(['test.lock.2']);
  });

  test('a lock file writes nothing into the terminal', async ({ volume }) => {
    await leave(volume, { pid: 1, host: 'evil\u001B]0;x\u0007\n::error::x', scope: 'another boot' });
    await (await volume.lock()).release();
    expect(volume.said).toEqual([expect.stringContaining('process 1 on another machine, which cannot be seen')]);
  });

  describe.skipIf(!hasNamespaces)('two containers on one volume', () => {
    test('keep each other out while the owner runs', async ({ volume }) => {
      const [one, two] = [await volume.contend(true), await volume.contend(true)];
      expect(await one.take()).toMatchObject({ taken: true });
      expect(await two.take()).toEqual({
        refused: expect.stringMatching(/is in use by process 1$/),
        waited: [expect.stringContaining('cannot be seen from here')],
      });
      await one.release();
      expect(await two.take()).toEqual({ taken: true, waited: [] });
    });

    test('that start over one dead owner never both get the directory', async ({ volume }) => {
      const [one, two] = [await volume.contend(true), await volume.contend(true)];
      const dead = { pid: 1, host: hostname(), scope: 'a container that is gone', started: '1' };
      await writeFile(join(volume.directory, 'test.lock.1'), JSON.stringify(dead));
      const at = Date.now() + 5;
      const outcomes = await Promise.all([one.take(at), two.take(at)]);
      expect(outcomes.filter((outcome) => outcome.taken)).toHaveLength(1);
    });

    test('restart after a kill, with the same pid 1', async ({ volume }) => {
      for (let life = 0; life < 3; life++) {
        const contender = await volume.contend(true);
        expect(await contender.take()).toMatchObject({ taken: true });
        await contender.signal('SIGKILL');
      }
    });

    test('a frozen owner that is replaced is notified when it wakes', async ({ volume }) => {
      const [one, two] = [await volume.contend(true), await volume.contend(true)];
      await one.take();
      await one.signal('SIGSTOP');
      expect(await two.take()).toMatchObject({ taken: true });
      await one.signal('SIGCONT');
      expect((await one.next()).lost).toContain('was taken over by another process');
    });

    test('whose owner is too busy to do anything for eight seconds leave it the directory', async ({ volume }) => {
      const [one, two] = [await volume.contend(true), await volume.contend(true)];
      await one.take();
      await one.block(8_000);
      expect(await two.take()).toMatchObject({ refused: expect.stringContaining('is in use') as unknown });
      expect(await one.check()).toBe(true);
    });

    test('whose owner is frozen and replaced: its first check after it wakes already fails', async ({ volume }) => {
      const [one, two] = [await volume.contend(true), await volume.contend(true)];
      await one.take();
      // No code of the owner runs between the freeze and the check.
      await one.block(2_000);
      const checked = one.check();
      await one.signal('SIGSTOP');
      expect(await two.take()).toMatchObject({ taken: true });
      await one.signal('SIGCONT');
      expect(await checked).toBe(false);
      expect(await two.check()).toBe(true);
    });
  });
});
