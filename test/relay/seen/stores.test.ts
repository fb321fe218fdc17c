import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSeenMemory, openSeenFile, type LogEntry, type SeenStore } from '../../../src/relay.ts';
import { event, setUp } from '../fakeNetwork.ts';
import { key, keys } from './keys.ts';

let directory: string;
const log = (): string => join(directory, 'accepted-events.log');
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offerlet-seen-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe.each<[string, (options: { max: number; maxAgeMs: number; now: () => number }) => Promise<SeenStore>]>([
  ['memory', async (options) => createSeenMemory(options)],
  ['file', (options) => openSeenFile(directory, options)],
])('accepted events in %s', (_, open) => {
  let time = 1_000_000;
  let store: SeenStore;
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
    const first = await openSeenFile(directory);
    const bench = setUp({ seen: first });
    const sent = event();
    await bench.post('/events', sent);
    await first.close();
    const second = await openSeenFile(directory);
    const again = setUp({ seen: second });
    expect((await again.post('/events', sent)).status).toBe(201);
    expect(again.network.calls).toHaveLength(0);
    await second.close();
  });

  test('contains an event before its sender gets a response, so kill -9 loses nothing', async () => {
    const seen = await openSeenFile(directory);
    const bench = setUp({ seen });
    const sent = event();
    await bench.post('/events', sent);
    expect(await readFile(log(), 'utf8')).toContain(key(`${String(sent['session_id'])}\0${String(sent['event_id'])}`));
    await seen.close();
  });

  test('with half a line at its end loses only that line', async () => {
    const first = await openSeenFile(directory);
    await first.accept(keys('whole', 'half'), '192.0.2.1');
    await first.close();
    const text = await readFile(log(), 'utf8');
    await writeFile(log(), text.slice(0, -10));
    const seen = await openSeenFile(directory);
    await seen.accept(keys('next'));
    await seen.close();
    const again = await openSeenFile(directory);
    expect(await again.claim(keys('whole', 'half', 'next'))).toEqual(['known', 'new', 'known']);
    await again.close();
  });

  test('of another version is moved aside, with a line of log', async () => {
    await writeFile(log(), `${Date.now().toString(36)} 6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10\n`);
    const logs: string[] = [];
    const seen = await openSeenFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([seen.size(), logs]).toEqual([
      0,
      [expect.stringMatching(/is of another version or damaged, and was moved to .*\.unreadable-\d+\./)],
    ]);
    const aside = (await readdir(directory)).find((name) => name.includes('.unreadable-')) ?? '';
    expect(await readFile(join(directory, aside), 'utf8')).toContain('6f1c2f0e-5b0e');
    await seen.accept(keys('a'));
    await seen.close();
    const again = await openSeenFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([again.size(), logs.length]).toEqual([1, 1]);
    await again.close();
  });

  test('is compacted when most of it is stale', async () => {
    let time = 1_000;
    const seen = await openSeenFile(directory, { maxAgeMs: 10, now: () => time });
    const many = Array.from({ length: 6_000 }, (_, index) => key(`${index}`));
    await seen.accept(many);
    const before = (await stat(log())).size;
    time += 11;
    await seen.claim(many);
    await seen.accept(many);
    time += 11;
    await seen.claim(many);
    await seen.accept(keys('last'));
    expect((await stat(log())).size).toBeLessThan(before);
    await seen.accept(keys('after'));
    expect(await seen.claim(keys('last', 'after'))).toEqual(['known', 'known']);
    await seen.close();
    const again = await openSeenFile(directory, { maxAgeMs: 10, now: () => time });
    expect(await again.claim(keys('last', 'after', '0'))).toEqual(['known', 'known', 'new']);
    await again.close();
  });

  test('that cannot be compacted, as on a full disk, is opened and appended to all the same', async () => {
    let time = 1_000;
    const options = { maxAgeMs: 10, now: () => time, onLog: ({ message }: LogEntry) => void logs.push(message) };
    const logs: string[] = [];
    // What compaction writes to cannot be created.
    await mkdir(`${log()}.new`);
    const seen = await openSeenFile(directory, options);
    await seen.accept(Array.from({ length: 11_000 }, (_, index) => key(`${index}`)));
    time += 11;
    await seen.claim([]);
    await seen.accept(keys('a'));
    expect(logs).toEqual([expect.stringMatching(/could not be compacted/)]);
    await seen.close();
    const again = await openSeenFile(directory, options);
    await again.accept(keys('b'));
    expect(await again.claim(keys('a', 'b'))).toEqual(['known', 'known']);
    await again.close();
  });

  test('of a new owner is not replaced by what an earlier one compacts', async () => {
    let time = 1_000;
    const logs: LogEntry[] = [];
    const seen = await openSeenFile(directory, { maxAgeMs: 10, now: () => time, onLog: (entry) => logs.push(entry) });
    await seen.accept(Array.from({ length: 10_030 }, (_, index) => key(`${index}`)));
    time += 11;
    await seen.claim([]);
    // Within the second for which the earlier owner relies on its last look.
    await Promise.allSettled([
      seen.accept(Array.from({ length: 20 }, (_, index) => key(`late ${index}`))),
      writeFile(join(directory, 'relay.lock.2'), '{}'),
    ]);
    expect(logs).toEqual([
      expect.objectContaining({ error: expect.stringContaining('was taken over by another process') as unknown }),
    ]);
    expect(await readFile(log(), 'utf8')).toContain(key('0'));
    expect((await seen.lost).message).toContain('was taken over');
    await expect(async () => seen.claim(keys('a'))).rejects.toThrow('was taken over');
  });

  test('numbers its senders the same way after a restart, and newly when they could be worked out', async () => {
    const salt = async (): Promise<string> => (await readFile(log(), 'utf8')).split('\n')[1] ?? '';
    await (await openSeenFile(directory)).close();
    const first = await salt();
    expect(first).toMatch(/^salt [0-9a-f]{8}$/);
    await (await openSeenFile(directory)).close();
    expect(await salt()).toBe(first);
    await writeFile(log(), (await readFile(log(), 'utf8')).replace(`${first}\n`, `1abc ${key('a')} 0\n`));
    const seen = await openSeenFile(directory, { now: () => 100_000 });
    expect(await salt()).toMatch(/^salt [0-9a-f]{8}$/);
    expect(await seen.claim(keys('a'))).toEqual(['known']);
    await seen.close();
  });

  test('belongs to one process at a time', async () => {
    const seen = await openSeenFile(directory);
    await expect(openSeenFile(directory)).rejects.toThrow(
      /is in use by process \d+\. Stop it, or give this relay a directory of its own/,
    );
    await seen.close();
    await (await openSeenFile(directory)).close();
  });

  test('in an unusable place is refused in one line', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(openSeenFile(join(directory, 'file'))).rejects.toThrow(/cannot be (created|written to)/);
  });
});
