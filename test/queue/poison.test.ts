// One event that makes the server fail must not block the others, and an outage must not cause more requests for that.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SendResponse } from '../../src/queue/events.ts';
import { isSuspect, type QueueEntry, rowKey } from '../../src/queue/rows.ts';
import { type Backoff, remainingDelay, settle, takeBatch } from '../../src/queue/settle.ts';
import { event, freshStorage, mixed, names, onDisk, open, type Watched } from './world.ts';

/** What a server makes of a batch; 0 when it does not respond. */
type Server = (ids: readonly string[]) => number;

/** A queue of `count` events without a page: what it sends to a server, and when. */
class Model {
  readonly rows = new Map<string, QueueEntry[1]>();
  readonly batches: string[][] = [];
  backoff: Backoff | undefined;
  now = 1e12;

  constructor(count: number) {
    for (const id of names(count)) this.track(id);
  }

  track(id: string): void {
    const stored = { ...event(id), event_id: id, event_datetime: '' };
    this.rows.set(rowKey(this.now + this.rows.size, false, this.now, id), { event: stored });
  }

  get left(): string[] {
    return [...this.rows.values()].map(({ event: { event_id } }) => event_id).toSorted();
  }

  /** Sends one batch after another, each as soon as the backoff permits it, until the time is over or nothing is left. */
  run(server: Server, { ms = 6 * 3_600_000, requests = Infinity } = {}): number {
    const end = this.now + ms;
    const start = this.batches.length;
    while (this.rows.size && this.batches.length - start < requests) {
      const due = [...this.rows].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, 22);
      const batch = takeBatch(due, this.backoff);
      const isSuspects = isSuspect(batch[0]?.[0] ?? '');
      this.now += remainingDelay(this.backoff, this.now, !isSuspects && this.backoff?.isSuspects === true);
      if (this.now > end) break;
      const ids = batch.map(([, row]) => row.event.event_id);
      this.batches.push(ids);
      const settled = settle({
        batch,
        isWanted: () => true,
        response: { status: server(ids), reason: '' },
        before: this.backoff,
        isEager: false,
        now: (this.now += 10),
      });
      this.backoff = settled.backoff;
      for (const [key, value, from] of settled.changes) {
        if (from) this.rows.delete(from);
        if (key === '!') continue;
        if (value) this.rows.set(key, value as QueueEntry[1]);
        else this.rows.delete(key);
      }
    }
    if (Number.isFinite(end)) this.now = Math.max(this.now, end);
    return this.batches.length - start;
  }
}

/** A server that fails on some events, and accepts all others. */
const failsOn =
  (bad: readonly string[], status = 500): Server =>
  (ids) =>
    ids.some((id) => bad.includes(id)) ? status : 202;

it('an event that always causes a 500 blocks no others for longer than a minute, whatever its position', () => {
  for (const bad of names(36)) {
    const model = new Model(36);
    model.run(failsOn([bad]), { ms: 60_000 });
    expect(model.left).toEqual([bad]);
  }
});

it.each([0, 408, 429])('one that always causes a %i blocks no others for longer than some hours', (status) => {
  const model = new Model(36);
  model.run(failsOn(['e7'], status));
  expect(model.left).toEqual(['e7']);
  model.track('new');
  model.run(failsOn(['e7'], status), { requests: 1 });
  expect(model.left).toEqual(['e7']);
});

it('several such events are isolated, even on either side of a good one', () => {
  for (const bad of [
    ['e3', 'e11'],
    ['e0', 'e2'],
    ['e0', 'e1', 'e2', 'e38', 'e39'],
  ]) {
    const model = new Model(40);
    model.run(failsOn(bad, 502), { ms: 240_000 });
    expect(model.left).toEqual(bad.toSorted());
  }
});

it('splitting causes no more requests during an outage, with 20 or 1,000 events', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  for (const count of [20, 1_000]) {
    const requests = [0, 408, 429, 500, 502, 503].map((status) => {
      const model = new Model(count);
      const sent = model.run(() => status, { ms: 2 * 3_600_000 });
      // A connection that is refused says nothing about the events: nothing is split.
      if (status < 500) expect(new Set(model.batches.map(({ length }) => length))).toEqual(new Set([20]));
      expect(model.left).toHaveLength(count);
      return sent;
    });
    expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(1);
  }
});

it.each([20, 300, 1_000])('splitting %i events causes at most 12 more requests after an outage', (count) => {
  const model = new Model(count);
  model.run(() => 503, { ms: 3_600_000 });
  expect(model.run(() => 202)).toBeLessThanOrEqual(Math.ceil(count / 20) + 12);
  expect(model.left).toEqual([]);
});

it.each([
  [200, 14],
  [200, 20],
  [1_000, 40],
  [1_000, 150],
  [1_000, 400],
])('of %i events after %i failures, one that always causes a 500 holds up no others', (count, failed) => {
  for (const bad of [0, 5, 99, 110, count - 1]) {
    const model = new Model(count);
    model.run(() => 503, { ms: Infinity, requests: failed });
    model.run(failsOn([`e${bad}`]), { requests: count / 20 + 40 });
    expect(model.left).toEqual([`e${bad}`]);
  }
});

it('nor do ten such events in ten batches', () => {
  const bad = [...Array(10).keys()].map((n) => `e${n * 20 + 5}`).toSorted();
  for (const failed of [0, 14, 40, 150]) {
    const model = new Model(1_000);
    model.run(() => 503, { ms: Infinity, requests: failed });
    model.run(failsOn(bad), { ms: Infinity, requests: 300 });
    expect(model.left).toEqual(bad);
  }
});

describe('with a page', () => {
  const opened: Watched[] = [];

  /** A queue of `ids` with its own clock, whose server is `answer`. */
  async function queueOf(ids: readonly string[], answer: (ids: string[]) => SendResponse): Promise<Watched> {
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
  });
  afterEach(async () => {
    const closing = Promise.all(opened.splice(0).map((queue) => queue.close()));
    await rest();
    await closing;
    vi.useRealTimers();
    vi.restoreAllMocks();
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

  it('what was split stays split on the next page', async () => {
    const answer = (ids: string[]): SendResponse => ({ status: ids.includes('e0') ? 500 : 202 });
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
});
