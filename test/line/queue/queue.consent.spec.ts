// Consent withdrawn in one tab, and what a closed queue leaves behind, in a real Chromium.
import './queueWindow.ts';
import { expect, test, type CDPSession, type Page } from '@playwright/test';
import { startQueueSite, type QueueSite } from './queueFixture.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '../drivers/poll.ts';

const NAME = 'offerlet-queue /events/batch';
let site: QueueSite;
test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  site = await startQueueSite();
});
test.beforeEach(() => site.reset());
test.afterAll(() => site.close());

/** The keys in the queue's database. */
function keys(page: Page): Promise<string[]> {
  return page.evaluate(async (name) => {
    const db = await new Promise<IDBDatabase>((done) => {
      const request = indexedDB.open(name);
      request.addEventListener('success', () => done(request.result));
    });
    const request = db.transaction('rows').objectStore('rows').getAllKeys();
    await new Promise((done) => request.addEventListener('success', done));
    db.close();
    return request.result as string[];
  }, NAME);
}

/** Deletes the database as a consent tool does. Resolves to whether a connection was in the way. */
function deleteDatabase(page: Page): Promise<string> {
  return page.evaluate(
    (name) =>
      new Promise<string>((done) => {
        const request = indexedDB.deleteDatabase(name);
        // A transaction that is just ending may delay the deletion ("blocked"); only a connection left open prevents it.
        request.addEventListener('success', () => done('deleted'));
        request.addEventListener('blocked', () => setTimeout(done, 2_000, 'blocked'));
      }),
    NAME,
  );
}

const databases = (page: Page): Promise<unknown[]> =>
  page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));

test('a withdrawal stops another tab: events in flight are neither stored nor sent again', async ({ context }) => {
  const [here, other] = [await context.newPage(), await context.newPage()];
  for (const page of [here, other]) await page.goto(`${site.url}/?page`);
  let respond: (status: number) => void = () => undefined;
  site.answer = () => new Promise((done) => (respond = done));
  await other.evaluate(() => track('a', 5, 'BRAND_CLICK'));
  await other.evaluate(() => queue.notes.update('order', () => ({ session_id: 's' })));
  await poll(() => site.batches.length).toBe(1);
  await here.evaluate(() => queue.withdraw());
  expect(await keys(here)).toEqual([]);
  await poll(() => other.evaluate(() => withdrawn)).toBe(1);
  respond(503);
  site.answer = () => 202;
  expect(await other.evaluate(() => track('b', 1).catch((error: unknown) => String(error)))).toContain('closed');
  await sleep(2_500);
  expect(await keys(here)).toEqual([]);
  expect(site.batches).toHaveLength(1);
});

test('a tab that was frozen during a withdrawal stores and sends nothing when it resumes', async ({ context }) => {
  const [here, frozen] = [await context.newPage(), await context.newPage()];
  for (const page of [here, frozen]) await page.goto(`${site.url}/?page`);
  // Without a notification, as in a tab that misses it.
  await frozen.evaluate(() => Object.assign(BroadcastChannel.prototype, { close() {} }));
  site.isDown = true;
  await frozen.evaluate(() => track('a', 5));
  const devtools = await frozen.context().newCDPSession(frozen);
  await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await here.evaluate(() => queue.withdraw());
  site.isDown = false;
  await devtools.send('Page.setWebLifecycleState', { state: 'active' });
  await frozen.evaluate(() => track('b', 1, 'BRAND_CLICK').catch(() => undefined));
  await sleep(2_000);
  expect(await keys(here)).toEqual([]);
  expect(site.batches).toEqual([]);
  expect(await frozen.evaluate(() => withdrawn)).toBe(1);
});

test('a purge in one tab empties the queue for all tabs, and later events are sent', async ({ context }) => {
  const [here, other] = [await context.newPage(), await context.newPage()];
  for (const page of [here, other]) await page.goto(`${site.url}/?page`);
  let respond: (status: number) => void = () => undefined;
  site.answer = () => new Promise((done) => (respond = done));
  await other.evaluate(() => track('a', 5, 'BRAND_CLICK'));
  await poll(() => site.batches.length).toBe(1);
  await here.evaluate(() => queue.purge());
  respond(503);
  site.answer = () => 202;
  await sleep(2_500);
  expect(site.batches).toHaveLength(1);
  await other.evaluate(() => track('b', 1, 'BRAND_CLICK'));
  await poll(() => site.arrived().slice(5)).toEqual(['b0']);
  expect(await other.evaluate(() => withdrawn)).toBe(0);
});

for (const end of ['withdraw', 'close'] as const) {
  test(`after ${end} a consent tool can delete the database, and it is not created again`, async ({ page }) => {
    await page.goto(`${site.url}/?page`);
    let respond: (status: number) => void = () => undefined;
    site.answer = () => new Promise((done) => (respond = done));
    await page.evaluate(() => track('a', 5, 'BRAND_CLICK'));
    await poll(() => site.batches.length).toBe(1);
    await page.evaluate((how) => void queue[how](), end);
    expect(await deleteDatabase(page)).toBe('deleted');
    respond(503);
    await sleep(2_500);
    expect(await databases(page)).toEqual([]);
  });
}

test('200 queues opened and closed leave no connection, channel or listener behind', async ({ page }) => {
  await page.goto(`${site.url}/?idle`);
  const devtools = await page.context().newCDPSession(page);
  const before = await count(devtools);
  await page.evaluate(async () => {
    for (let n = 0; n < 200; n++) {
      openPage();
      await track(`n${n}-`, 1);
      if (n % 2) await queue.flush();
      await queue.close();
    }
    emitted.length = 0;
    queue = undefined as never;
  });
  await poll(async () => (await count(devtools)).connections, { timeout: 15_000 }).toBe(0);
  const after = await count(devtools);
  expect(after.channels).toBe(0);
  expect(after.listeners).toBeLessThanOrEqual(before.listeners + 5);
  expect(await deleteDatabase(page)).toBe('deleted');
});

test('an accepted batch whose body stalls is delivered at once and not sent again', async ({ page }) => {
  let closed = 0;
  site.answer = (_, response) => {
    const start = Date.now();
    response.on('close', () => (closed = Date.now() - start));
    response.writeHead(202, { 'content-type': 'application/json' });
    response.write('{"results":[');
    return undefined;
  };
  await page.goto(site.url);
  await page.evaluate(() => track('a', 5, 'BRAND_CLICK'));
  await poll(() => page.evaluate(() => queue.stats()), { timeout: 2_000 }).toMatchObject({ delivered: 5, onDisk: 0 });
  await poll(() => closed, { timeout: 4_000 }).toBeGreaterThan(0);
  await page.reload();
  await sleep(2_000);
  expect(site.batches).toHaveLength(1);
});

/** What is alive on the page after a garbage collection. */
async function count(devtools: CDPSession): Promise<{ connections: number; channels: number; listeners: number }> {
  const alive = async (expression: string): Promise<number> => {
    const { result } = await devtools.send('Runtime.evaluate', { expression });
    const { objects } = await devtools.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
    const length = await devtools.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length; }',
      returnByValue: true,
    });
    await devtools.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' });
    return Number(length.result.value);
  };
  await devtools.send('HeapProfiler.collectGarbage');
  const { jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  return {
    connections: await alive('IDBDatabase.prototype'),
    channels: await alive('BroadcastChannel.prototype'),
    listeners: jsEventListeners,
  };
}
