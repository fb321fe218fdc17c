// One event that makes the server fail must not block the others, and an outage must not cause more requests for that.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SendAnswer } from '../../src/queue/events.ts';
import { type EventRow, rowKey } from '../../src/queue/rows.ts';
import {
  type Backoff,
  type Failures,
  type QueueEntry,
  countFailure,
  keepFailures,
  settle,
  takeBatch,
} from '../../src/queue/settle.ts';
import { event, freshStorage, mixed, names, onDisk, open, type Watched } from './world.ts';

const opened: Watched[] = [];
let start = 0;

/** A queue of `ids` with its own clock, whose server is `answer`. */
async function queueOf(ids: readonly string[], answer: (ids: string[]) => SendAnswer): Promise<Watched> {
  const queue = open(answer);
  opened.push(queue);
  const tracked = Promise.all(ids.map((id) => queue.track(event(id))));
  await rest();
  await tracked;
  return queue;
}

/** Lets everything that is not waiting for the clock come to rest. */
async function rest(): Promise<void> {
  for (let turn = 0; turn < 80; turn++) await new Promise((done) => setImmediate(done));
}

/** Goes from timer to timer, with all that each sets off, until so many milliseconds are over. */
async function pass(ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (Date.now() < end && vi.getTimerCount()) {
    await vi.advanceTimersToNextTimerAsync();
    await rest();
  }
  vi.setSystemTime(Math.max(end, Date.now()));
}

beforeEach(() => {
  freshStorage();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  start = Date.now();
});
afterEach(async () => {
  const closing = Promise.all(opened.splice(0).map((queue) => queue.close()));
  await rest();
  await closing;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('an event that always causes a 500 blocks no others, whatever its position', async () => {
  for (const bad of [0, 7, 19]) {
    freshStorage();
    const queue = await queueOf(names(36), (ids) => ({ status: ids.includes(`e${bad}`) ? 500 : 202 }));
    await pass(60_000);
    expect((await onDisk()).events).toEqual([`e${bad}`]);
    expect(queue.batches.filter((ids) => ids.includes(`e${bad}`) && ids.length > 1).length).toBeLessThanOrEqual(8);
    await queue.close();
  }
});

it('a later page sends what was refused and is not due yet, although it has nothing else to send', async () => {
  const before = await queueOf(names(4), (ids) => mixed(ids, { e0: true, e3: true }));
  await pass(500);
  await before.close();
  const queue = await queueOf([], () => ({ status: 202 }));
  await pass(60_000);
  expect(queue.batches).toEqual([expect.arrayContaining(['e0', 'e3'])]);
  expect((await onDisk()).events).toEqual([]);
});

it('nor does one that the server never accepts in another way, after some hours', async () => {
  for (const status of [0, 408, 429]) {
    freshStorage();
    const queue = await queueOf(names(36), (ids) => {
      if (!ids.includes('e7')) return { status: 202 };
      if (!status) throw new TypeError('closed');
      return { status };
    });
    await pass(6 * 3_600_000);
    expect((await onDisk()).events).toEqual(['e7']);
    const tracked = queue.track(event('new', { event_name: 'BRAND_CLICK' }));
    await rest();
    await tracked;
    await pass(1_000);
    expect((await onDisk()).events).toEqual(['e7']);
    await queue.close();
  }
});

it('two such events are isolated', async () => {
  const queue = await queueOf(names(40), (ids) => ({
    status: ids.some((id) => id === 'e3' || id === 'e11') ? 502 : 202,
  }));
  await pass(120_000);
  expect((await onDisk()).events).toEqual(['e3', 'e11']);
  expect(queue.of('dead_letter')).toEqual([]);
});

it('while it waits, other events are sent at once', async () => {
  const queue = await queueOf(['bad', ...names(20)], (ids) => ({ status: ids.includes('bad') ? 500 : 202 }));
  await pass(600_000);
  expect((await onDisk()).events).toEqual(['bad']);
  const waits = queue.batches.length;
  const tracked = queue.track(event('good', { event_name: 'BRAND_CLICK' }));
  await rest();
  await tracked;
  await pass(1_000);
  expect(queue.batches[waits]).toEqual(['good']);
  expect(waits).toBeLessThan(40);
});

it('failure counts survive the page', async () => {
  const answer = (ids: string[]): SendAnswer => ({ status: ids.includes('e0') ? 500 : 202 });
  const first = await queueOf(names(24), answer);
  await pass(4_500);
  expect(first.batches.length).toBeGreaterThanOrEqual(3);
  const closing = first.close();
  await rest();
  await closing;
  const next = await queueOf([], answer);
  await pass(60_000);
  expect(next.batches[0]?.length).toBeLessThanOrEqual(10);
  expect((await onDisk()).events).toEqual(['e0']);
});

it('splitting causes no more requests during an outage, with 20 or 1,000 events', async () => {
  for (const count of [20, 1_000]) {
    const requests: number[] = [];
    // A connection that is refused says nothing about the events: nothing is split.
    for (const status of [0, 408, 429, 500, 502, 503]) {
      freshStorage();
      vi.setSystemTime(start);
      const queue = await queueOf(names(count), () => {
        if (!status) throw new TypeError('refused');
        return { status };
      });
      await pass(2 * 3_600_000);
      requests.push(queue.batches.length);
      if (status < 500) expect(new Set(queue.batches.map((ids) => ids.length))).toEqual(new Set([20]));
      expect((await onDisk()).events).toHaveLength(count);
      await Promise.all([queue.close(), rest()]);
    }
    expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(1);
  }
}, 120_000);

it('splitting causes at most 12 more requests after an outage', async () => {
  for (const count of [20, 300]) {
    freshStorage();
    let isDown = true;
    const queue = await queueOf(names(count), () => ({ status: isDown ? 503 : 202 }));
    await pass(3_600_000);
    isDown = false;
    const before = queue.batches.length;
    await pass(400_000);
    expect((await onDisk()).events).toEqual([]);
    expect(queue.batches.length - before).toBeLessThanOrEqual(Math.ceil(count / 20) + 12);
  }
}, 60_000);

it('a batch holds the oldest events; suspects come last, in halves, fewest failures first', () => {
  const due = names(10).map(
    (id) => [id, { event: { event_id: id } }] as never as Parameters<typeof takeBatch>[0][number],
  );
  const ids = (failures: Failures): string[] => takeBatch(due, failures).map(([key]) => key);
  expect(ids({})).toEqual(names(10));
  expect(ids({ e0: 2, e1: 3 })).toEqual(['e0', ...names(10).slice(2)]);
  const all = (times: number): Failures => Object.fromEntries(names(10).map((id) => [id, times]));
  expect(ids(all(3))).toEqual(names(5));
  expect(ids({ ...all(4), e9: 3, e8: 3, e7: 3 })).toEqual(['e7', 'e8']);
  expect(takeBatch(due.slice(0, 1), { e0: 9 })).toHaveLength(1);
  expect(takeBatch([], {})).toEqual([]);
});

it('failures of rows that no longer exist are forgotten', async () => {
  const empty = await queueOf([], () => ({ status: 202 }));
  await pass(1_000);
  const db = await new Promise<IDBDatabase>((done) => {
    const request = indexedDB.open('offerlet-queue /events/batch');
    request.addEventListener('success', () => done(request.result));
    void rest();
  });
  const stale = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`1stale${n}`, 3]));
  db.transaction('rows', 'readwrite').objectStore('rows').put({ failures: stale }, '!');
  db.close();
  await empty.close();
  await queueOf(names(30), (ids) => ({ status: ids.includes('e0') ? 500 : 202 }));
  await pass(60_000);
  expect((await onDisk()).events).toEqual(['e0']);
});

