import { setFlagsFromString } from 'node:v8';
import { readdirSync, statSync } from 'node:fs';
import { cp, mkdir, readFile, rmdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sample } from '../../fixtures/effort.ts';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { seeded } from '../../fixtures/random.ts';
import { openDedupeFile, readLedger, type DedupeFile } from '../../../src/relay.ts';
import { readRecords } from '../../../src/relay/dedupe/acceptedLog.ts';
import { event, setUp } from '../scriptedNetwork.ts';
import { ALL, CELL, useFiles } from './acceptedFile.ts';
import { ask, key, keys } from './keys.ts';

const HOUR = 3_600_000;

const files = useFiles();
const { logs, log, open, close, killed, countOf } = files;
afterEach(() => {
  disk.left = Infinity;
  vi.restoreAllMocks();
});

/** A disk that has room for so many bytes more; a write that needs more writes what fits, and fails. */
const disk = { left: Infinity };
function limitDisk(): void {
  const fs = process.getBuiltinModule('node:fs/promises');
  const openFile = fs.open;
  vi.spyOn(fs, 'open').mockImplementation(async (...given) => {
    const handle = await openFile(...given);
    const append = handle.appendFile.bind(handle);
    handle.appendFile = async (data, options) => {
      const bytes = Buffer.from(data as string, 'latin1');
      const fits = bytes.subarray(0, disk.left);
      if (fits.length > 0) await append(fits, options);
      disk.left -= fits.length;
      if (fits.length < bytes.length) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    };
    return handle;
  });
}

