import { setFlagsFromString } from 'node:v8';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { seeded } from '../../fixtures/random.ts';
import { openDedupeFile, readLedger } from '../../../src/relay.ts';
import { readChunks, readRecords } from '../../../src/relay/dedupe/acceptedLog.ts';
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

  test('has an event and its count before its sender gets a response, so kill -9 loses neither', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const sent = event();
    await bench.post('/events', sent);
    expect(await readFile(log(), 'utf8')).toContain(key(`${String(sent['session_id'])}\0${String(sent['event_id'])}`));
    const folder = await killed();
    expect(await countOf('BRAND_DISPLAY', folder)).toBe(1);
    const again = setUp({ dedupe: await open(folder) });
    expect((await again.post('/events', sent)).status).toBe(201);
    expect(again.network.calls).toHaveLength(0);
    expect(await countOf('BRAND_DISPLAY', folder)).toBe(1);
  });

  test('knows an event exactly if it counts it, at whichever byte a crash cuts it off, and goes on from there', async () => {
    const store = await open();
    await store.ledger.openSession('0'.repeat(32), 'a THANK_YOU INLINE ');
    const accepted = keys('a', 'b', 'c', 'd', 'e');
    for (const one of accepted) await store.accept([one], 'x', [CELL]);
    await close(store);
    const whole = await readFile(log());
    let last = 0;
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      const folder = await killed(bytes);
      const known = new Set<string>();
      for await (const records of readRecords(readChunks(log(folder))))
        for (const { events = {} } of records) for (const one of Object.values(events).flat()) known.add(one);
      const { rows, problems } = await readLedger(folder, ALL);
      expect([bytes, rows[0]?.count ?? 0, problems]).toEqual([bytes, known.size, []]);
      expect(known.size).toBeGreaterThanOrEqual(last);
      last = known.size;
      if (bytes % 29 !== 0) continue;
      const next = await open(folder);
      expect(await ask(next, accepted)).toEqual(accepted.map((_, at) => (at < known.size ? 'known' : 'new')));
      await next.accept(keys('next'), 'x', [CELL]);
      await close(next);
      expect(await countOf('BRAND_CLICK', folder)).toBe(known.size + 1);
    }
    expect(last).toBe(accepted.length);
  });

  test('has the truth after any sequence of writes, full disks, set clocks, removals, crashes and days', async () => {
    limitDisk();
    const steady = performance.now.bind(performance);
    let passed = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => steady() + passed);
    for (let run = 1; run <= 12; run++) {
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
        if (what === 9) {
          await rm(log(folder), { force: true });
          // Then it looks for the file again.
          passed += 1_001;
          await attempt([key(`${run} ${step}`)]);
        }
        if (what !== 8 || !existsSync(log(folder))) continue;
        const left = makeFolder();
        await cp(log(folder), log(left));
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
    disk.left = 10;
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

  test('is written anew when it has doubled, and on the next day, and keeps its counts, sessions and 400 days', async () => {
    let time = Date.now();
    const options = { maxAgeMs: 1_000, now: () => time };
    const store = await open(files.directory, options);
    const many = Array.from({ length: 40_000 }, (_, index) => key(`${index}`));
    await store.accept(
      many,
      '',
      many.map(() => CELL),
    );
    await store.ledger.add(
      new Map([
        ['2025-10-18T10 expired - - ', 1],
        ['2025-10-20T10 expired - - ', 1],
      ]),
    );
    const before = (await stat(log())).size;
    time += 1_000;
    await store.claim([]);
    await store.ledger.openSession('0'.repeat(32), 'owner THANK_YOU INLINE ');
    await store.accept(keys('last'), '', [CELL]);
    expect((await stat(log())).size).toBeLessThan(before / 10);
    expect(await countOf('BRAND_CLICK')).toBe(40_001);
    expect((await store.ledger.read(ALL)).rows.filter(({ name }) => name === 'expired')).toHaveLength(2);
    time += 500;
    vi.setSystemTime(Date.parse('2026-11-24T10:00:00Z'));
    await store.accept(keys('after'), '', [CELL]);
    expect((await readLedger(files.directory, ALL)).rows.map(({ name, count }) => [name, count])).toEqual([
      ['expired', 1],
      ['BRAND_CLICK', 40_002],
    ]);
    expect(await ask(store, keys('last', 'after', '0'))).toEqual(['known', 'known', 'new']);
    const again = await open(await killed(), options);
    expect(await ask(again, keys('last', 'after', '0'))).toEqual(['known', 'known', 'new']);
    expect(await again.ledger.placementsOf(['0'.repeat(32)])).toEqual(['owner THANK_YOU INLINE ']);
    time += 500;
    expect(await ask(again, keys('last', 'after'))).toEqual(['new', 'known']);
  });

  test('that cannot be written anew is opened and appended to all the same', async () => {
    let time = 1_000;
    const options = { maxAgeMs: 10, now: () => time };
    // What it would be written to cannot be created.
    await mkdir(`${log()}.new`);
    const store = await open(files.directory, options);
    await store.accept(Array.from({ length: 40_000 }, (_, index) => key(`${index}`)));
    time += 11;
    await store.claim([]);
    await store.accept(keys('a'));
    expect(logs.map(({ message }) => message)).toEqual([expect.stringMatching(/could not be compacted/)]);
    await close(store);
    const again = await open(files.directory, options);
    await again.accept(keys('b'));
    expect(await ask(again, keys('a', 'b'))).toEqual(['known', 'known']);
  });

  test('of a new owner is not replaced by what an earlier one writes anew', async () => {
    let time = 1_000;
    const store = await open(files.directory, { maxAgeMs: 10, now: () => time });
    await store.accept(Array.from({ length: 40_000 }, (_, index) => key(`${index}`)));
    time += 11;
    await store.claim([]);
    // Within the second for which the earlier owner relies on its last look.
    await Promise.allSettled([
      store.accept(Array.from({ length: 20 }, (_, index) => key(`late ${index}`))),
      writeFile(join(files.directory, 'relay.lock.2'), '{}'),
    ]);
    expect(logs).toEqual([
      expect.objectContaining({ error: expect.stringContaining('was taken over by another process') as unknown }),
    ]);
    expect(await readFile(log(), 'utf8')).toContain(key('0'));
    expect((await store.lost).message).toContain('was taken over');
    await expect(async () => store.claim(keys('a'))).rejects.toThrow('was taken over');
  });

  test('numbers its senders the same way after a restart', async () => {
    const salt = async (): Promise<string | undefined> => / salt (\w{8}) /.exec(await readFile(log(), 'latin1'))?.[1];
    await close(await open());
    const first = await salt();
    expect(first).toMatch(/^[0-9a-f]{8}$/);
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
