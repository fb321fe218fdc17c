import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { IDBObjectStore } from 'fake-indexeddb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openBrowserRows } from '../../src/queue/openCore.ts';
import { nextTask } from '../../src/queue/createPost.ts';
import type { SendResponse } from '../../src/queue/events.ts';
import { event, freshStorage, names, onDisk, open, putRows, slowStorage, type Watched } from './world.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

const opened: Watched[] = [];
const down = (options = {}): Watched => {
  const queue = open(() => ({ status: 503 }), options);
  opened.push(queue);
  return queue;
};

beforeEach(() => freshStorage());
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(opened.splice(0).map((queue) => queue.close()));
  // Whatever they still do ends with their own storage.
  await letPass(100);
});

it('events tracked in one task are written in one transaction that is committed explicitly and at once', async () => {
  const queue = down();
  await queue.flush();
  const steps: string[] = [];
  const { put } = IDBObjectStore.prototype;
  const { commit } = IDBTransaction.prototype;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function record(this: IDBObjectStore, ...given) {
    steps.push('put');
    return put.apply(this, given);
  });
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(function record(this: IDBTransaction) {
    steps.push('commit');
    return commit.call(this);
  });
  const tracked = Promise.all(names(3).map((id) => queue.track(event(id))));
  await vi.waitFor(() => expect(steps).toContain('put'));
  // The page may die now: whatever comes later than this is too late.
  expect(steps.slice(0, 4)).toEqual(['put', 'put', 'put', 'commit']);
  await tracked;
});

it('what is written keeps no memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { write } = openBrowserRows('rows', { emit() {}, onWithdrawn() {}, onBack() {} });
  const used = async (): Promise<number> => {
    for (let time = 0; time < 20_000; time++) await write();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await used();
  expect((await used()) - before).toBeLessThan(500_000);
});

it('a full queue drops the oldest displays before any click, and reports it', async () => {
  // However long it takes, storage is never found to hang.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const queue = down();
  await Promise.all(names(600).map((id) => queue.track(event(`c${id}`, { event_name: 'BRAND_CLICK' }))));
  await Promise.all(names(460).map((id) => queue.track(event(`d${id}`))));
  const { events } = await onDisk();
  expect(events).toHaveLength(1_000);
  expect(events.filter((id) => id.startsWith('ce'))).toHaveLength(600);
  expect(events).not.toContain('de59');
  const dropped = queue.of('dropped');
  expect(new Set(dropped.map(({ reason }) => reason))).toEqual(new Set(['full']));
  expect(dropped.reduce((sum, { count }) => sum + count, 0)).toBe(60);
  expect(await queue.stats()).toMatchObject({ onDisk: 1_000, dropped: 60 });
});

it('what other scripts write among the rows stops no delivery, and is counted', async () => {
  const first = down();
  await first.track(event('mine'));
  await first.close();
  const { keys } = await onDisk();
  const key = keys.find((key) => key > '0') ?? '';
  await putRows([
    [null, `0${key.slice(1)}`],
    [{}, `00${key.slice(2)}`],
    [{ event: {} }, `000${key.slice(3)}`],
    ['text', `~${key}`],
    [{ theirs: true }, new Date()],
    [null, 7],
  ]);
  const second = open(() => ({ status: 202 }));
  opened.push(second);
  await second.track(event('next'));
  await vi.waitFor(() => expect(second.batches.flat().toSorted()).toEqual(['mine', 'next']));
  expect(second.of('dropped')).toEqual([{ type: 'dropped', count: 4, reason: 'storage_lost' }]);
  expect((await second.deadLetters()).length).toBe(0);
  expect(await second.stats()).toMatchObject({ onDisk: 0 });
});

