import { array, assert, nat, property, record } from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { createDedupeMemory } from '../../../src/relay.ts';
import { dedupeTable, createEventKeys } from '../../../src/relay/dedupe/createDedupeMemory.ts';
import { event, setUp } from '../scriptedNetwork.ts';
import { key, keys } from './keys.ts';

test('a flood from one address evicts its own events, never those of others', () => {
  // With a random salt, one in fourteen runs has a shopper who shares the number of the flood's address.
  const memory = dedupeTable({ max: 2_000 }, 1);
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

test.each([
  [{ max: 0 }, 'max must be a whole number between 1 and 100000000, not 0.'],
  [{ max: -1 }, 'max must be a whole number'],
  [{ max: 1.5 }, 'max must be a whole number'],
  [{ max: Number.NaN }, 'max must be a whole number'],
  [{ max: '5' as unknown as number }, 'max must be a whole number between 1 and 100000000, not "5".'],
  [{ maxAgeMs: 0 }, 'maxAgeMs must be a whole number of 1 or more, not 0.'],
  [{ maxAgeMs: Number.NaN }, 'maxAgeMs must be a whole number'],
])('a memory with %o is refused', (options, message) => {
  expect(() => createDedupeMemory(options)).toThrow(message);
});

test('which senders share a number differs from memory to memory', () => {
  const numbers = Array.from({ length: 8 }, () => dedupeTable({}).accept(keys('a'), '192.0.2.1').sender);
  expect(new Set(numbers).size).toBeGreaterThan(1);
});

test('a duplicate is recognized after a flood of events from another address', async () => {
  const { network, relay } = setUp({ dedupe: createDedupeMemory({ max: 100 }), rateLimit: false });
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

test('a memory behaves like a plain map, for any sequence of events', () => {
  assert(
    property(array(record({ name: nat(60), sender: nat(3), wait: nat(30) }), { maxLength: 300 }), (steps) => {
      let time = 0;
      const memory = dedupeTable({ max: 1_000, maxAgeMs: 100, now: () => time });
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

test('a remembered event takes 46 bytes, however long its id is', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  async function measure(): Promise<number> {
    // Twice: what the first run frees may hold the memory of arrays until the second.
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().arrayBuffers;
  }
  const before = await measure();
  const memory = createDedupeMemory();
  for (let batch = 0; batch < 10_000; batch++)
    memory.accept(Array.from({ length: 20 }, (_, index) => key(`${batch} ${index} ${'x'.repeat(150)}`)));
  const bytes = (await measure()) - before;
  expect(memory.size()).toBe(200_000);
  // And 48 KB for the table of senders.
  expect(bytes / 200_000).toBeGreaterThan(45);
  expect(bytes / 200_000).toBeLessThan(47);
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
