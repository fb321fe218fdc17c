import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSessionQueue } from '../../src/queue/openCore.ts';
import { openNotedCore } from '../../src/queue/openNotedCore.ts';
import { pageFace, type FacedQueue } from './pageFace.ts';
import { event, freshStorage, names, onDisk, slowStorage } from './world.ts';

const opened: FacedQueue[] = [];
const openPage = (): FacedQueue => {
  const queue = pageFace(
    openSessionQueue({ endpoint: '/events/batch', send: async () => ({ status: 503 }) }, openNotedCore),
  );
  opened.push(queue);
  return queue;
};

beforeEach(() => freshStorage());
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(opened.splice(0).map((queue) => queue.close()));
});

it('a note is stored with the events, and the next page can read it', async () => {
  const first = openPage();
  expect(await first.notes.read('order')).toBeUndefined();
  await first.notes.update('order', () => ({ at: 1, seen: ['LOAD'] }));
  await first.notes.update('order', (before) => ({ ...(before as object), closed: true }));
  const second = openPage();
  expect(await second.notes.read('order')).toEqual({ at: 1, seen: ['LOAD'], closed: true });
  await second.notes.update('order', () => undefined);
  expect(await first.notes.read('order')).toBeUndefined();
});

it('concurrent updates of one note by two tabs are both applied', async () => {
  const tabs = [openPage(), openPage()];
  const add = (mark: string) => (before: unknown) => [...((before ?? []) as string[]), mark].sort();
  await Promise.all(tabs.map(({ notes }, tab) => notes.update('seen', add(`m${tab}`))));
  expect(await tabs[0]?.notes.read('seen')).toEqual(['m0', 'm1']);
});

it('an event is on disk once it is tracked, even if a note of the same task has written it', async () => {
  const queue = openPage();
  void queue.notes.update('order', () => 1);
  await queue.track(event('a'));
  expect((await onDisk()).events).toEqual(['a']);
});

it('notes are not counted as events, dead letters or lost rows, nor against the cap', async () => {
  const queue = openPage();
  await Promise.all(names(30).map((id) => queue.notes.update(id, () => ({ event: id, reason: 'a note' }))));
  await queue.track(event('a'));
  await queue.flush();
  expect(await queue.stats()).toMatchObject({ onDisk: 1, deadLetters: 0, dropped: 0 });
  expect(await queue.deadLetters()).toEqual([]);
  expect(await onDisk()).toMatchObject({ events: ['a'], letters: [] });
  await queue.notes.sweep(() => false);
  expect(await queue.notes.read('e7')).toBeUndefined();
  await queue.close();
  const next = openPage();
  await next.flush();
  expect(await next.stats()).toMatchObject({ onDisk: 1, dropped: 0 });
});

it('a sweep removes notes that are not fresh', async () => {
  const { notes } = openPage();
  await notes.update('old', () => 1);
  await notes.update('new', () => 2);
  await notes.sweep((value) => value === 2);
  expect([await notes.read('old'), await notes.read('new')]).toEqual([undefined, 2]);
});

it('notes are held in memory when storage is missing or hangs', async () => {
  const stuck = { addEventListener: () => undefined } as unknown as IDBOpenDBRequest;
  for (const value of [undefined, { open: () => stuck }]) {
    vi.stubGlobal('indexedDB', value);
    const { notes } = openPage();
    await notes.update('order', () => 1);
    await notes.update('order', (before) => Number(before) + 1);
    expect(await notes.read('order')).toBe(2);
    await notes.sweep(() => false);
    expect(await notes.read('order')).toBeUndefined();
  }
});

it('updates made while storage was slow are applied to the stored note', async () => {
  const earlier = openPage();
  const add = (mark: string) => (before: unknown) => [...new Set([...((before ?? []) as string[]), mark])];
  await earlier.notes.update('seen', add('before'));
  await earlier.close();
  slowStorage(1_500);
  const slow = openPage();
  await slow.notes.update('seen', add('meanwhile'));
  expect(await slow.notes.read('seen')).toEqual(['meanwhile']);
  await vi.waitFor(async () => expect(await slow.notes.read('seen')).toEqual(['before', 'meanwhile']));
});
