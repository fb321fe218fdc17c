import { expect, test, type Page } from '@playwright/test';
import { SCENARIOS } from '../../../src/wire/scenarios/scenarios.ts';
import { goTo, openInspected, outcomeNow, panel, useInspected } from '../inspector/inspectorFixture.ts';
import { options, shop } from '../page/pageShop.ts';
import { letPass } from '../drivers/letPass.ts';
import { poll } from '../drivers/poll.ts';

// Each scenario as the URL requests it, and what must be visible in it.

const fixture = useInspected();

const accept = (page: Page) => page.locator('[part~=accept]:visible').first();
const play = (page: Page, name: string, attributes: Record<string, string> = {}): Promise<void> =>
  openInspected(page, fixture, { attributes, more: `&offerlet-scenario=${name}` });

/** Ends with a code, shows nothing and leaves no trace. */
async function endsWith(page: Page, code: string): Promise<void> {
  await poll(() => outcomeNow(page)).toBe(code);
  expect(await page.locator('#offers').innerHTML()).toBe('');
  await expect(panel(page)).toContainText(code);
}

const arrived = (): string[] => fixture.names();
const batches = () => fixture.asked.filter(({ path }) => path.endsWith('/batch'));
/** Every event that was sent, as often as it was. */
const sent = () => batches().flatMap(({ body }) => body.events as unknown[]);
const ALL = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'WIDGET_VIEW', 'BRAND_VIEW'];

const TESTED: string[] = [];

test('every scenario has a unique name and a test', () => {
  const names = SCENARIOS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect([...TESTED].sort()).toEqual([...names].sort());
});

function scenario(name: string, body: (page: Page) => Promise<void>): void {
  TESTED.push(name);
  test(`${name}: ${SCENARIOS.find((known) => known.name === name)?.mustSee}`, async ({ page }) => body(page));
}

scenario('no-offers', async (page) => {
  await play(page, 'no-offers');
  await endsWith(page, 'no_offers');
  await poll(arrived).toEqual(['WIDGET_LOAD']);
});

scenario('one-offer', async (page) => {
  await play(page, 'one-offer');
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('.position')).toHaveCount(0);
  await page.locator('[part~=decline]:visible').click();
  await expect(page.locator('[part~=accept]')).toHaveCount(0);
});

scenario('long-copy', async (page) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await play(page, 'long-copy');
  await expect(accept(page)).toBeVisible();
  const heading = await page.locator('[part~=heading]:visible').first().innerText();
  expect(heading.length).toBeGreaterThan(120);
  expect(heading.length).toBeLessThanOrEqual(140);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  for (const part of ['accept', 'decline']) {
    const box = await page.locator(`[part~=${part}]:visible`).first().boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 320).toBe(true);
  }
});

scenario('missing-parts', async (page) => {
  await play(page, 'missing-parts');
  await expect(page.locator('[part~=heading]:visible').first()).toHaveText('Heading 2');
  await expect(page.locator('[part~=subheading]')).toHaveCount(0);
  await expect(await goTo(page, 'Wire')).toContainText('left out: offer.heading is missing');
});

scenario('promo-code', async (page) => {
  await play(page, 'promo-code');
  await accept(page).click({ button: 'middle' });
  await expect(page.getByText('QA-2026')).toBeVisible();
});

scenario('slow-offers', async (page) => {
  const began = Date.now();
  await play(page, 'slow-offers');
  await expect(accept(page)).toBeVisible();
  expect(Date.now() - began).toBeGreaterThan(1_500);
  expect(await outcomeNow(page)).toBe('rendered');
});

for (const [name, code, says] of [
  ['offers-502', 'network_error', 'responded with status 502'],
  ['offers-refused', 'refused', 'The scenario returns status 403'],
  ['offers-timeout', 'network_error', 'did not respond within 4 s'],
  ['offers-unreachable', 'network_error', 'Check that the relay is up'],
  ['invalid-config', 'invalid_config', 'such as "/offers"'],
  ['consent-denied', 'consent_denied', ''],
] as const)
  scenario(name, async (page) => {
    await play(page, name);
    await endsWith(page, code);
    await expect(panel(page)).toContainText(says);
    expect(batches()).toEqual([]);
  });

scenario('second-event-fails', async (page) => {
  await play(page, 'second-event-fails');
  await poll(arrived).toHaveLength(5);
  expect(arrived().sort()).toEqual([...ALL].sort());
  expect(sent()).toHaveLength(5); // the refused one never arrived the first time, the others arrived once
  const events = await goTo(page, 'Events');
  await expect(events.getByText(/207: refused for now/)).toHaveCount(1);
  await expect(events.getByText('sent again')).toHaveCount(1);
  await expect(events.getByRole('cell', { name: 'delivered', exact: true })).toHaveCount(5);
});

scenario('second-event-dead', async (page) => {
  await play(page, 'second-event-dead');
  await poll(arrived).toHaveLength(4);
  const queue = await goTo(page, 'Queue');
  await expect(queue).toContainText('SCENARIO');
  await queue.getByRole('button', { name: /^Replay/ }).click();
  await poll(arrived).toHaveLength(5);
  await expect(queue.getByRole('button', { name: /^Replay/ })).toHaveCount(0);
});

