import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSeenMemory, openSeenFile, type SeenStore } from '../../src/relay.ts';
import { event, resultsOf, setUp } from './fakeNetwork.ts';

let directory: string;
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
    expect(await store.claim(['a', 'b'])).toEqual(['new', 'new']);
    await store.release(['b']);
    await store.accept(['a']);
    expect(await store.claim(['b', 'a'])).toEqual(['new', 'known']);
  });

  test('are forgotten at their age', async () => {
    await store.accept(['a']);
    time += 999;
    expect(await store.claim(['a'])).toEqual(['known']);
    time += 1;
    expect(await store.claim(['a'])).toEqual(['new']);
  });

  test('never grow beyond their number: the oldest go', async () => {
    await store.accept(['a', 'b', 'c', 'd']);
    expect(await store.claim(['a', 'b', 'c', 'd'])).toEqual(['new', 'known', 'known', 'known']);
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

  test('holds an id before its event is answered, so kill -9 forgets nothing', async () => {
    const seen = await openSeenFile(directory);
    const bench = setUp({ seen });
    const sent = event();
    await bench.post('/events', sent);
    expect(await readFile(log(), 'utf8')).toContain(sent['event_id']);
    await seen.close();
  });

  test('with half a line at its end loses that line only', async () => {
    await writeFile(log(), `${Date.now().toString(36)} whole\n${Date.now().toString(36)} hal`);
    const seen = await openSeenFile(directory);
    await seen.accept(['next']);
    await seen.close();
    const again = await openSeenFile(directory);
    expect(await again.claim(['whole', 'half', 'next'])).toEqual(['known', 'new', 'known']);
    await again.close();
  });

  test('is written anew when most of it is stale', async () => {
    let time = 1_000;
    const seen = await openSeenFile(directory, { maxAgeMs: 10, now: () => time });
    const ids = Array.from({ length: 6_000 }, (_, index) => `id-${index}`);
    await seen.accept(ids);
    const before = (await stat(log())).size;
    time += 11;
    await seen.accept(ids);
    time += 11;
    await seen.accept(['last']);
    expect((await stat(log())).size).toBeLessThan(before);
    await seen.accept(['after']);
    expect(await seen.claim(['last', 'after'])).toEqual(['known', 'known']);
    await seen.close();
    const again = await openSeenFile(directory, { maxAgeMs: 10, now: () => time });
    expect(await again.claim(['last', 'after', 'id-0'])).toEqual(['known', 'known', 'new']);
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

test('a store that cannot write does not make an accepted event a failure, nor its repeat a duplicate', async () => {
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