it.each([[{ theirs: true }], [7], [['x']]])('%j in the place of the consent stops no page', async (value) => {
  const first = down();
  await first.track(event('mine'));
  await first.close();
  await putRows([[value, '!!!!']]);
  for (const id of ['b', 'c']) {
    const queue = open(() => ({ status: 202 }));
    await queue.flush();
    await queue.track(event(id));
    await queue.flush();
    expect(queue.of('delivered').flatMap(({ eventIds }) => eventIds)).toContain(id);
    expect(queue.of('dropped')).toEqual([]);
    await queue.close();
  }
});

it('a full disk loses no event, even if rows are read while it refuses them', async () => {
  const { commit } = IDBTransaction.prototype;
  for (const pause of [0, 1, 2, 3, 4, 6, 8]) {
    freshStorage();
    const queue = down();
    await queue.flush();
    // A full disk is noticed at the end of the transaction; reads go on working.
    vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(function refuse(this: IDBTransaction) {
      this.abort();
    });
    const tracked = queue.track(event('a'));
    for (let tick = 0; tick < pause; tick++) await Promise.resolve();
    await Promise.all([queue.stats(), queue.stats(), tracked]);
    expect(await queue.stats()).toMatchObject({ storage: 'memory', inMemory: 1 });
    vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(commit);
  }
});

it('events held in memory are written when slow storage responds', async () => {
  slowStorage(1_500);
  const queue = down();
  await queue.track(event('early'));
  await queue.track(event('in memory'));
  expect(await queue.stats()).toMatchObject({ storage: 'memory', inMemory: 2 });
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ storage: 'indexeddb', onDisk: 2 }));
  vi.restoreAllMocks();
  expect((await onDisk()).events.sort()).toEqual(['early', 'in memory']);
});

it('a late read, started before an event was tracked, does not take it for delivered', async () => {
  slowStorage(1_500);
  const queue = down();
  // It runs once the database is open: before the events that are not stored for now.
  const read = queue.stats();
  await Promise.all([queue.track(event('one')), queue.track(event('two'))]);
  await read;
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ storage: 'indexeddb', onDisk: 2 }));
  vi.restoreAllMocks();
  expect((await onDisk()).events.sort()).toEqual(['one', 'two']);
});

it('the latest 50 dead letters are kept, and each one dropped is counted', async () => {
  const queue = open(() => ({ status: 400 }));
  opened.push(queue);
  await Promise.all(names(60).map((id) => queue.track(event(id))));
  await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ onDisk: 0, deadLetters: 50, dropped: 10 }));
  expect((await queue.deadLetters()).map(({ event: { event_id } }) => event_id)).toEqual(names(60).slice(10));
});

it('a dead letter is stored for a week, without the values in its reason', async () => {
  const error = { code: 'invalid', message: 'no such shopper: ada@example.com', retryable: false };
  const first = open(() => ({ status: 207, body: { results: [{ index: 0, success: false, error }] } }));
  await first.track(event('e0'));
  await first.flush();
  expect(first.of('deadLetter')).toMatchObject([{ reason: `invalid: ${error.message}` }]);
  expect(await first.deadLetters()).toMatchObject([{ event: { event_id: 'e0' }, reason: 'invalid' }]);
  await first.close();
  const day = 24 * 3_600_000;
  const real = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(real + 6 * day);
  const second = open(() => ({ status: 202 }));
  await second.flush();
  expect(await second.deadLetters()).toHaveLength(1);
  await second.close();
  clock.mockReturnValue(real + 8 * day);
  const third = open(() => ({ status: 202 }));
  opened.push(third);
  await third.flush();
  expect(await third.deadLetters()).toEqual([]);
  expect(third.of('dropped')).toMatchObject([{ count: 1, reason: 'expired' }]);
  clock.mockRestore();
});

/** Keeps a transaction open until it is released. */
function hold(transaction: IDBTransaction, then: () => void): () => void {
  let isHeld = true;
  const spin = (): void => {
    if (isHeld) transaction.objectStore('rows').get('').addEventListener('success', spin);
    else then();
  };
  spin();
  return () => (isHeld = false);
}