scenario('events-502', async (page) => {
  await play(page, 'events-502');
  const events = await goTo(page, 'Events');
  await expect(events.getByText('502: kept').first()).toBeVisible();
  await poll(arrived).toHaveLength(5);
  expect(sent()).toHaveLength(5);
});

scenario('lost-answer', async (page) => {
  await play(page, 'lost-answer');
  const events = await goTo(page, 'Events');
  await expect(events.getByText(/no response/).first()).toBeVisible();
  await poll(arrived).toHaveLength(5);
  // What was lost on its way back had arrived: the relay knows its ids.
  expect(sent().length).toBeGreaterThan(5);
  await expect(events.getByRole('cell', { name: 'delivered', exact: true })).toHaveCount(5);
});

scenario('rate-limited', async (page) => {
  // The two seconds pass when the test says so.
  const now = Date.now();
  await page.clock.setFixedTime(now);
  await play(page, 'rate-limited');
  await goTo(page, 'Queue');
  await expect(panel(page)).toContainText(/Next try at .* because the last response was 429/);
  await expect(panel(page)).toContainText('BRAND_VIEW');
  expect(batches()).toEqual([]);
  await page.clock.setFixedTime(now + 10_000);
  await poll(arrived).toHaveLength(5);
});

scenario('events-slow', async (page) => {
  await play(page, 'events-slow');
  const events = await goTo(page, 'Events');
  await expect(events.getByRole('cell', { name: 'in flight' }).first()).toBeVisible();
  await poll(arrived).toHaveLength(5);
  expect(sent()).toHaveLength(5);
});

scenario('offline', async (page) => {
  await play(page, 'offline');
  await expect(accept(page)).toBeVisible();
  const queue = await goTo(page, 'Queue');
  await expect(queue).toContainText('the last request got no response');
  await expect(queue.getByText('BRAND_VIEW')).toBeVisible();
  expect(fixture.events).toEqual([]);
  await page.locator('offerlet-inspector').getByRole('button', { name: 'Clear all' }).first().click();
  await poll(() => arrived().includes('BRAND_VIEW')).toBe(true);
  await expect(queue).toContainText('No events are waiting');
});

scenario('storage-refused', async (page) => {
  await play(page, 'storage-refused');
  await expect(accept(page)).toBeVisible();
  await expect(await goTo(page, 'Queue')).toContainText('Stored in memory');
  await poll(arrived).toHaveLength(5);
});

scenario('consent-pending', async (page) => {
  await page.clock.install();
  await play(page, 'consent-pending');
  await letPass(page, 500);
  expect(await page.locator('#offers').innerHTML()).toBe('');
  await poll(() => fixture.asked.length).toBe(1); // by the page, before the inspector had it begin anew
  await (await goTo(page, 'Force')).getByRole('button', { name: 'Say yes' }).click();
  await expect(accept(page)).toBeVisible();
  await panel(page).getByRole('button', { name: 'Say no' }).click();
  await expect(page.locator('[part~=accept]')).toHaveCount(0);
});

test('already_shown: closed offers stay away on the next load, and the panel says so', async ({ page }) => {
  await openInspected(page, fixture, { attributes: { 'display-mode': 'OVERLAY' } });
  await page.locator('[part~=close]').click();
  await page.reload();
  await poll(() => outcomeNow(page)).toBe('already_shown');
  await expect(panel(page)).toContainText('The shopper has already closed the offers of this order');
});

test('invalid_config: in a tab in which the relay has said sandbox, the panel says what to write', async ({ page }) => {
  await openInspected(page, fixture);
  await openInspected(page, fixture, { attributes: { view: 'BASKET' } });
  await endsWith(page, 'invalid_config');
  await expect(panel(page)).toContainText('view is missing or not valid');
});

test('rendered: forced settings show the offers again without a second load event', async ({ page }) => {
  await openInspected(page, fixture, {
    more: '&offerlet-mode=PULLUP&offerlet-theme=dark&offerlet-locale=ar&offerlet-dir=rtl',
  });
  await expect(page.locator('.pullup')).toBeVisible();
  await expect(page.locator('.pullup')).toHaveAttribute('lang', 'ar');
  expect(await page.evaluate('document.documentElement.dir')).toBe('rtl');
  await poll(arrived).toContain('BRAND_VIEW');
  expect(arrived().filter((name) => name === 'WIDGET_LOAD')).toHaveLength(1);
});

test('the page’s outcome promise resolves to the scenario’s outcome', async ({ page }) => {
  const script = `<script async src="/offerlet.js"></script><script>
    (window.offerlet ||= []).push((o) => (window.outcome = o.show(${options('INLINE')}).outcome));</script>`;
  await page.goto(`${fixture.page('/promise', shop(script))}?offerlet=inspect&offerlet-scenario=offers-refused`);
  await page.waitForFunction('window.outcome');
  expect(await page.evaluate('outcome.then(({ code }) => code)')).toBe('refused');
});
