import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { createDedupeMemory, openDedupeFile, type LogEntry, type DedupeStore } from '../../../src/relay.ts';
import { event, setUp } from '../scriptedNetwork.ts';
import { key, keys } from './keys.ts';

let directory: string;
const log = (): string => join(directory, 'accepted-events.log');
beforeEach(() => void (directory = makeFolder()));

describe.each<[string, (options: { max: number; maxAgeMs: number; now: () => number }) => Promise<DedupeStore>]>([
  ['memory', async (options) => createDedupeMemory(options)],
  ['file', (options) => openDedupeFile(directory, options)],
])('accepted events in %s', (_, open) => {
  let time = 1_000_000;
  let store: DedupeStore;
  beforeEach(async () => {
    store = await open({ max: 3, maxAgeMs: 1_000, now: () => time });
  });
  afterEach(() => store.close?.());

  test('are known once they were accepted, and not before', async () => {
    expect(await store.claim(keys('a', 'b'))).toEqual(['new', 'new']);
    await store.release(keys('b'));
    await store.accept(keys('a'));
    expect(await store.claim(keys('b', 'a'))).toEqual(['new', 'known']);
  });

  test('are forgotten at their maximum age', async () => {
    await store.accept(keys('a'));
    time += 999;
    expect(await store.claim(keys('a'))).toEqual(['known']);
    time += 1;
    expect(await store.claim(keys('a'))).toEqual(['new']);
  });

  test('never exceed their maximum: the oldest are dropped', async () => {
    await store.accept(keys('a', 'b', 'c', 'd'));
    expect(await store.claim(keys('a', 'b', 'c', 'd'))).toEqual(['new', 'known', 'known', 'known']);
  });
});

