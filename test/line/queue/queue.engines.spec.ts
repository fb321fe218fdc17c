// Unloading and storage, in every engine.
import './queueWindow.ts';
import { expect, test, type Driver } from '../drivers/driver.ts';
import { tally, useQueueSite } from './queueFixture.ts';
import { inRealTime } from '../drivers/letPass.ts';

const site = useQueueSite();

/** The query of the page, once it has loaded: Firefox may repeat a navigation that begins before. */
function opened(driver: Driver): Promise<string> {
  return driver
    .eval(() => ('track' in globalThis && document.readyState === 'complete' ? location.search : ''))
    .catch(() => '');
}

test('200 events are delivered once each in ten requests', async ({ driver }) => {
  await driver.goto(site.url);
  await driver.eval(() => track('a', 200));
  await expect.poll(() => tally(site.arrived(), 'a', 200)).toEqual({ lost: 0, duplicated: 0 });
  expect(site.batches).toHaveLength(10);
  await expect
    .poll(() => driver.eval(() => queue.stats()))
    .toMatchObject({ onDisk: 0, inMemory: 0, delivered: 200, storage: 'indexeddb' });
});

test('leaving the page at once loses nothing', async ({ driver }) => {
  await driver.goto(site.url);
  await driver.eval(() => {
    void track('b', 200);
    location.href = '/next?idle';
  });
  await expect.poll(() => opened(driver)).toBe('?idle');
  await driver.goto(site.url);
  await expect.poll(() => tally(site.arrived(), 'b', 200).lost).toBe(0);
});

test('leaving while the relay is down loses nothing', async ({ driver }) => {
  await driver.goto(`${site.url}/first`);
  site.isDown = '/first';
  await driver.eval(async () => {
    await track('c', 200);
    setTimeout(() => (location.href = '/next?idle')); // after this evaluation
  });
  await expect.poll(() => opened(driver)).toBe('?idle');
  await driver.goto(site.url);
  await expect.poll(() => tally(site.arrived(), 'c', 200)).toEqual({ lost: 0, duplicated: 0 });
});

// WebKit keeps a page that was left together with its unfinished transactions, which blocked all later pages.
for (const busy of ['reads', 'writes a note', 'writes a note on pagehide'])
  test(`a page that ${busy} blocks no other page, and continues when it is restored`, async ({ driver }) => {
    await driver.goto(`${site.url}/?page`);
    site.isDown = true;
    await driver.eval(() => track('k', 50));
    await driver.goto(`${site.url}/?page`);
    await driver.eval((kind) => {
      const note = (): void => void queue.notes.update('n', () => 1);
      const work = kind === 'reads' ? () => Array.from({ length: 20 }, () => void queue.stats()) : note;
      if (kind === 'writes a note on pagehide') {
        addEventListener('pagehide', note, { once: true });
        document.addEventListener('visibilitychange', note, { once: true });
      } else {
        const again = (): void => (work(), void setTimeout(again));
        again();
      }
      Object.assign(globalThis, { wasLeft: true });
      location.href = '/?page&next';
    }, busy);
    await expect.poll(() => opened(driver)).toBe('?page&next');
    site.isDown = false;
    await driver.eval(() => queue.flush());
    await expect.poll(() => tally(site.arrived(), 'k', 50).lost).toBe(0);
    await driver.back();
    await expect.poll(() => opened(driver)).toBe('?page');
    // An engine that reloads the page has nothing to continue.
    if (busy !== 'reads' && (await driver.eval(() => 'wasLeft' in globalThis)))
      await expect.poll(() => driver.eval(() => queue.notes.read('n'))).toBe(1);
    // A busy machine may be too slow for a while; a page that is blocked stays so.
    await expect.poll(() => driver.eval(() => queue.stats())).toMatchObject({ storage: 'indexeddb', onDisk: 0 });
  });

test('a page that is left while it withdraws consent blocks no other page', async ({ driver }) => {
  await driver.goto(`${site.url}/?page`);
  site.isDown = '/?page';
  await driver.eval(() => track('w', 50));
  await driver.goto(`${site.url}/?idle`);
  await driver.eval(() => {
    const again = (): void => {
      void offerletSessionQueue.withdrawConsent('/events/batch');
      setTimeout(again);
    };
    again();
    location.href = '/?page&next';
  });
  await expect.poll(() => opened(driver)).toBe('?page&next');
  await driver.eval(() => track('v', 1));
  expect(await driver.eval(() => queue.stats())).toMatchObject({ storage: 'indexeddb' });
  await expect.poll(site.arrived).toEqual(['v0']);
});

test('a restored page notices that consent was withdrawn', async ({ driver }) => {
  await driver.goto(`${site.url}/?idle`);
  site.isDown = true;
  await driver.eval(async () => {
    // Without it the page can only notice by what is stored.
    Object.defineProperty(globalThis, 'BroadcastChannel', { value: undefined });
    openPage();
    await track('x', 5);
    // A page that holds a lock is not kept.
    await new Promise((failed) => setTimeout(failed, 500));
    // It reads first, so it is aborted.
    addEventListener('pagehide', () => void queue.notes.update('n', () => 1), { once: true });
    Object.assign(globalThis, { wasLeft: true });
    setTimeout(() => (location.href = '/?idle&next')); // after this evaluation
  });
  await expect.poll(() => opened(driver)).toBe('?idle&next');
  await driver.eval(() => offerletSessionQueue.withdrawConsent('/events/batch'));
  site.isDown = false;
  await driver.back();
  await expect.poll(() => opened(driver)).toBe('?idle');
  if (await driver.eval(() => 'wasLeft' in globalThis)) await expect.poll(() => driver.eval(() => withdrawn)).toBe(1);
  expect(site.arrived()).toEqual([]);
});

