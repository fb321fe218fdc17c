// Real background tabs, real prerendering and the real back/forward cache: what a page may count in each.
import { expect, test } from '@playwright/test';
import { startFreeChromium, type FreeChromium } from '../drivers/freeChromium.ts';
import { useFixture } from '../page/pageFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { inRealTime } from '../drivers/letPass.ts';

/** A view takes a second; a busy machine may notice it later, never earlier. */
const SECOND_MS = 1_000;

const fixture = useFixture();
let browser: FreeChromium;
test.beforeEach(async () => {
  browser = await startFreeChromium();
});
test.afterEach(() => browser.stop());

// The page reports by its own requests when it is visible, prerendered and restored: the test runs no code in it.
const TELLS = `<script>
  const tell = (what) => fetch('/tell', { method: 'POST', keepalive: true, body: JSON.stringify({ what, at: Date.now() }) });
  tell(document.prerendering ? 'prerendering' : document.visibilityState);
  document.addEventListener('prerenderingchange', () => tell('activated'));
  // A request at the moment of leaving would keep the page from being kept.
  if (location.pathname !== '/kept') document.addEventListener('visibilitychange', () => tell(document.visibilityState));
  addEventListener('pageshow', ({ persisted }) => {
    const why = performance.getEntriesByType('navigation')[0].notRestoredReasons?.reasons.map(({ reason }) => reason);
    if (persisted || sessionStorage.left) tell(persisted ? 'restored' : 'anew: ' + why);
  });
</script>`;
/** The page's clock stands still until the page is first hidden: however slow the machine is, nothing is viewed before. */
const STILL = `<script>{
  const now = performance.now.bind(performance);
  const began = now();
  let isOver = false;
  performance.now = () => (isOver ? now() : began);
  document.addEventListener('visibilitychange', () => (isOver = true));
}</script>`;
/** The page goes on once the event is delivered and the queue is idle: a page that holds a lock is not kept. */
const leaveAfter = (name: string): string => `<script>{
  const leave = async () => {
    const { tracked, queue } = window.offerlet?.explain?.()[0] ?? {};
    const { held, pending } = await navigator.locks.query();
    if (!tracked?.includes('${name}') || queue.waiting + held.length + pending.length > 0) return setTimeout(leave, 100);
    sessionStorage.left = true;
    location.assign('/next');
  };
  if (!sessionStorage.left) leave();
}</script>`;
// Its order has no id: nothing is remembered from one visit for the next.
const page = (more = ''): string => shop(TELLS + more + scriptTag({ 'order-id': '' }));
const toldAt = (what: string): number => told().findLast((each) => each.what === what)?.at ?? 0;
const told = (): { what: string; at: number }[] =>
  fixture.asked.filter(({ path }) => path === '/tell').map(({ body }) => body as { what: string; at: number });
const eventAt = (name: string): number =>
  Date.parse(fixture.events.find(({ event_name }) => event_name === name)?.event_datetime ?? '');
/**
 * Opens a page that leaves and comes back, until the browser has kept it. Where that is not the page's doing, as on a busy
 * machine, the browser masks its reason.
 */
async function openKept(url: string): Promise<void> {
  const end = (): string | undefined => told().find(({ what }) => /^(restored|anew)/.test(what))?.what;
  for (;;) {
    await browser.open(url);
    await poll(end).toMatch(/^(restored|anew: masked)$/);
    if (end() === 'restored') return;
    await browser.stop();
    browser = await startFreeChromium();
    fixture.forget();
  }
}
/** The views came once each, and a second after the moment in which the page could be seen at the earliest. */
async function expectViewsAfter(moment: number): Promise<void> {
  await poll(() => fixture.names().filter((name) => name.endsWith('_VIEW')).length).toBe(2);
  for (const name of ['WIDGET_VIEW', 'BRAND_VIEW'])
    expect(eventAt(name) - moment).toBeGreaterThanOrEqual(SECOND_MS - 20);
}

test('a prerendered page requests, stores and counts nothing before it is opened', async () => {
  const rules = '{"prerender":[{"source":"list","urls":["/opened"],"eagerness":"immediate"}]}';
  const stores = `<script>
    const stored = async () => tell('stores ' + JSON.stringify([{ ...localStorage }, await indexedDB.databases()]));
    if (document.prerendering) setTimeout(stored, 700);
  </script>`;
  fixture.page('/opened', page(stores));
  const first = `<script type="speculationrules">${rules}</script><a href="/opened">to the order</a>
    <script>
      const look = async () => ((await fetch('/go')).ok ? document.querySelector('a').click() : setTimeout(look, 100));
      look();
    </script>`;
  await browser.open(fixture.page('/first', `<!doctype html><title>Shop</title>${first}`));
  await poll(() => told().map(({ what }) => what)).toEqual(['prerendering', 'stores [{},[]]']);
  expect(fixture.asked.filter(({ path }) => path !== '/tell')).toEqual([]);
  fixture.page('/go', '');
  await poll(() => toldAt('activated')).toBeGreaterThan(0);
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  expect(eventAt('WIDGET_LOAD')).toBeGreaterThanOrEqual(toldAt('activated'));
  await expectViewsAfter(toldAt('activated'));
});

test('offers in a background tab are loaded, and count as displayed only in the foreground', async () => {
  const late = `<script>
    const append = () => document.body.append(document.querySelector('template').content);
    // The other tab may be in front before this page is there.
    if (document.hidden) append();
    else document.addEventListener('visibilitychange', append, { once: true });
  </script>`;
  const tab = await browser.open(
    fixture.page('/late', shop(`${TELLS}<template>${scriptTag({ 'order-id': '' })}</template>${late}`)),
  );
  await browser.show(await browser.open('about:blank'));
  await poll(() => toldAt('hidden')).toBeGreaterThan(0);
  await poll(fixture.names).toEqual(['WIDGET_LOAD']);
  await inRealTime(1_500);
  expect(fixture.names()).toEqual(['WIDGET_LOAD']);
  await browser.show(tab);
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  expect(eventAt('WIDGET_DISPLAY')).toBeGreaterThanOrEqual(toldAt('visible') - 50);
  await expectViewsAfter(toldAt('visible'));
});

test('a view that the background interrupts begins anew in front', async () => {
  const tab = await browser.open(fixture.page('/shop', page(STILL)));
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  const other = await browser.open('about:blank');
  await browser.show(other);
  await poll(() => toldAt('hidden')).toBeGreaterThan(0);
  await inRealTime(2_000);
  expect(fixture.names().filter((name) => name.endsWith('_VIEW'))).toEqual([]);
  await browser.show(tab);
  await poll(() => toldAt('visible')).toBeGreaterThan(toldAt('hidden'));
  await expectViewsAfter(toldAt('visible'));
});

test('a page with an idle queue may be cached for going back, and its time away does not count as viewed', async () => {
  const leave = leaveAfter('BRAND_DISPLAY');
  fixture.page('/next', '<!doctype html><title>Next</title><script>setTimeout(() => history.back(), 1500)</script>');
  await openKept(fixture.page('/kept', page(STILL + leave)));
  expect(eventAt('BRAND_DISPLAY')).toBeLessThan(toldAt('restored') - 1_000);
  await expectViewsAfter(toldAt('restored') - 50);
  expect(fixture.names().filter((name) => name === 'BRAND_DISPLAY')).toHaveLength(1);
});
