// A web worker has no document. The session runs there in every engine, and outlives the worker.
import { fileURLToPath } from 'node:url';
import { bundle } from '../drivers/bundle.ts';
import { expect, test, type Driver } from '../drivers/driver.ts';
import { inRealTime } from '../drivers/letPass.ts';
import { useFixture } from '../page/pageFixture.ts';

const WORKER = `
  onmessage = async ({ data: { isBare } }) => {
    if (isBare) {
      for (const name of ['indexedDB', 'caches', 'BroadcastChannel']) Object.defineProperty(globalThis, name, { value: undefined });
      for (const name of ['locks', 'userAgent']) Object.defineProperty(navigator, name, { value: undefined });
      Object.defineProperty(crypto, 'subtle', { value: undefined });
    }
    const { openSession } = await import('/session.js');
    const emitted = [];
    const session = openSession({
      relay: '/offers',
      request: { user_details: { email_hash: '${'a'.repeat(64)}' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' }, order_details: { order_id: '1' } },
      onEvent: ({ type }) => emitted.push(type),
    });
    const result = await session.result;
    const offer = result.groups[0]?.offers[0];
    if (offer) session.displayed(offer);
    const accepted = offer && session.accept(offer);
    await accepted?.stored;
    delete accepted?.stored;
    postMessage({ code: result.code, isRemembered: result.isRemembered, hasDocument: typeof document, accepted, stats: await session.stats(), emitted });
  };
`;

interface Report {
  code: string;
  isRemembered: boolean;
  hasDocument: string;
  accepted?: { target_url: string };
  stats: { storage: string };
}

const fixture = useFixture();
test.beforeEach(async () => {
  const js = { 'content-type': 'text/javascript' };
  fixture.page(
    '/session.js',
    await bundle(fileURLToPath(new URL('../../../src/session.ts', import.meta.url)), 'es'),
    js,
  );
  fixture.page('/worker.js', WORKER, js);
  fixture.page('/', '<!doctype html><title>Worker</title><link rel="icon" href="data:,">');
});

const FIRST = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK'];
const arrived = (): string[] => [...new Set(fixture.names())].toSorted();

/** Runs a session in a new worker, which ends as soon as `accept` has resolved if `isKilled`. `kill()` ends it later. */
function run({ isKilled, isBare }: { isKilled?: boolean; isBare?: boolean }): Promise<Report> {
  return new Promise((resolve) => {
    const worker = new Worker('/worker.js', { type: 'module' });
    Object.assign(globalThis, { kill: () => worker.terminate() });
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      if (isKilled) worker.terminate();
      resolve(data);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
    worker.postMessage({ isBare });
  });
}

test('a session in a worker gets offers and delivers what the shopper did', async ({ driver }) => {
  await driver.goto(`${fixture.url}/`);
  expect(await driver.eval(run, {})).toMatchObject({
    code: 'offers',
    hasDocument: 'undefined',
    accepted: { target_url: 'https://advertiser.example/1' },
    stats: { storage: 'indexeddb' },
  });
  await expect.poll(fixture.names).toEqual(FIRST);
});

test('a worker that is killed once accept() has resolved delivers on its next start', async ({
  driver,
  browserName,
}) => {
  test.skip(
    browserName === 'webkit',
    'A transaction whose worker is killed as it commits never ends there: docs/reference/queue.md',
  );
  fixture.accept = (_, response) => void response.writeHead(503).end();
  await driver.goto(`${fixture.url}/`);
  await driver.eval(run, { isKilled: true });
  await deliversTheRest(driver);
});

test('a worker that is killed while it sends delivers on its next start', async ({ driver }) => {
  fixture.accept = () => new Promise(() => {});
  await driver.goto(`${fixture.url}/`);
  await driver.eval(run, {});
  await expect.poll(arrived).toEqual(FIRST.toSorted());
  // WebKit never ends a transaction whose worker is killed: half a second after the response, one removes older orders.
  await inRealTime(1_000);
  await driver.eval(() => (globalThis as unknown as { kill(): void }).kill());
  await deliversTheRest(driver);
});

/** Starts a session again in a new worker, and expects that everything comes which the one before has left. */
async function deliversTheRest(driver: Driver): Promise<void> {
  fixture.forget();
  expect(await driver.eval(run, {})).toMatchObject({ code: 'offers', isRemembered: true });
  await expect.poll(arrived).toEqual(FIRST.toSorted());
  expect(fixture.asked.some(({ path }) => path.endsWith('/recommendations'))).toBe(false);
}

test('a worker without any storage, locks and hashing still shows and delivers', async ({ driver }) => {
  await driver.goto(`${fixture.url}/`);
  expect(await driver.eval(run, { isBare: true })).toMatchObject({
    code: 'offers',
    stats: { storage: 'memory' },
  });
  await expect.poll(fixture.names).toEqual(FIRST);
});
