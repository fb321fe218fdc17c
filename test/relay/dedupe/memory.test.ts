import { array, assert, nat, property, record } from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { createDedupeMemory } from '../../../src/relay.ts';
import { eventKeys } from '../../../src/relay/dedupe/eventKeys.ts';
import { KeyTable, SENDERS, senderNumber } from '../../../src/relay/dedupe/keyTable.ts';
import { key, keys } from './keys.ts';

const EIGHT_DAYS = 8 * 86_400_000;

test('long values fill the part of their own sender, and take no more than many short ones', () => {
  const table = new KeyTable({ max: 2_000, maxAgeMs: EIGHT_DAYS });
  const shoppers = Array.from({ length: 300 }, (_, sender) => ({ name: `${sender}`, sender }));
  for (const { name, sender } of shoppers) table.add(key(name), { at: 0, sender, value: 'owner THANK_YOU INLINE ' });
  for (let at = 0; at < 1_000; at++) table.add(key(`flood ${at}`), { at: 0, sender: 4_000, value: 'w'.repeat(1_300) });
  expect(shoppers.every(({ name }) => table.has(key(name)))).toBe(true);
  const names = [...shoppers.map(({ name }) => name), ...[...Array(1_000).keys()].map((at) => `flood ${at}`)];
  const characters = names.reduce((sum, name) => sum + (table.get(key(name))?.value?.length ?? 0), 0);
  expect(characters).toBeGreaterThan(40_000);
  expect(characters).toBeLessThan(2_000 * 32);
});

test('a full memory of many addresses keeps what was accepted last', () => {
  const memory = createDedupeMemory({ max: 200_000 });
  const word = (at: number): string => (Math.imul(at + 1, 0x9e_37_79_b1) >>> 0).toString(16).padStart(8, '0');
  const spread = (at: number): string => word(at).padEnd(32, '0');
  for (let at = 0; at < 300_000; at++) memory.accept([spread(at)], `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
  // Each of 4,096 parts keeps about 49, and has about 15 of the newest: all but never more than it keeps.
  const newest = Array.from({ length: 60_000 }, (_, at) => spread(240_000 + at));
  expect(memory.claim(newest).filter((claim) => claim === 'new')).toEqual([]);
});

test('a full table takes from a sender of which no other has more, for any sequence', () => {
  assert(
    property(array(nat(4), { maxLength: 200 }), (senders) => {
      const table = new KeyTable({ max: 12, maxAgeMs: EIGHT_DAYS });
      const model: { name: string; sender: number }[] = [];
      for (const [at, sender] of senders.entries()) {
        table.add(key(`${at}`), { at, sender });
        const counts = model.map((one) => model.filter((other) => other.sender === one.sender).length);
        const most = Math.max(...counts);
        const gone = model.filter((one) => !table.has(key(one.name)));
        expect(gone.length).toBe(model.length === 12 ? 1 : 0);
        if (gone[0]) {
          const index = model.indexOf(gone[0]);
          expect(counts[index]).toBe(most);
          expect(model.findIndex((one) => one.sender === gone[0]?.sender)).toBe(index);
          model.splice(index, 1);
        }
        model.push({ name: `${at}`, sender });
      }
    }),
    { numRuns: 100 },
  );
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

test('which senders share a number follows from the salt', () => {
  const numbers = Array.from({ length: 8 }, (_, salt) => senderNumber('192.0.2.1', salt));
  expect(new Set(numbers).size).toBeGreaterThan(1);
  expect(numbers.every((number) => number < SENDERS)).toBe(true);
});

test('a table behaves like a plain map, for any sequence of events', () => {
  assert(
    property(array(record({ name: nat(60), sender: nat(3), wait: nat(30) }), { maxLength: 300 }), (steps) => {
      let time = 0;
      const table = new KeyTable({ max: 1_000, maxAgeMs: 100 });
      const model = new Map<string, number>();
      for (const { name, sender, wait } of steps) {
        time += wait;
        for (const [known, at] of model) if (at <= time - 100) model.delete(known);
        table.expire(time);
        expect(table.get(key(`${name}`))?.at).toBe(model.get(`${name}`));
        expect(table.add(key(`${name}`), { at: time, sender })).toBe(!model.has(`${name}`));
        if (!model.has(`${name}`)) model.set(`${name}`, time);
        expect(table.size).toBe(model.size);
      }
    }),
    { numRuns: 50 },
  );
});

test('a remembered event takes 46 bytes, however long its id is', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const read = (): number => process.memoryUsage().arrayBuffers;
  /** Collects until nothing more is freed: what other files of this process have left may take several runs. */
  async function measure(last = -1): Promise<number> {
    if (last === read()) return last;
    const now = read();
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return measure(now);
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
  const onNode = await eventKeys(events);
  vi.stubGlobal('process', undefined);
  const onWeb = eventKeys(events);
  vi.unstubAllGlobals();
  expect(onNode).toEqual(keys('Sitzung 1\0Größe'));
  expect(await onWeb).toEqual(onNode);
});
