import fs, { appendFile, cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readLedger } from '../../../src/relay.ts';
import { readChunks, readRecords } from '../../../src/relay/dedupe/acceptedLog.ts';
import { ALL, CELL, useFiles } from './acceptedFile.ts';
import { ask, key, keys } from './keys.ts';

const files = useFiles();
const { logs, log, open, close, killed, countOf } = files;
afterEach(() => void vi.restoreAllMocks());

async function fileOf(bytes: Uint8Array): Promise<string> {
  const file = join(files.directory, 'copy');
  await writeFile(file, bytes);
  return file;
}

describe('the file of accepted events', () => {
  test.each([
    ['of another version', `offerlet accepted events 1 salt 0123abcd\n${Date.now().toString(36)} x\n`],
    ['of something else', 'Nov 20 10:00:00 web sshd: hello\n'],
  ])('%s is moved aside, with a line of log, and the ledger says so before that', async (_, text) => {
    await writeFile(log(), text);
    expect((await readLedger(files.directory, ALL)).problems).toEqual([
      `${log()} is of another version or damaged, and was skipped.`,
    ]);
    const store = await open();
    expect(logs.map(({ message }) => message)).toEqual([
      expect.stringMatching(/is of another version or damaged, and was moved to .*\.unreadable-\d+\./),
    ]);
    const aside = (await readdir(files.directory)).find((name) => name.includes('.unreadable-')) ?? '';
    expect(await readFile(join(files.directory, aside), 'utf8')).toBe(text);
    await store.accept(keys('a'));
    await close(store);
    expect([(await open()).size(), logs.length]).toEqual([1, 1]);
    expect((await readLedger(files.directory, ALL)).problems).toEqual([expect.stringContaining(aside)]);
    expect((await readLedger(files.directory, { ...ALL, from: '2099-01-01' })).problems).toEqual([]);
  });

  test('that somebody has changed loses the changed lines, is copied, and the ledger says so for good', async () => {
    const store = await open();
    await store.accept(keys('a'), '', [CELL]);
    await store.accept(keys('b'), '', [CELL]);
    await close(store);
    const text = (await readFile(log(), 'latin1')).replace(key('a'), key('c'));
    await writeFile(log(), text);
    await appendFile(log(), '\n00000000 00000000 7 {"at":1,"sessions":{"INLI');
    const { rows, problems } = await readLedger(files.directory, ALL);
    expect(rows.map(({ count }) => count)).toEqual([1]);
    expect(problems).toEqual([`${log()}: lines that are damaged and were skipped: 1.`]);
    expect(await ask(await open(), keys('a', 'b', 'c'))).toEqual(['new', 'known', 'new']);
    expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('had damaged lines')]);
    const after = await readLedger(files.directory, ALL);
    expect([after.rows, after.problems]).toEqual([
      rows,
      [expect.stringMatching(/was damaged on .*\.unreadable-\d+\.$/)],
    ]);
  });

  test('loses to a flipped bit no more than the record that has it, and to one outside of records nothing', async () => {
    const store = await open();
    const accepted = keys('a', 'b', 'c');
    for (const one of accepted) await store.accept([one], 'x', [CELL]);
    await close(store);
    const whole = await readFile(log());
    const text = whole.toString('latin1');
    const outside = [...text].flatMap((character, at) => (at < text.indexOf('\n') || /\s/.test(character) ? at : []));
    const isOutside = new Set(outside.filter((at) => text[at] !== ' ' || at < text.indexOf('\n')));
    expect(isOutside.size).toBeGreaterThan(60);
    for (let at = 0; at < whole.length; at++) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      let count = 0;
      for await (const records of readRecords(readChunks(await fileOf(bytes))))
        for (const { events = {} } of records) count += Object.values(events).flat().length;
      expect([at, count]).toEqual([at, isOutside.has(at) ? 3 : expect.toSatisfy((n: number) => n >= 2)]);
    }
    await writeFile(log(), text.replace('offerlet', 'offerlat'));
    const next = await open();
    expect(await ask(next, accepted)).toEqual(['known', 'known', 'known']);
    expect([await countOf('BRAND_CLICK'), (await readLedger(files.directory, ALL)).problems]).toEqual([3, []]);
    expect(await readFile(log(), 'latin1')).toMatch(/^offerlet accepted events 2 salt/);
  });

  test('whose damage cannot be copied keeps it, and audits go on naming it', async () => {
    const store = await open();
    await store.accept(keys('a'), '', [CELL]);
    await close(store);
    await appendFile(log(), '\n00000000 00000000 7 {"at":1}\r');
    vi.spyOn(fs, 'copyFile').mockRejectedValue(new Error('ENOSPC'));
    await (await open()).accept(keys('b'), '', [CELL]);
    expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('could not be compacted')]);
    const { rows, problems } = await readLedger(files.directory, ALL);
    expect([rows[0]?.count, problems]).toEqual([2, [expect.stringContaining('lines that are damaged')]]);
  });

  test('on a disk that hangs lets nothing new be forwarded, and knows what it knows', async () => {
    const store = await open();
    const probe = await fs.open(log());
    const handles = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    let release = (): void => undefined;
    vi.spyOn(handles, 'appendFile').mockReturnValueOnce(new Promise((resolve) => (release = resolve)));
    const accepting = store.accept(keys('a'), '', [CELL]);
    await expect.poll(() => vi.mocked(handles.appendFile).mock.calls.length).toBe(1);
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_001);
    const [known, claiming] = [store.claim(keys('a')), store.claim(keys('b'))];
    expect([known, claiming]).toEqual([['known'], expect.any(Promise)]);
    release();
    await accepting;
    expect(await claiming).toEqual(['new']);
    await store.release(keys('b'));
  });

  test.each<[string, () => Promise<void>, number]>([
    ['removed', () => rm(log()), 2],
    ['rotated', () => rename(log(), `${log()}.1`), 2],
    ['edited', async () => (await cp(log(), `${log()}.2`), await rename(`${log()}.2`, log())), 2],
    ['replaced', async () => (await rm(log()), await writeFile(log(), 'something else\n')), 2],
    ['cut to nothing', () => truncate(log()), 1],
  ])('that is %s under a relay is written anew, and logs and audits say what is gone', async (_, harm, count) => {
    const store = await open();
    await store.ledger.openSession('0'.repeat(32), 'owner THANK_YOU INLINE ');
    await store.accept(keys('a'), '', [CELL]);
    await harm();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001);
    await store.accept(keys('b'), '', [CELL]);
    expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('was removed, replaced or cut')]);
    await store.accept(keys('c'), '', [CELL]);
    expect(await countOf('BRAND_CLICK')).toBe(count + 1);
    expect((await readLedger(files.directory, ALL)).problems).toHaveLength(count === 1 ? 1 : 0);
    const again = await open(await killed());
    expect(await ask(again, keys('a', 'b', 'c'))).toEqual(['known', 'known', 'known']);
    expect(await again.ledger.placementsOf(['0'.repeat(32)])).toEqual(['owner THANK_YOU INLINE ']);
  });

  test('whose first line was cut off by a crash starts anew without a line of log', async () => {
    const whole = 'offerlet accepted events 2 salt 0123abcd of 2026-11-23';
    for (const length of [0, 5, 26, 32, whole.length - 1]) {
      await writeFile(log(), whole.slice(0, length));
      const store = await open();
      await store.accept(keys('a'));
      await close(store);
      const again = await open();
      expect(await ask(again, keys('a'))).toEqual(['known']);
      await close(again);
    }
    expect(logs).toEqual([]);
  });
});
