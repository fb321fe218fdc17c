import fs, { appendFile, cp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readLedger } from '../../../src/relay.ts';
import { readRecords } from '../../../src/relay/dedupe/acceptedLog.ts';
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

describe('a file of accepted events', () => {
  test('that somebody has changed loses the changed lines, and the ledger says so, even when it was dropped', async () => {
    let time = Date.now();
    const store = await open();
    await store.accept(keys('a'), '', [CELL]);
    await store.accept(keys('b'), '', [CELL]);
    await close(store);
    const file = log();
    await writeFile(file, (await readFile(file, 'latin1')).replace(key('a'), key('c')));
    await appendFile(file, '\nhello\n00000000 00000000 {"at":1,"sessions":{"INLI');
    const { rows, problems } = await readLedger(files.directory, ALL);
    expect(rows.map(({ count }) => count)).toEqual([1]);
    expect(problems).toEqual([`${file}: lines that are damaged and were skipped: 2.`]);
    const next = await open(undefined, { now: () => time });
    expect(await ask(next, keys('a', 'b', 'c'))).toEqual(['new', 'known', 'new']);
    expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('has damaged lines')]);
    for (let hour = 0; hour < 24 * 10; hour++) {
      time += 3_600_000;
      await next.accept(keys(`${hour}`));
    }
    await expect
      .poll(async () => (await readLedger(files.directory, ALL)).problems)
      .toEqual([expect.stringMatching(/^accepted-events\.1\.log\.damaged-\d+ was damaged on 2026-11-23/)]);
    expect(await countOf('BRAND_CLICK')).toBe(1);
    expect((await readLedger(files.directory, { ...ALL, from: '2099-01-01' })).problems).toEqual([]);
  });

  test('loses to a flipped bit no more than the record that has it, and to one between records nothing', async () => {
    const store = await open();
    const accepted = keys('a', 'b', 'c');
    for (const one of accepted) await store.accept([one], 'x', [CELL]);
    await close(store);
    const whole = await readFile(log());
    for (let at = 0; at < whole.length; at++) {
      const bytes = Uint8Array.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      let count = 0;
      for await (const records of readRecords(await fileOf(bytes)))
        for (const { events = {} } of records) count += Object.values(events).flat().length;
      expect([at, count]).toEqual([at, whole[at] === 10 ? 3 : expect.toSatisfy((n: number) => n >= 2)]);
    }
    // In the sums, nothing is lost but what the record counts.
    const sums = join(files.directory, 'accepted-counts.log');
    const text = await readFile(sums);
    for (let at = 0; at < text.length; at += 7) {
      await writeFile(
        sums,
        Uint8Array.from(text, (byte, index) => (index === at ? byte ^ 1 : byte)),
      );
      const next = await open();
      expect([at, await ask(next, accepted), await countOf('BRAND_CLICK')]).toEqual([
        at,
        ['known', 'known', 'known'],
        3,
      ]);
      await close(next);
    }
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
    ['removed', () => rm(log()), 0],
    ['rotated', () => rename(log(), `${log()}.1`), 0],
    ['edited', async () => (await cp(log(), `${log()}.2`), await rename(`${log()}.2`, log())), 1],
    [
      'replaced',
      async () => (await rm(log()), await writeFile(join(files.directory, 'accepted-events.1.log'), 'x\n')),
      0,
    ],
    ['cut to nothing', () => truncate(log()), 0],
  ])(
    'that is %s under a relay is left alone, and logs and audits say that something is gone',
    async (_, harm, left) => {
      const store = await open();
      await store.accept(keys('a'), '', [CELL]);
      await harm();
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1_001);
      await store.accept(keys('b'), '', [CELL]);
      expect(logs.map(({ message }) => message)).toEqual([expect.stringContaining('was removed, replaced or cut')]);
      expect(await ask(store, keys('a', 'b'))).toEqual(['known', 'known']);
      expect(await countOf('BRAND_CLICK')).toBe(left + 1);
      expect((await readLedger(files.directory, ALL)).problems).not.toEqual([]);
      expect((await open(await killed())).size()).toBe(left + 1);
    },
  );
});