test('a restored page finishes what it began on pagehide', async ({ driver }) => {
  await driver.goto(`${site.url}/?idle`);
  site.isDown = true;
  await driver.eval(async () => {
    const ended: string[] = [];
    const other = openPage('/other/events/batch');
    openPage();
    await Promise.all([other.stats(), queue.stats()]);
    addEventListener('pagehide', () => {
      void other.rows.clear().then(() => ended.push('purge'));
      void track('y', 2).then(() => ended.push('track'));
      void queue.close().then(() => ended.push('close'));
    });
    Object.assign(globalThis, { ended });
    setTimeout(() => (location.href = '/?idle&next')); // after this evaluation
  });
  await expect.poll(() => opened(driver)).toBe('?idle&next');
  // What was sent as the page was left has failed by now.
  await inRealTime(1_000);
  await driver.back();
  await expect.poll(() => opened(driver)).toBe('?idle');
  // An engine that reloads the page has nothing to continue.
  if (!(await driver.eval(() => 'ended' in globalThis))) return;
  await expect
    .poll(() => driver.eval(() => (globalThis as unknown as { ended: string[] }).ended.toSorted()))
    .toEqual(['close', 'purge', 'track']);
  site.isDown = false;
  await driver.goto(`${site.url}/?page`);
  await expect.poll(() => tally(site.arrived(), 'y', 2).lost).toBe(0);
});

test('without storage events are held in memory and sent, at the latest when the page is left', async ({ driver }) => {
  await driver.goto(`${site.url}/?idle`);
  await driver.eval(async () => {
    Object.defineProperty(globalThis, 'indexedDB', {
      get() {
        throw new DOMException('blocked', 'SecurityError');
      },
    });
    const { openQueue } = offerletQueue;
    Object.assign(globalThis, { queue: openQueue({ endpoint: '/events/batch' }) });
    await track('d', 5);
  });
  expect(await driver.eval(() => queue.stats())).toMatchObject({ storage: 'memory', onDisk: 0 });
  await expect.poll(() => tally(site.arrived(), 'd', 5)).toEqual({ lost: 0, duplicated: 0 });
  await driver.eval(async () => {
    await track('e', 30);
    setTimeout(() => (location.href = '/next?idle')); // after this evaluation
  });
  await expect.poll(() => tally(site.arrived(), 'e', 30).lost).toBe(0);
});

// Chromium fails requests in progress before it fires pagehide.
test('a page that is left during a request sends the rest, even if another script listens to pagehide', async ({
  driver,
}) => {
  await driver.goto(`${site.url}/?idle`);
  site.answer = () => new Promise((answer) => setTimeout(answer, 300, 202));
  await driver.eval(async () => {
    addEventListener('pagehide', () => {});
    Object.assign(globalThis, { queue: offerletQueue.openQueue({ endpoint: '/events/batch' }) });
    await track('g', 30);
    await new Promise((sent) => setTimeout(sent, 100));
    setTimeout(() => (location.href = '/next?idle')); // after this evaluation
  });
  await expect.poll(() => tally(site.arrived(), 'g', 30).lost).toBe(0);
});

test('consent withdrawn in one frame stops the other, and a deleted database is not created again', async ({
  driver,
}) => {
  await driver.goto(`${site.url}/?idle`);
  site.answer = () => undefined;
  const found = await driver.eval(async () => {
    const opened = await Promise.all(
      [0, 1].map(
        () =>
          new Promise<typeof globalThis>((done) => {
            const frame = document.createElement('iframe');
            frame.src = '/?page';
            frame.addEventListener('load', () => done(frame.contentWindow as unknown as typeof globalThis));
            document.body.append(frame);
          }),
      ),
    );
    const [here, other] = opened as [typeof globalThis, typeof globalThis];
    await other.track('a', 3, 'BRAND_CLICK');
    await other.queue.notes.update('order', () => 1);
    await here.queue.withdraw();
    while (!other.withdrawn) await new Promise((done) => setTimeout(done, 50));
    const late = await other.track('b', 1).catch((error: unknown) => String(error));
    const db = await new Promise<IDBDatabase>((done) => {
      const request = indexedDB.open('offerlet-queue /events/batch');
      request.onsuccess = () => done(request.result);
    });
    const keys = await new Promise<unknown>((done) => {
      const request = db.transaction('rows').objectStore('rows').getAllKeys();
      request.transaction?.addEventListener('complete', () => done(request.result));
    });
    db.close();
    const deleted = await new Promise<string>((done) => {
      const request = indexedDB.deleteDatabase('offerlet-queue /events/batch');
      request.onsuccess = () => done('deleted');
      request.onblocked = () => done('blocked');
    });
    await new Promise((done) => setTimeout(done, 1_500));
    const names = (await indexedDB.databases()).map(({ name }) => name);
    return { withdrawn: other.withdrawn, late, keys, deleted, names };
  });
  expect(found).toEqual({ withdrawn: 1, late: 'Error: The queue is closed', keys: [], deleted: 'deleted', names: [] });
});
