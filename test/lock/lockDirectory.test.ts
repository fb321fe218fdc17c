import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { thisHolder } from '../../src/lock/lockFiles.ts';
import { DirectoryInUseError, lockDirectory, type DirectoryLock } from '../../src/lock/lockDirectory.ts';
import { buildLock, startContender, type Contender } from './contenders.ts';

// An owner that cannot be seen is waited for, for five seconds; and this machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

let built: Awaited<ReturnType<typeof buildLock>>;
let directory: string;
const contenders: Contender[] = [];
const said: string[] = [];
beforeAll(async () => {
  built = await buildLock();
}, 60_000);
afterAll(() => built.remove());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offerlet-lock-'));
  said.length = 0;
});
afterEach(async () => {
  for (const contender of contenders.splice(0)) await contender.signal('SIGKILL').catch(() => undefined);
  await rm(directory, { recursive: true, force: true });
});

const lock = (): Promise<DirectoryLock> => lockDirectory(directory, { name: 'test', say: (line) => said.push(line) });
const leave = (holder: object): Promise<void> => writeFile(join(directory, 'test.lock.1'), JSON.stringify(holder));

async function contend(): Promise<Contender> {
  const contender = startContender({ module: built.module, directory });
  contenders.push(contender);
  await contender.next();
  return contender;
}

test('a directory belongs to one owner at a time, and to the next one as soon as it is released', async () => {
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
  async () => {
    await leave({ ...thisHolder(), started: '1' });
    const started = performance.now();
    await (await lock()).release();
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(said).toEqual([]);
  },
);

test('a lock that is damaged, empty or of another machine is taken over after five silent seconds, with one line', async () => {
  const foreign = JSON.stringify({ pid: process.pid, host: 'elsewhere', scope: 'another boot' });
  async function takeOver(text: string): Promise<void> {
    const own = await mkdtemp(join(directory, 'own-'));
    const lines: string[] = [];
    await writeFile(join(own, 'test.lock.7'), text);
    const started = performance.now();
    const taken = await lockDirectory(own, { name: 'test', say: (line) => lines.push(line) });
    expect(performance.now() - started).toBeGreaterThan(4_900);
    expect(lines).toEqual([
      expect.stringMatching(/cannot be seen from here\. Waiting up to 5 seconds for a sign of life\.$/),
    ]);
    expect(JSON.parse(await readFile(join(own, 'test.lock.8'), 'utf8'))).toMatchObject({
      pid: process.pid,
      host: hostname(),
    });
    await taken.release();
  }
  await Promise.all(['not JSON', '', foreign].map(takeOver));
});

test('a lock file with the highest number is an error, not an endless wait', async () => {
  await writeFile(join(directory, 'test.lock.999999999999999'), '{"released":true}');
  await expect(lock()).rejects.toThrow(DirectoryInUseError);
  await expect(lock()).rejects.toThrow('test.lock.999999999999999, which no other can follow');
});

test.runIf(process.platform === 'linux').each([
  ['a link to a file without end', (file: string) => symlink('/dev/zero', file)],
  ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
])('a lock that is %s is damaged', async (_, make) => {
  await make(join(directory, 'test.lock.1'));
  await (await lock()).release();
  expect(await readdir(directory)).toEqual(['test.lock.2']);
});

test('a lock file writes nothing into the terminal', async () => {
  const host = 'evil\u001B]0;x\u0007\n::error::x';
  await leave({ pid: 1, host, scope: 'another boot' });
  await (await lock()).release();
  expect(said).toEqual([expect.stringContaining('process 1 on another machine, which cannot be seen')]);
});

test('of two processes that find one dead owner, exactly one gets the directory, 150 times', async () => {
  const [one, two] = [await contend(), await contend()];
  const dead = { ...thisHolder(), pid: 2 ** 22 + 1 };
  for (let round = 0; round < 150; round++) {
    for (const file of await readdir(directory)) await rm(join(directory, file));
    await leave(dead);
    const at = Date.now() + 5;
    const outcomes = await Promise.all([one.take(at), two.take(at)]);
    const winners = outcomes.filter((outcome) => outcome.taken);
    expect(winners, `round ${round}: ${JSON.stringify(outcomes)}`).toHaveLength(1);
    await (outcomes[0].taken ? one : two).release();
  }
});

test('a process that was killed leaves the directory to the next one at once', async () => {
  const first = await contend();
  expect(await first.take()).toMatchObject({ taken: true });
  await first.signal('SIGKILL');
  const second = await contend();
  expect(await second.take()).toEqual({ taken: true, waited: [] });
});

test('an owner whose files are deleted learns that it has lost the directory', async () => {
  const first = await lock();
  first.check();
  await rm(join(directory, 'test.lock.1'));
  expect((await first.lost).message).toContain(`${directory} was taken over by another process`);
  expect(() => first.check()).toThrow(/was taken over/);
  const second = await lock();
  await first.release();
  await expect(lock()).rejects.toThrow(/in use by process/);
  second.check();
  await second.release();
});

test('an owner whose main thread was busy looks at the directory before it checks', async () => {
  const first = await lock();
  await writeFile(join(directory, 'test.lock.2'), JSON.stringify(thisHolder()));
  // No timer of the owner can run meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
  expect(() => first.check()).toThrow(/was taken over/);
  expect((await first.lost).message).toContain('was taken over');
});
