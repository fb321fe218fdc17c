import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { createDedupeMemory, openDedupeFile, type DedupeStore } from '../../../src/relay.ts';
import { ask, keys } from './keys.ts';

let directory: string;
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
    expect(await ask(store, keys('a', 'b'))).toEqual(['new', 'new']);
    await store.accept(keys('a'));
    expect(await ask(store, keys('b', 'a'))).toEqual(['new', 'known']);
  });

  test('are forgotten at their maximum age', async () => {
    await store.accept(keys('a'));
    time += 999;
    expect(await ask(store, keys('a'))).toEqual(['known']);
    time += 1;
    expect(await ask(store, keys('a'))).toEqual(['new']);
  });

  test('never exceed their maximum: the oldest are dropped', async () => {
    await store.accept(keys('a', 'b', 'c', 'd'));
    expect(await ask(store, keys('a', 'b', 'c', 'd'))).toEqual(['new', 'known', 'known', 'known']);
  });
});
