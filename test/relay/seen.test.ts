import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { array, assert, nat, property, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSeenMemory, openSeenFile, type LogEntry, type SeenStore } from '../../src/relay.ts';
import { createEventKeys } from '../../src/relay/seen/eventKeys.ts';
import { event, json, resultsOf, setUp } from './fakeNetwork.ts';

let directory: string;
/** A key as the relay makes them. */
const key = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);
const keys = (...names: string[]): string[] => names.map(key);
const log = (): string => join(directory, 'accepted-events.log');
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offerlet-seen-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe.each<[string, (options: { max: number; maxAgeMs: number; now: () => number }) => Promise<SeenStore>]>([
  ['memory', async (options) => createSeenMemory(options)],
  ['file', (options) => openSeenFile(directory, options)],
])('accepted ids in %s', (_, open) => {
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

  test('are forgotten at their age', async () => {
    await store.accept(keys('a'));
    time += 999;
    expect(await store.claim(keys('a'))).toEqual(['known']);
    time += 1;
    expect(await store.claim(keys('a'))).toEqual(['new']);
  });

  test('never grow beyond their number: the oldest go', async () => {
    await store.accept(keys('a', 'b', 'c', 'd'));
    expect(await store.claim(keys('a', 'b', 'c', 'd'))).toEqual(['new', 'known', 'known', 'known']);
  });
});

test('a flood from one address pushes out its own events, never those of others', () => {
  const memory = createSeenMemory({ max: 2_000 });
  const shoppers = Array.from({ length: 300 }, (_, index) => `198.51.100.${index}`);
  for (const address of shoppers) memory.accept(keys(`${address} a`, `${address} b`), address);
  for (let batch = 0; batch < 500; batch++)
    memory.accept(
      Array.from({ length: 20 }, (_, index) => key(`flood ${batch} ${index}`)),
      '203.0.113.66',
    );
  expect(memory.size()).toBe(2_000);
  const kept = shoppers.flatMap((address) => memory.claim(keys(`${address} a`, `${address} b`)));
  expect(kept.filter((claim) => claim === 'known')).toHaveLength(600);
  expect(memory.claim(keys('flood 499 19', 'flood 0 0'))).toEqual(['known', 'new']);
});

test('a shopper is told of a duplicate after a flood of events from another address', async () => {
  const { network, relay } = setUp({ seen: createSeenMemory({ max: 100 }), rateLimit: false });
  const post = (events: unknown[], ip: string): Promise<Response> =>
    relay(
      new Request('https://shop.example/events/batch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ events }),
      }),
      { ip },
    );
  const sent = event();
  await post([sent], '198.51.100.1');
  for (let batch = 0; batch < 10; batch++)
    await post(
      Array.from({ length: 20 }, () => event({ session_id: crypto.randomUUID() })),
      '203.0.113.66',
    );
  await post([sent], '198.51.100.1');
  expect(network.calls).toHaveLength(11);
});

test('a memory does what a plain map would do, whatever comes', () => {
  assert(
    property(array(record({ name: nat(60), sender: nat(3), wait: nat(30) }), { maxLength: 300 }), (steps) => {
      let time = 0;
      const memory = createSeenMemory({ max: 1_000, maxAgeMs: 100, now: () => time });
      const model = new Map<string, number>();
      for (const { name, sender, wait } of steps) {
        time += wait;
        for (const [known, at] of model) if (at <= time - 100) model.delete(known);
        const [claim] = memory.claim(keys(`${name}`));
        expect(claim).toBe(model.has(`${name}`) ? 'known' : 'new');
        memory.accept(keys(`${name}`), `sender ${sender}`);
        if (!model.has(`${name}`)) model.set(`${name}`, time);
        expect(memory.size()).toBe(model.size);
        expect(Array.from(memory.entries(), (entry) => entry.key)).toEqual([...model.keys()].map(key));
      }
    }),
    { numRuns: 50 },
  );
});

test('a remembered event takes 46 bytes, however long its id is', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage();
  const memory = createSeenMemory();
  for (let batch = 0; batch < 10_000; batch++)
    memory.accept(Array.from({ length: 20 }, (_, index) => key(`${batch} ${index} ${'x'.repeat(150)}`)));
  collect();
  const after = process.memoryUsage();
  expect(memory.size()).toBe(200_000);
  // 46 bytes, and 48 KB for the table of senders.
  expect((after.arrayBuffers - before.arrayBuffers) / 200_000).toBeLessThan(46.5);
  expect((after.heapUsed - before.heapUsed) / 200_000).toBeLessThan(10);
});

