import { expect, it, vi } from 'vitest';
import { openCore, openSessionQueue } from '../../src/queue/openCore.ts';
import { openQueue } from '../../src/queue/openQueue.ts';
import { event, freshStorage, mixed } from './world.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

it("a page's queue leaves the storage alone until its offers are usually painted, unlike a queue by itself", async () => {
  freshStorage();
  const opened = vi.spyOn(indexedDB, 'open');
  const options = { endpoint: '/events/batch', send: async () => ({ status: 201 }) };
  const isUsedSoon = async (): Promise<boolean> => {
    opened.mockClear();
    // Timers run in the order of their times, however late they are.
    await letPass(100);
    return opened.mock.calls.length > 0;
  };

  const page = openSessionQueue(options, openCore);
  expect(await isUsedSoon()).toBe(false);
  await page.close();
  const alone = openQueue(options);
  expect(await isUsedSoon()).toBe(true);
  await alone.close();
});

it('a page that leaves before its queue has read anything keeps what earlier pages know of an outage', async () => {
  freshStorage();
  const requests: number[] = [];
  const options = {
    endpoint: '/events/batch',
    send: async (events: readonly unknown[]) => {
      requests.push(events.length);
      return { status: 503, retryAfter: '3000' };
    },
  };
  const earlier = openSessionQueue(options, openCore);
  await earlier.track(event('a'));
  await expect.poll(() => requests).toEqual([1]);
  await earlier.close();
  await expect.poll(storedBackoff).toBeDefined();
  const before = await storedBackoff();

  const page = openSessionQueue(options, openCore);
  await page.track(event('b'));
  await page.close();
  await expect.poll(() => requests).toEqual([1, 1]);
  await expect.poll(async () => (await storedBackoff()).failures).toBe(2);
  expect((await storedBackoff()).since).toBe(before.since);
});

it('a page that leaves with several batches counts one failure', async () => {
  freshStorage();
  let requests = 0;
  // One response after the other.
  const send = () =>
    new Promise<{ status: number }>((resolve) => setTimeout(resolve, 100 * ++requests, { status: 503 }));
  const page = openSessionQueue({ endpoint: '/events/batch', send }, openCore);
  await Promise.all(Array.from({ length: 50 }, (_, index) => page.track(event(`${index}`))));
  const closed = page.close();
  await letPass(1_000);
  await closed;
  await expect.poll(storedBackoff).toBeDefined();
  expect([requests, (await storedBackoff()).failures]).toEqual([3, 1]);
});

it('a page that is hidden or left again and again while the relay is down does not send each time', async () => {
  freshStorage();
  const document = { hidden: false };
  const page = stubPage(document);
  let requests = 0;
  const queue = openQueue({
    endpoint: '/events/batch',
    send: () => {
      requests++;
      return Promise.reject(new TypeError('Failed to fetch'));
    },
  });
  await queue.track(event('a'));
  await queue.flush();
  const end = performance.now() + 1_000;
  while (performance.now() < end) {
    document.hidden = !document.hidden;
    for (const type of ['visibilitychange', 'pagehide', 'online']) page.dispatchEvent(new Event(type));
    await letPass(5);
  }
  // One in 500 ms, and once more if the page is left at once.
  expect(requests).toBeLessThan(10);
  await queue.close();
  vi.unstubAllGlobals();
});

it('a page with an element named `hidden` sends what it has when it is hidden', async () => {
  freshStorage();
  const page = stubPage({ hidden: {} });
  const send = vi.fn(async () => ({ status: 202 }));
  const queue = openQueue({ endpoint: '/events/batch', send });
  await queue.track(event('a'));
  page.dispatchEvent(new Event('visibilitychange'));
  expect(send).toHaveBeenCalledOnce();
  await queue.close();
  vi.unstubAllGlobals();
});

it.each([
  ['a paused queue', () => ({ status: 401 })],
  ['a refused event', () => mixed(['a', 'b'], { a: true })],
])('%s is not sent before its time by a page that comes online or is left', async (_, refuse) => {
  freshStorage();
  const page = stubPage({ hidden: false });
  const send = vi.fn(async () => refuse());
  const queue = openQueue({ endpoint: '/events/batch', send });
  await Promise.all([queue.track(event('a')), queue.track(event('b'))]);
  await queue.flush();
  for (const type of ['online', 'pagehide']) page.dispatchEvent(new Event(type));
  await letPass(300);
  expect(send).toHaveBeenCalledOnce();
  await queue.close();
  vi.unstubAllGlobals();
});

