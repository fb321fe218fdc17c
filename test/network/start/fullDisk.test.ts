import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { buildNetwork } from './buildNetwork.ts';

const run = promisify(execFile);

/** Runs a program; on a full disk, no file takes a byte. Returns its lines. */
async function lines(words: readonly string[], { isFull = false } = {}): Promise<unknown[]> {
  const limit = isFull ? 'ulimit -f 0; ' : '';
  const { stdout } = await run('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, ...words]);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

describe.skipIf(process.platform === 'win32')('on a full disk', () => {
  let module: string;
  beforeAll(async () => {
    module = await buildNetwork('full');
  });
  afterAll(() => rmSync(new URL('..', module), { recursive: true, force: true }));

  test('a network starts with what is stored, reads only, and says so', async () => {
    const data = makeFolder();
    const write = (rounds: number, disk?: { isFull: boolean }): Promise<unknown[]> =>
      lines([join(import.meta.dirname, 'writer.mjs'), module, JSON.stringify({ data, rounds })], disk);
    await write(2);
    const [problem, stored, refused] = await write(1, { isFull: true });
    expect(problem).toEqual({
      problem: expect.stringMatching(/^\S+ cannot be written \(EFBIG.*\)\. The network only reads what is stored\./),
      health: 'read_only',
    });
    expect(stored).toEqual({ present: Array(6).fill(expect.any(String)), loads: 6 });
    expect(refused).toEqual({ status: 503 });
    expect(await write(1)).toEqual([stored, { acknowledged: Array(3).fill(expect.any(String)) }]);
  });

  test('a relay starts with the events it knows, takes no others, and says so', async () => {
    const directory = makeFolder();
    const program = `
      const { openDedupeFile } = await import(${JSON.stringify(new URL('relay.js', module).href)});
      const [accepted, other] = ['a', 'b'].map((digit) => digit.repeat(32));
      const say = (line) => console.log(JSON.stringify(line));
      const file = await openDedupeFile(${JSON.stringify(directory)}, { onLog: ({ message, error }) => say([message, error]) });
      say([file.size()]);
      if (file.size() === 0) await file.accept([accepted]);
      const claims = [accepted, other].map(async (key) => file.claim([key]));
      say(await Promise.all(claims.map((claim) => claim.catch(({ code }) => code))));
      await file.close().catch(() => undefined);`;
    const open = (disk?: { isFull: boolean }): Promise<unknown[]> =>
      lines(['--input-type=module', '-e', program], disk);
    expect(await open()).toEqual([[0], [['known'], ['new']]]);
    const [said, ...rest] = (await open({ isFull: true })).slice(0, 3);
    expect(said).toEqual([expect.stringContaining('cannot be written'), expect.stringContaining('EFBIG')]);
    expect(rest).toEqual([[1], [['known'], 'EFBIG']]);
    // An empty directory has nothing that could be read: the relay says what to do.
    rmSync(directory, { recursive: true });
    await expect(open({ isFull: true })).rejects.toThrow(/\(EFBIG\)\. Check its permissions and space/);
  });
});