describe('the file', () => {
  test('is read again after a restart', async () => {
    const first = await openDedupeFile(directory);
    const bench = setUp({ dedupe: first });
    const sent = event();
    await bench.post('/events', sent);
    await first.close();
    const second = await openDedupeFile(directory);
    const again = setUp({ dedupe: second });
    expect((await again.post('/events', sent)).status).toBe(201);
    expect(again.network.calls).toHaveLength(0);
    await second.close();
  });

  test('contains an event before its sender gets a response, so kill -9 loses nothing', async () => {
    const store = await openDedupeFile(directory);
    const bench = setUp({ dedupe: store });
    const sent = event();
    await bench.post('/events', sent);
    expect(await readFile(log(), 'utf8')).toContain(key(`${String(sent['session_id'])}\0${String(sent['event_id'])}`));
    await store.close();
  });

  test('with half a line at its end loses only that line', async () => {
    const first = await openDedupeFile(directory);
    await first.accept(keys('whole', 'half'), '192.0.2.1');
    await first.close();
    const text = await readFile(log(), 'utf8');
    await writeFile(log(), text.slice(0, text.indexOf(key('half')) + 20));
    const store = await openDedupeFile(directory);
    await store.accept(keys('next'));
    await store.close();
    const again = await openDedupeFile(directory);
    expect(await again.claim(keys('whole', 'half', 'next'))).toEqual(['known', 'new', 'known']);
    await again.close();
  });

  test('of another version is moved aside, with a line of log', async () => {
    await writeFile(log(), `${Date.now().toString(36)} 6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10\n`);
    const logs: string[] = [];
    const store = await openDedupeFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([store.size(), logs]).toEqual([
      0,
      [expect.stringMatching(/is of another version or damaged, and was moved to .*\.unreadable-\d+\./)],
    ]);
    const aside = (await readdir(directory)).find((name) => name.includes('.unreadable-')) ?? '';
    expect(await readFile(join(directory, aside), 'utf8')).toContain('6f1c2f0e-5b0e');
    await store.accept(keys('a'));
    await store.close();
    const again = await openDedupeFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([again.size(), logs.length]).toEqual([1, 1]);
    await again.close();
  });

  test('is compacted when most of it is stale', async () => {
    let time = 1_000;
    const store = await openDedupeFile(directory, { maxAgeMs: 10, now: () => time });
    const many = Array.from({ length: 6_000 }, (_, index) => key(`${index}`));
    await store.accept(many);
    const before = (await stat(log())).size;
    time += 11;
    await store.claim(many);
    await store.accept(many);
    time += 11;
    await store.claim(many);
    await store.accept(keys('last'));
    expect((await stat(log())).size).toBeLessThan(before);
    await store.accept(keys('after'));
    expect(await store.claim(keys('last', 'after'))).toEqual(['known', 'known']);
    await store.close();
    const again = await openDedupeFile(directory, { maxAgeMs: 10, now: () => time });
    expect(await again.claim(keys('last', 'after', '0'))).toEqual(['known', 'known', 'new']);
    await again.close();
  });

  test('that cannot be compacted, as on a full disk, is opened and appended to all the same', async () => {
    let time = 1_000;
    const options = { maxAgeMs: 10, now: () => time, onLog: ({ message }: LogEntry) => void logs.push(message) };
    const logs: string[] = [];
    // What compaction writes to cannot be created.
    await mkdir(`${log()}.new`);
    const store = await openDedupeFile(directory, options);
    await store.accept(Array.from({ length: 11_000 }, (_, index) => key(`${index}`)));
    time += 11;
    await store.claim([]);
    await store.accept(keys('a'));
    expect(logs).toEqual([expect.stringMatching(/could not be compacted/)]);
    await store.close();
    const again = await openDedupeFile(directory, options);
    await again.accept(keys('b'));
    expect(await again.claim(keys('a', 'b'))).toEqual(['known', 'known']);
    await again.close();
  });

  test('of a new owner is not replaced by what an earlier one compacts', async () => {
    let time = 1_000;
    const logs: LogEntry[] = [];
    const store = await openDedupeFile(directory, {
      maxAgeMs: 10,
      now: () => time,
      onLog: (entry) => logs.push(entry),
    });
    await store.accept(Array.from({ length: 10_030 }, (_, index) => key(`${index}`)));
    time += 11;
    await store.claim([]);
    // Within the second for which the earlier owner relies on its last look.
    await Promise.allSettled([
      store.accept(Array.from({ length: 20 }, (_, index) => key(`late ${index}`))),
      writeFile(join(directory, 'relay.lock.2'), '{}'),
    ]);
    expect(logs).toEqual([
      expect.objectContaining({ error: expect.stringContaining('was taken over by another process') as unknown }),
    ]);
    expect(await readFile(log(), 'utf8')).toContain(key('0'));
    expect((await store.lost).message).toContain('was taken over');
    await expect(async () => store.claim(keys('a'))).rejects.toThrow('was taken over');
  });

  test('numbers its senders the same way after a restart', async () => {
    const firstLine = async (): Promise<string> => (await readFile(log(), 'utf8')).split('\n')[0] ?? '';
    await (await openDedupeFile(directory)).close();
    const first = await firstLine();
    expect(first).toMatch(/^offerlet accepted events 1 salt [0-9a-f]{8}$/);
    await (await openDedupeFile(directory)).close();
    expect(await firstLine()).toBe(first);
  });

  test('whose first line was cut off by a crash starts anew, without a line of log', async () => {
    const logs: string[] = [];
    for (const cut of ['', 'offer', 'offerlet accepted events 1 salt ', 'offerlet accepted events 1 salt 0123']) {
      await writeFile(log(), cut);
      const store = await openDedupeFile(directory, { onLog: ({ message }) => logs.push(message) });
      await store.accept(keys('a'));
      await store.close();
      const again = await openDedupeFile(directory, { onLog: ({ message }) => logs.push(message) });
      expect(await again.claim(keys('a'))).toEqual(['known']);
      await again.close();
    }
    expect(logs).toEqual([]);
  });

  test('belongs to one process at a time', async () => {
    const store = await openDedupeFile(directory);
    await expect(openDedupeFile(directory)).rejects.toThrow(
      /is in use by process \d+\. Stop it, or give this relay a directory of its own/,
    );
    await store.close();
    await (await openDedupeFile(directory)).close();
  });

  test('in an unusable place is refused in one line', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(openDedupeFile(join(directory, 'file'))).rejects.toThrow(/cannot be (created|written to)/);
  });
});