it('a page without storage that is left after nine days hands over nothing that is too old', async () => {
  freshStorage();
  vi.stubGlobal('indexedDB', undefined);
  const batches: string[][] = [];
  const queue = openQueue({
    endpoint: '/events/batch',
    async send(events) {
      batches.push(events.map(({ event_id }) => event_id));
      return { status: 503 };
    },
  });
  await queue.track(event('old'));
  await queue.flush();
  vi.setSystemTime(Date.now() + 9 * 24 * 3_600_000);
  await queue.track(event('new'));
  await queue.close();
  expect(batches).toEqual([['old'], ['new']]);
  vi.unstubAllGlobals();
});

it('where a page may have no more requests with keepalive, the next is one without', async () => {
  freshStorage();
  const kept: boolean[] = [];
  const queue = openQueue({
    endpoint: '/events/batch',
    async send(_, { keepalive }) {
      kept.push(keepalive);
      if (keepalive) throw new TypeError('Failed to fetch');
      return { status: 202 };
    },
  });
  await queue.track(event('a'));
  await queue.flush();
  expect(await queue.flush()).toMatchObject({ delivered: 1 });
  expect(kept).toEqual([true, false]);
  await queue.close();
});

it.each([
  ['a tab whose lock was stolen, and stolen again from whoever stole it', stolenLocks],
  ['a page that has replaced the locks by something that throws', throwingLocks],
  ['a page without locks, and without signals that time out', () => undefined],
])('%s sends what comes later', async (_, locks) => {
  freshStorage();
  if (!locks())
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      throw new TypeError('AbortSignal.timeout is not a function');
    });
  vi.stubGlobal('navigator', { locks: locks() });
  const send = vi.fn(async () => ({ status: 202 }));
  const queue = openQueue({ endpoint: '/events/batch', send });
  await queue.track(event('a'));
  await queue.flush();
  await queue.track(event('b'));
  expect(await queue.flush()).toMatchObject({ kept: 0 });
  await queue.close();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a browser without AbortSignal.timeout, such as Chrome 99, takes the lock from no other tab', async () => {
  const asked: object[] = [];
  const request = (_: string, how: object, work: () => unknown): unknown => (asked.push(how), work());
  vi.stubGlobal('navigator', { locks: { request } });
  vi.stubGlobal('AbortSignal', {});
  const queue = openQueue({ endpoint: '/events/batch', send: async () => ({ status: 202 }) });
  await queue.track(event('a'));
  await queue.flush();
  expect(asked.filter((how) => 'steal' in how)).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  await queue.close();
  vi.unstubAllGlobals();
});

/** The first request for the lock is never granted in time; whoever steals it loses it while it works, once. */
function stolenLocks(): object {
  let requests = 0;
  return {
    async request(_: string, __: object, work: () => Promise<unknown>) {
      if (++requests === 1) throw new DOMException('late', 'TimeoutError');
      if (requests > 2) return work();
      void work();
      throw new DOMException('stolen', 'AbortError');
    },
  };
}

function throwingLocks(): object {
  return {
    request() {
      throw new TypeError('mine');
    },
  };
}

function stubPage(document: object): EventTarget {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('document', document);
  return page;
}

async function storedBackoff(): Promise<{ since: number; failures: number }> {
  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve) => request.addEventListener('success', () => resolve(request.result)));
  const db = await done(indexedDB.open('offerlet-queue /events/batch'));
  const backoff = await done(db.transaction('rows').objectStore('rows').get('!'));
  db.close();
  return backoff as { since: number; failures: number };
}

it('a script that replaces the fetch of the page later on sees nothing, unless it is the inspector', async () => {
  freshStorage();
  const [first, later, recorder] = Array.from({ length: 3 }, () =>
    vi.fn(async () => new Response(null, { status: 202 })),
  );
  vi.stubGlobal('fetch', first);
  const queue = openSessionQueue({ endpoint: 'https://shop.example/events/batch' }, openCore);
  vi.stubGlobal('fetch', later);
  await queue.track(event('a'));
  await queue.flush();
  queue.record(recorder as typeof fetch);
  await queue.track(event('b'));
  await queue.flush();
  expect([first, later, recorder].map((each) => each?.mock.calls.length)).toEqual([1, 0, 1]);
  await queue.close();
});
