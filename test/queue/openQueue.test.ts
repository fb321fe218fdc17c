import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { event, freshStorage, mixed, names, open, type Watched } from './world.ts';

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
  it('sends what was tracked in batches of 20, oldest first, and deletes what was accepted', async () => {
    const queue = opening(() => ({ status: 202 }));
    await Promise.all(names(45).map((id) => queue.track(event(id))));
    await queue.flush();
    expect(queue.batches.map((batch) => batch.length)).toEqual([20, 20, 5]);
    expect(queue.batches.flat()).toEqual(names(45));
    expect(await queue.stats()).toMatchObject({
      onDisk: 0,
      inMemory: 0,
      inFlight: 0,
      delivered: 45,
      storage: 'indexeddb',
    });
  });

  it('keeps what is not accepted for the next page', async () => {
    const first = opening(() => ({ status: 503 }));
    await first.track(event('a'));
    expect(await first.flush()).toMatchObject({ delivered: 0, kept: 1, lastAnswer: { status: 503 } });
    await first.close();
    const second = opening(() => ({ status: 202 }));
    await vi.waitFor(() => expect(second.of('delivered')).toHaveLength(0 + 1), 3_000);
    expect(second.batches).toEqual([['a']]);
  });

  it('retries only the failed events of a 207', async () => {
    let isFirst = true;
    const queue = opening((ids) => {
      if (!isFirst) return { status: 202 };
      isFirst = false;
      return mixed(ids, { e1: true, e3: false });
    });
    await Promise.all(names(5).map((id) => queue.track(event(id))));
    await vi.waitFor(() => expect(queue.batches).toHaveLength(2), 3_000);
    expect(queue.batches[1]).toEqual(['e1']);
    expect(queue.of('dead_letter')).toMatchObject([{ event: { event_id: 'e3' }, reason: 'bad: no e3' }]);
    expect(queue.of('retried')).toMatchObject([{ count: 1, reason: 'bad: no e1' }]);
    expect(await queue.deadLetters()).toMatchObject([{ event: { event_id: 'e3' } }]);
  });

  it('isolates one bad event of 20 in at most 11 requests and delivers the 19', async () => {
    const queue = opening((ids) => ({ status: ids.includes('e13') ? 400 : 202 }));
    await Promise.all(names(20).map((id) => queue.track(event(id))));
    await queue.flush();
    expect(queue.batches.length).toBeLessThanOrEqual(11);
    expect(await queue.stats()).toMatchObject({ onDisk: 0, delivered: 19, deadLetters: 1 });
  });
});
