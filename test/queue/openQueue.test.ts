import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { event, freshStorage, mixed, names, open, type Watched } from './world.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

const opened: Watched[] = [];
const opening: typeof open = (answer, options) => {
  const queue = open(answer, options);
  opened.push(queue);
  return queue;
};

beforeEach(() => {
  freshStorage();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((queue) => queue.close()));
});

describe('delivery', () => {
  it('retries only the failed events of a 207', async () => {
    let isFirst = true;
    const queue = opening((ids) => {
      if (!isFirst) return { status: 202 };
      isFirst = false;
      return mixed(ids, { e1: true, e3: false });
    });
    await Promise.all(names(5).map((id) => queue.track(event(id))));
    await vi.waitFor(() => expect(queue.batches).toHaveLength(2));
    expect(queue.batches[1]).toEqual(['e1']);
    expect(queue.of('deadLetter')).toMatchObject([{ event: { event_id: 'e3' }, reason: 'bad: no e3' }]);
    expect(queue.of('retried')).toMatchObject([{ count: 1, reason: 'bad: no e1' }]);
    expect(await queue.deadLetters()).toMatchObject([{ event: { event_id: 'e3' } }]);
  });

  it('isolates one invalid event of 20 in at most 11 requests, whatever its position', async () => {
    for (const bad of [0, 9, 10, 13, 19]) {
      freshStorage();
      const queue = opening((ids) => ({ status: ids.includes(`e${bad}`) ? 400 : 202 }));
      await Promise.all(names(20).map((id) => queue.track(event(id))));
      await queue.flush();
      expect(queue.batches.length).toBeLessThanOrEqual(11);
      expect(await queue.stats()).toMatchObject({ onDisk: 0, delivered: 19, deadLetters: 1 });
      await queue.close();
    }
  });

  it('isolates two invalid events, and twenty, each once', async () => {
    for (const bad of [names(2), ['e3', 'e17'], names(20)]) {
      freshStorage();
      const queue = opening((ids) => ({ status: ids.some((id) => bad.includes(id)) ? 422 : 202 }));
      await Promise.all(names(20).map((id) => queue.track(event(id))));
      await queue.flush();
      expect(queue.batches.length).toBeLessThanOrEqual(bad.length === 2 ? 20 : 39);
      expect(queue.of('deadLetter').map((emitted) => emitted.event.event_id)).toEqual(bad);
      expect(await queue.stats()).toMatchObject({ onDisk: 0, delivered: 20 - bad.length });
      await queue.close();
    }
  });
});

describe('timing', () => {
  it('a click is sent at once, a display within 250 ms', async () => {
    const queue = opening(() => ({ status: 202 }));
    await queue.flush();
    // A separate clock: a busy machine does not matter.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    void queue.track(event('display'));
    void queue.track(event('click', { event_name: 'BRAND_CLICK' }));
    for (let ms = 0; ms < 240 && queue.batches.length === 0; ms += 5) {
      await vi.advanceTimersByTimeAsync(5);
      await new Promise((done) => setImmediate(done));
    }
    vi.useRealTimers();
    expect(queue.batches).toEqual([['display', 'click']]);
  });

  it('Retry-After is obeyed, even by flush', async () => {
    const at: number[] = [];
    const queue = opening(() => {
      at.push(Date.now());
      return at.length === 1 ? { status: 429, retryAfter: '2' } : { status: 202 };
    });
    await queue.track(event('a', { event_name: 'BRAND_CLICK' }));
    await vi.waitFor(() => expect(at).toHaveLength(1));
    expect(await queue.flush()).toMatchObject({ delivered: 0, kept: 1, lastResponse: { status: 429 } });
    await vi.waitFor(() => expect(at).toHaveLength(2));
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('send may return a Response or its parts', async () => {
    const results = [{ index: 0, success: false, error: { code: 'x', message: 'y', retryable: false } }];
    const queue = opening(() => Response.json({ results }, { status: 207 }));
    await queue.track(event('a'));
    await queue.flush();
    expect(queue.of('deadLetter')).toMatchObject([{ reason: 'x: y' }]);
  });
});

describe('refusals', () => {
  it('a 401 pauses the queue, keeps all events and is reported once; a flush resumes', async () => {
    let status = 401;
    const queue = opening(() => ({ status }));
    await Promise.all(names(25).map((id) => queue.track(event(id))));
    await vi.waitFor(() => expect(queue.of('paused')).toHaveLength(1));
    await queue.track(event('more', { event_name: 'BRAND_CLICK' }));
    await letPass(700);
    expect(queue.batches).toHaveLength(1);
    expect(await queue.stats()).toMatchObject({ isPaused: true, onDisk: 26 });
    status = 202;
    expect(await queue.flush()).toMatchObject({ delivered: 26, kept: 0, isPaused: false });
    expect(queue.of('paused')).toHaveLength(1);
  });

  it('a conversion is rejected with a reason and not stored', async () => {
    const queue = opening(() => ({ status: 202 }));
    await expect(queue.track(event('a', { event_name: 'CONVERSION' }))).rejects.toThrow(/servers report a CONVERSION/);
    expect(await queue.stats()).toMatchObject({ onDisk: 0, inMemory: 0 });
  });

  it('an event refused ten times becomes a dead letter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const queue = opening((ids) => mixed(ids, { bad: true }));
    void queue.track(event('bad'));
    for (let second = 0; second < 900 && !queue.of('deadLetter').length; second++) {
      for (let turn = 0; turn < 60; turn++) await new Promise((done) => setImmediate(done));
      await vi.advanceTimersByTimeAsync(900);
    }
    vi.useRealTimers();
    vi.restoreAllMocks();
    expect(queue.batches).toHaveLength(10);
    expect(queue.of('deadLetter')).toMatchObject([{ event: { event_id: 'bad' } }]);
  });

  it('an error thrown by onEvent loses no event', async () => {
    const queue = opening(() => ({ status: 202 }), {
      onEvent() {
        throw new Error('the page is broken');
      },
    });
    await queue.track(event('a'));
    expect(await queue.flush()).toMatchObject({ delivered: 1 });
  });
});