test('an event key is the same on Node and on Web Crypto', async () => {
  const events = [{ session_id: 'Sitzung 1', event_id: 'Größe' }];
  const onNode = createEventKeys()(events);
  vi.stubGlobal('process', undefined);
  const onWeb = createEventKeys()(events);
  vi.unstubAllGlobals();
  expect(onNode).toEqual(keys('Sitzung 1\0Größe'));
  expect(await onWeb).toEqual(onNode);
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

  test('holds an event before its sender hears of it, so kill -9 forgets nothing', async () => {
    const seen = await openSeenFile(directory);
    const bench = setUp({ seen });
    const sent = event();
    await bench.post('/events', sent);
    expect(await readFile(log(), 'utf8')).toContain(key(`${String(sent['session_id'])}\0${String(sent['event_id'])}`));
    await seen.close();
  });

  test('with half a line at its end loses that line only', async () => {
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

  test('of an earlier version is discarded, with a line of log', async () => {
    await writeFile(log(), `${Date.now().toString(36)} 6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10\n`);
    const logs: string[] = [];
    const seen = await openSeenFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([seen.size(), logs]).toEqual([0, [expect.stringMatching(/is of an earlier version and was discarded/)]]);
    await seen.accept(keys('a'));
    await seen.close();
    const again = await openSeenFile(directory, { onLog: ({ message }) => logs.push(message) });
    expect([again.size(), logs.length]).toEqual([1, 1]);
    await again.close();
  });

  test('is written anew when most of it is stale', async () => {
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

  test('belongs to one process at a time', async () => {
    const seen = await openSeenFile(directory);
    await expect(openSeenFile(directory)).rejects.toThrow(
      /is in use by process \d+: stop it, or give this relay a directory of its own/,
    );
    await seen.close();
    await (await openSeenFile(directory)).close();
  });

  test('in a place that cannot be used says so in one line', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(openSeenFile(join(directory, 'file'))).rejects.toThrow(/cannot be (made|written to)/);
  });
});

test('a store that cannot be asked is a 503: the sender keeps its events, the network hears nothing', async () => {
  const { network, post, counted } = setUp({
    seen: { claim: () => Promise.reject(new Error('down')), accept: () => undefined, release: () => undefined },
  });
  const response = await post('/events/batch', { events: [event()] });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(network.calls).toHaveLength(0);
  expect(counted('seen_failed')).toBe(1);
});

test.each(['claim', 'accept', 'release'] as const)(
  'a store whose %s never returns holds no request up',
  async (name) => {
    const store = {
      claim: (keys: readonly string[]) => keys.map(() => 'new' as const),
      accept: () => undefined,
      release: () => undefined,
    };
    const hang = (): Promise<never> => new Promise(() => undefined);
    const { network, post, counted, logs } = setUp({ seen: { ...store, [name]: hang }, timeouts: { seen: 30 } });
    if (name === 'release') network.answerWith(() => json(503, { message: 'Later' }));
    const response = await post('/events/batch', { events: [event()] });
    expect([response.status, response.headers.get('retry-after')]).toEqual(
      { claim: [503, '5'], accept: [202, null], release: [503, null] }[name],
    );
    expect(network.calls).toHaveLength(name === 'claim' ? 0 : 1);
    expect(counted('seen_failed')).toBe(1);
    expect(logs.find((entry) => entry.level === 'error')).toMatchObject({
      message: 'The store of accepted events failed.',
      error: 'no reply within 30 ms',
    });
  },
);

test('a store that cannot write does not make an accepted event a failure, nor its duplicate a new event', async () => {
  const { network, post, counted } = setUp({
    seen: {
      claim: (ids) => ids.map(() => 'new' as const),
      accept: () => Promise.reject(new Error('disk full')),
      release: () => undefined,
    },
  });
  const sent = event();
  expect((await post('/events', sent)).status).toBe(201);
  expect((await post('/events', sent)).status).toBe(201);
  expect(network.calls).toHaveLength(1);
  expect(counted('seen_failed')).toBe(1);
});

test('what another relay is forwarding is asked for again later', async () => {
  const { network, post } = setUp({
    seen: {
      claim: (ids) => ids.map((_, index) => (index === 0 ? ('busy' as const) : ('new' as const))),
      accept: () => undefined,
      release: () => undefined,
    },
  });
  const response = await post('/events/batch', { events: [event(), event()] });
  expect(response.status).toBe(207);
  expect(
    (await resultsOf(response)).map((result) => [result.success, result.error?.code, result.error?.retryable]),
  ).toEqual([
    [false, 'in_flight', true],
    [true, undefined, undefined],
  ]);
  expect((await post('/events', event())).status).toBe(503);
  expect(network.events()).toHaveLength(1);
});