/** Makes storage slow before the queue decides what to drop: another tab writes. */
async function holdDecision(): Promise<() => void> {
  const db = await new Promise<IDBDatabase>((done) => {
    const request = indexedDB.open('offerlet-queue /events/batch');
    request.addEventListener('success', () => done(request.result));
  });
  return hold(db.transaction('rows', 'readwrite'), () => db.close());
}

/** Makes storage slow after the queue has decided what to drop. */
function holdCommit(): Promise<() => void> {
  const { commit } = IDBTransaction.prototype;
  const { delete: remove } = IDBObjectStore.prototype;
  let sweep: IDBTransaction | undefined;
  let release = (): void => {};
  vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function record(this: IDBObjectStore, key) {
    sweep ??= this.transaction;
    return remove.call(this, key);
  });
  vi.spyOn(IDBTransaction.prototype, 'commit').mockImplementation(function wait(this: IDBTransaction) {
    if (this === sweep) release = hold(this, () => commit.call(this));
    else commit.call(this);
  });
  return Promise.resolve(() => release());
}

it.each([
  ['what is too old, before it is removed', 8, 2, 0, 1, holdCommit],
  ['what earlier pages have left too much of, before it is removed', 0, 1_000, 0, 60, holdCommit],
  ['what earlier pages have left too much of, before it is found', 0, 1_000, 40, 20, holdDecision],
  ['what this page has too much of, before it is found', 0, 0, 1_040, 60, holdDecision],
])(
  'storage that hangs for over a second drops %s: it is said once, and is not what was delivered',
  async (...given) => {
    const [, days, earlier, before, after, hang] = given;
    let answer: SendResponse | Promise<SendResponse> = { status: 503 };
    const taken = new Set<string>();
    const take = async (ids: string[]): Promise<SendResponse> => {
      const response = await answer;
      if (response.status === 202) for (const id of ids) taken.add(id);
      return response;
    };
    const first = open(take);
    await Promise.all(names(earlier).map((id) => first.track(event(`c${id}`, { event_name: 'BRAND_CLICK' }))));
    await first.flush();
    await first.close();
    vi.setSystemTime(Date.now() + days * 24 * 3_600_000);
    const queue = open(take);
    opened.push(queue);
    await Promise.all(names(before).map((id) => queue.track(event(id))));
    if (before) await queue.flush();
    const release = await hang();
    const tracked = Promise.all(names(after).map((id) => queue.track(event(`n${id}`))));
    await letPass(2_000);
    await tracked;
    expect(await queue.stats()).toMatchObject({ storage: 'memory' });
    answer = nextTask(500).then(() => ({ status: 202 }));
    void queue.flush();
    await letPass(hang === holdCommit ? 400 : 1_500);
    answer = { status: 503 };
    release();
    await letPass(1_000);
    vi.restoreAllMocks();
    const dropped = queue.of('dropped').reduce((sum, { count }) => sum + count, 0);
    // What hung for over a second may be stored twice, under its one id.
    const kept = new Set((await onDisk()).events.filter((id) => !taken.has(id)));
    expect(dropped + taken.size + kept.size).toBe(earlier + before + after);
  },
);

it('events older than a week are dropped and counted, events of an impossible year are sent', async () => {
  const first = down();
  await first.track(event('now'));
  await first.close();
  const day = 24 * 3_600_000;
  const real = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(real + 8 * day);
  const second = open(() => ({ status: 202 }));
  opened.push(second);
  await second.flush();
  expect(second.of('dropped')).toMatchObject([{ count: 1, reason: 'expired' }]);
  await second.close();
  clock.mockReturnValue(real - 20 * 365 * day);
  const third = open(() => ({ status: 503 }));
  await third.track(event('wrong clock'));
  await third.close();
  clock.mockRestore();
  const fourth = open(() => ({ status: 202 }));
  opened.push(fourth);
  await vi.waitFor(() => expect(fourth.of('delivered')).toHaveLength(1));
  expect(fourth.batches.flat()).toEqual(['wrong clock']);
});