/** Model of the sender without its delays. Returns how many requests a healthy server got until only the poison was left. */
function requestsAfterOutage(count: number, poison: readonly number[], failedBefore: number): number {
  const rows = new Map<string, EventRow>(
    names(count).map((id, n) => [rowKey(1e12 + n, false, id), { event: event(id) } as EventRow]),
  );
  const bad = new Set(poison.map((n) => `e${n}`));
  let before: Backoff | undefined;
  for (let sent = 0; sent < 2_000; sent++) {
    if (rows.size === bad.size) return sent - failedBefore;
    const keys = [...rows.keys()].sort();
    const failures = keepFailures(before?.failures ?? {}, keys);
    before = { ...before, failures };
    const first = keys.slice(0, 20 + Object.keys(failures).length);
    const batch = takeBatch(
      first.flatMap((key): QueueEntry[] => {
        const row = rows.get(key);
        return row ? [[key, row]] : [];
      }),
      failures,
    );
    const hasFailed = sent < failedBefore || batch.some(([, row]) => bad.has(row.event.event_id));
    const status = hasFailed ? 503 : 202;
    const settled = settle({
      batch,
      isWanted: () => true,
      response: { status, reason: '' },
      before,
      isEager: false,
      now: 1e12 + sent,
    });
    before = settled.backoff;
    for (const [key, value] of settled.changes) if (!value) rows.delete(key);
  }
  return Infinity;
}

it.each([
  [200, 14],
  [200, 20],
  [1_000, 40],
  [1_000, 150],
  [1_000, 400],
])('of %i events after %i failures, one that always causes a 500 holds up no others', (count, failed) => {
  for (const bad of [0, 5, 99, 110, count - 1])
    expect(requestsAfterOutage(count, [bad], failed), `event ${bad}`).toBeLessThanOrEqual(count / 20 + 40);
});

it('nor do ten such events in ten batches, or one on either side of a good one', () => {
  const bad = [...Array(10).keys()].map((n) => n * 20 + 5);
  for (const failed of [0, 14, 40, 150]) {
    expect(requestsAfterOutage(1_000, bad, failed), `${failed} failures`).toBeLessThanOrEqual(300);
    expect(requestsAfterOutage(3, [0, 2], failed), `${failed} failures, between two`).toBeLessThanOrEqual(16);
  }
});

it('every failing event is counted, and only those that exist', () => {
  const all = names(1_000);
  expect(Object.keys(countFailure({}, all))).toHaveLength(1_000);
  expect(keepFailures(countFailure({}, all), ['e3', 'other'])).toEqual({ e3: 1 });
});