describe('the file of accepted events', () => {
  test('is not closed while the network is asked, so a stop makes no accepted event new', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    let respond: (response: Response) => void = () => undefined;
    bench.network.respondWith(() => new Promise((resolve) => (respond = resolve)));
    const sent = event();
    const first = bench.post('/events', sent);
    await expect.poll(() => bench.network.calls.length).toBe(1);
    const closed = close(store);
    respond(new Response(null, { status: 201 }));
    await Promise.all([first, closed]);
    const after = setUp({ dedupe: await open() });
    expect((await after.post('/events', sent)).status).toBe(201);
    expect(after.network.calls).toHaveLength(0);
  });

  test('knows an event exactly if it counts it, at whichever byte a crash cuts it off, and goes on from there', async () => {
    const store = await open();
    await store.ledger.openSession('0'.repeat(32), 'a THANK_YOU INLINE ');
    const accepted = keys('a', 'b', 'c', 'd', 'e');
    for (const one of accepted) await store.accept([one], 'x', [CELL]);
    await close(store);
    const cut = await killed();
    let known = accepted.length;
    for (const bytes of sample([...Array(statSync(log()).size + 1).keys()], 5).toReversed()) {
      await truncate(log(cut), bytes);
      const whole = new Set<string>();
      for await (const records of readRecords(log(cut)))
        for (const { events = {} } of records) for (const one of Object.values(events).flat()) whole.add(one);
      const { rows, problems } = await readLedger(cut, ALL);
      expect([bytes, rows[0]?.count ?? 0, problems]).toEqual([bytes, whole.size, []]);
      expect(whole.size).toBeOneOf([known, known - 1]);
      known = whole.size;
      if (bytes % 29 !== 0) continue;
      const folder = await killed(bytes);
      const next = await open(folder);
      expect(await ask(next, accepted)).toEqual(accepted.map((_, at) => (at < known ? 'known' : 'new')));
      await next.accept(keys('next'), 'x', [CELL]);
      await close(next);
      expect(await countOf('BRAND_CLICK', folder)).toBe(known + 1);
    }
    expect(known).toBe(0);
  });

  test('has the truth after any sequence of writes, full disks, set clocks, crashes and hours', async () => {
    limitDisk();
    const steady = performance.now.bind(performance);
    let passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => steady() + passed);
    for (const run of sample([...Array(12).keys()], 3)) {
      const random = seeded(run);
      const below = (most: number): number => Math.floor(random() * most);
      vi.useFakeTimers({ now: Date.parse('2026-11-23T22:00:00Z'), toFake: ['Date'] });
      let folder = makeFolder();
      let store = await open(folder);
      // What the network accepted, and whether the store has said that it wrote that.
      const truth = new Map<string, boolean>();
      const attempt = async (some: readonly string[]): Promise<void> => {
        for (const one of some) truth.set(one, truth.get(one) ?? false);
        const isWritten = await store
          .accept(
            some,
            `client ${below(5)}`,
            some.map(() => CELL),
          )
          .then(
            () => true,
            () => false,
          );
        if (isWritten) for (const one of some) truth.set(one, true);
      };
      for (let step = 0; step < 40; step++) {
        const what = below(10);
        if (what < 4)
          await Promise.all(
            [...Array(1 + below(4)).keys()].map((each) =>
              attempt(Array.from({ length: 1 + below(3) }, (_, at) => key(`${run} ${step} ${each} ${at}`))),
            ),
          );
        if (what === 4) await attempt([...truth.keys()].filter(() => random() < 0.2));
        if (what === 5) disk.left = below(500);
        if (what === 6) disk.left = Infinity;
        if (what === 7) vi.setSystemTime(Date.now() + (below(60) - 25) * HOUR);
        if (what === 9) passed += below(2 * HOUR);
        if (what !== 8) continue;
        const left = makeFolder();
        await cp(folder, left, { recursive: true, filter: (name) => !name.includes('.lock.') });
        await close(store);
        disk.left = Infinity;
        [folder, store] = [left, await open(left)];
        // What nobody was told of is sent again.
        for (const [one, isWritten] of truth) {
          const [claim] = await ask(store, [one]);
          if (isWritten) expect([run, step, claim]).toEqual([run, step, 'known']);
          if (claim === 'new') truth.delete(one);
        }
      }
      disk.left = Infinity;
      await store.accept([], '', []);
      const { rows, problems } = await store.ledger.read(ALL);
      expect([run, rows.map(({ count }) => count), problems]).toEqual([run, truth.size > 0 ? [truth.size] : [], []]);
      expect(store.size()).toBe(truth.size);
      await close(store);
      expect(await countOf('BRAND_CLICK', folder)).toBe(truth.size);
    }
  });

  test('has what was accepted while the disk was full at the turn of an hour, and forwards nothing new meanwhile', async () => {
    limitDisk();
    vi.useFakeTimers({ now: Date.parse('2026-11-23T10:59:59Z'), toFake: ['Date'] });
    const store = await open();
    const bench = setUp({ dedupe: store });
    await bench.post('/events', event());
    vi.setSystemTime(Date.parse('2026-11-23T11:00:01Z'));
    bench.network.respondWith(() => {
      disk.left = 10;
      return new Response(null, { status: 201 });
    });
    const sent = event();
    expect((await bench.post('/events', sent)).status).toBe(201);
    expect((await bench.post('/events', sent)).status).toBe(201);
    expect((await bench.post('/events', event())).status).toBe(503);
    expect(bench.network.events()).toHaveLength(2);
    disk.left = Infinity;
    await close(store);
    expect(await countOf('BRAND_DISPLAY')).toBe(2);
    const again = setUp({ dedupe: await open() });
    expect((await again.post('/events', sent)).status).toBe(201);
    expect(again.network.calls).toHaveLength(0);
  });

  test('gets what a full disk refused as soon as there is space, though nobody sends anything', async () => {
    limitDisk();
    const store = await open();
    disk.left = 0;
    await expect(store.accept(keys('a'), '', [CELL])).rejects.toThrow('no space left');
    disk.left = Infinity;
    await expect.poll(() => countOf('BRAND_CLICK')).toBe(1);
  });

  describe('is a segment an hour, which', () => {
    let time = 0;
    const options = { maxAgeMs: 2 * HOUR, now: () => time };
    beforeEach(() => void (time = Date.now()));
    const segments = (): string[] => readdirSync(files.directory).filter((name) => /^accepted-events.*log$/.test(name));
    /** Accepts an event an hour. */
    async function pass(store: DedupeFile, hours: number): Promise<void> {
      for (let hour = 0; hour < hours; hour++) {
        time += HOUR;
        await store.accept(keys(`${time}`), '', [CELL]);
      }
    }

    test('is dropped whole when no sender has its events any more, and counts for 400 days', async () => {
      const store = await open(files.directory, options);
      const days = ['2025-10-18', '2025-10-20'].map((day) => [`${day}T10 expired - - `, 1] as const);
      await store.ledger.add(new Map(days));
      await store.ledger.read(ALL);
      await store.ledger.openSession('0'.repeat(32), 'owner THANK_YOU INLINE ');
      await pass(store, 24);
      expect(segments()).toHaveLength(25);
      const again = await open(await killed(), options);
      expect([await ask(again, keys(`${time - HOUR}`, `${time - 2 * HOUR}`)), again.size()]).toEqual([
        ['known', 'new'],
        2,
      ]);
      await pass(store, 1);
      await expect.poll(() => segments().length).toBeLessThan(5);
      expect((await readLedger(files.directory, ALL)).rows.map(({ name, count }) => [name, count])).toEqual([
        ['expired', 1],
        ['BRAND_CLICK', 25],
      ]);
      for (const name of [...segments(), 'accepted-counts.log'])
        expect(statSync(join(files.directory, name)).mode & 0o777).toBe(0o600);
      const made = join(files.directory, 'made');
      await open(made);
      expect(statSync(made).mode & 0o777).toBe(0o700);
    });

    test('is dropped early when there are more events than are remembered', async () => {
      const store = await open(files.directory, { max: 5_000 });
      const many = Array.from({ length: 40_000 }, (_, index) => key(`${index}`));
      for (let at = 0; at < many.length; at += 500)
        await store.accept(many.slice(at, at + 500), '', Array<string>(500).fill(CELL));
      await close(store);
      const bytes = segments().reduce((sum, name) => sum + statSync(join(files.directory, name)).size, 0);
      expect(bytes).toBeLessThan(1.2 * 1024 * 1024);
      expect(await countOf('BRAND_CLICK')).toBe(40_000);
      expect((await open()).size()).toBeGreaterThanOrEqual(5_000);
    });

    test('stays when the sums cannot be written, and is written to when there can be no next one', async () => {
      const store = await open(files.directory, options);
      await mkdir(join(files.directory, 'accepted-counts.log.new'));
      await pass(store, 27);
      await expect.poll(() => logs.map(({ message }) => message)).toEqual([expect.stringMatching(/cannot be dropped/)]);
      await mkdir(join(files.directory, 'accepted-events.29.log'));
      await pass(store, 1);
      expect(logs.map(({ message }) => message)).toEqual([
        expect.stringMatching(/dropped/),
        expect.stringMatching(/cannot be written/),
      ]);
      expect(await ask(store, keys(`${time}`, `${time - HOUR}`))).toEqual(['known', 'known']);
      await rmdir(join(files.directory, 'accepted-events.29.log'));
      expect(await countOf('BRAND_CLICK')).toBe(28);
    });

    test('a process that has lost the directory does not drop, and whose sums it does not replace', async () => {
      const store = await open(files.directory, options);
      await pass(store, 24);
      time += HOUR;
      // Within the second for which the earlier owner relies on its last look.
      await Promise.allSettled([store.accept(keys('late')), writeFile(join(files.directory, 'relay.lock.2'), '{}')]);
      await expect
        .poll(() => logs)
        .toEqual([expect.objectContaining({ error: expect.stringContaining('was taken over by another') as unknown })]);
      expect(segments()).toHaveLength(26);
      expect((await store.lost).message).toContain('was taken over');
      await expect(async () => store.claim(keys('a'))).rejects.toThrow('was taken over');
    });
  });

  test('numbers its senders the same way after a restart', async () => {
    const salt = async (): Promise<string | undefined> =>
      /"salt":(\d+)/.exec(await readFile(join(files.directory, 'accepted-counts.log'), 'latin1'))?.[1];
    await close(await open());
    const first = await salt();
    expect(first).toMatch(/^\d+$/);
    await close(await open());
    expect(await salt()).toBe(first);
  });

  test('leaves nothing of its text on the heap', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const store = await open();
    const many = Array.from({ length: 100_000 }, (_, index) => key(`${index}`));
    await store.accept(
      many,
      '',
      many.map(() => CELL),
    );
    await close(store);
    many.length = 0;
    const heap = async (): Promise<number> => {
      for (let round = 0; round < 3; round++) {
        collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return process.memoryUsage().heapUsed;
    };
    const before = await heap();
    const again = await open();
    expect(again.size()).toBe(100_000);
    // The file has 3.5 MB; the table is outside of the heap.
    expect((await heap()) - before).toBeLessThan(1_000_000);
  });

  test('in an unusable place is refused in one line', async () => {
    await writeFile(join(files.directory, 'file'), '');
    await expect(openDedupeFile(join(files.directory, 'file'))).rejects.toThrow(/cannot be (created|written to)/);
  });
});
