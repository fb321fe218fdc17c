import { expect, test, type Page } from '@playwright/test';
import { goTo, openInspected, outcomeNow, panel, useInspected, TABS } from './inspectorFixture.ts';
import { HASH, options, scriptTag, shop } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { blankButtons, violationsOf } from '../drivers/violationsOf.ts';
import { letPass, paint, useClock } from '../drivers/letPass.ts';
import { allAccepted } from '../../wire/offers/wholeResponse.ts';

const fixture = useInspected();
useClock();

const inspector = (page: Page) => page.locator('offerlet-inspector');
const accept = (page: Page) => page.locator('[part~=accept]:visible').first();

test('the same events are reported with the inspector and without it', async ({ page, context }) => {
  const seen = async (query: string): Promise<string[]> => {
    const fresh = await context.newPage();
    await fresh.goto(
      fixture.page(`/measured${query.length}`, shop(scriptTag({ 'order-id': `m${query.length}` }))) + query,
    );
    await fresh.waitForFunction('offerlet.explain()[0].response');
    const session = await fresh.evaluate('offerlet.explain()[0].response.session_id');
    const names = () =>
      fixture.events.flatMap((event) => (event.session_id === session ? event.event_name : [])).sort();
    await poll(names).toEqual(['BRAND_DISPLAY', 'BRAND_VIEW', 'WIDGET_DISPLAY', 'WIDGET_LOAD', 'WIDGET_VIEW']);
    await letPass(fresh, 800);
    await fresh.close();
    return names();
  };
  await page.close();
  expect(await seen('?offerlet=inspect')).toEqual(await seen(''));
});

test('Wire masks what could identify a person, and the report does not contain it', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // No time of day can contain it: the report is full of those.
  const amount = '8674.29';
  const attributes = { 'email-hash': HASH, 'order-id': 'ORDER-4711', 'order-amount': amount, 'order-currency': 'EUR' };
  await openInspected(page, fixture, { attributes, more: '&token=s3cret&offerlet-locale=de' });
  await poll(fixture.names).toContain('BRAND_VIEW');
  const wire = await goTo(page, 'Wire');
  await wire.locator('summary').last().click();
  await expect(wire).toContainText('"display_mode": "INLINE"');
  await expect(wire).toContainText('"email_hash": "•••"');
  await expect(wire).toContainText('"recommendation_groups"');
  const shown = await wire.innerText();
  await inspector(page).getByRole('button', { name: 'Copy report' }).click();
  await expect(inspector(page).getByRole('status')).toHaveText('The report is in the clipboard.');
  const report = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of [
    '# offerlet report',
    '**rendered**',
    'BRAND_VIEW',
    'locale=de',
    '/offers/recommendations',
    '## Page',
  ])
    expect(report).toContain(part);
  for (const canary of [HASH, 'ORDER-4711', amount, 's3cret']) {
    expect(report).not.toContain(canary);
    expect(shown).not.toContain(canary);
  }
});

test('the report has the request that was sent before the inspector was loaded', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openInspected(page, fixture);
  await expect(inspector(page)).toContainText('rendered');
  await inspector(page).getByRole('button', { name: 'Copy report' }).click();
  await expect(inspector(page).getByRole('status')).toHaveText('The report is in the clipboard.');
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toMatch(
    /\| {2}\| \/recommendations \| \d+ offers \| {2}\| requested before the inspector was loaded \|/,
  );
});

test('offers that are shown again have their own explanation, and the previous one is collapsed', async ({ page }) => {
  await openInspected(page, fixture);
  await poll(fixture.names).toContain('BRAND_DISPLAY');
  const force = await goTo(page, 'Force');
  await force.getByLabel('Scenario').selectOption('consent-denied');
  const outcome = await goTo(page, 'Outcome');
  await expect(outcome.getByRole('heading', { name: 'consent_denied' })).toBeVisible();
  await expect(outcome.getByText('BRAND_DISPLAY tracked')).toBeHidden();
  await outcome.getByText(/^Before it was shown again/).click();
  await expect(outcome.getByText('BRAND_DISPLAY tracked')).toBeVisible();
  // The next scenario begins anew: neither its consent nor the state of its place is that of the last one.
  await (await goTo(page, 'Force')).getByLabel('Scenario').selectOption('no-offers');
  await expect((await goTo(page, 'Outcome')).getByRole('heading', { name: 'no_offers' })).toBeVisible();
  await expect(page.locator('#offers')).toHaveAttribute('data-offerlet', 'empty');
});

test('Seen follows an offer into view, and agrees with what is reported', async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await openInspected(page, fixture, { head: '<style>h1{margin-bottom:1400px}</style>' });
  const seen = await goTo(page, 'Seen');
  await expect(seen.getByText(/^0% visible/)).toBeVisible();
  await page.evaluate("document.querySelector('#offers').scrollIntoView({ block: 'end' })");
  await expect(seen.getByText(/^100% visible/)).toBeVisible();
  await expect(seen).toContainText('a view');
  await expect(inspector(page).locator('.frame.viewed')).toBeVisible();
  await poll(fixture.names).toContain('BRAND_VIEW');
  const card = await page.locator('article').boundingBox();
  const frame = await inspector(page).locator('.frame').boundingBox();
  expect(Math.abs((card?.y ?? 0) - (frame?.y ?? 99))).toBeLessThan(2);
  // Nobody sees that, so the page reports nothing of it either.
  await page.evaluate("document.querySelector('#offers').style.opacity = '0.05'");
  await expect(seen.getByText(/^0% visible/)).toBeVisible();
});

for (const mode of ['OVERLAY', 'PULLUP'] as const) {
  test(`over ${mode} it can be seen, clicked and typed into, and Esc only collapses it`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 800 });
    await openInspected(page, fixture, { attributes: { 'display-mode': mode } });
    await expect(accept(page)).toBeVisible();
    await goTo(page, 'Force');
    await panel(page).getByLabel('Theme').selectOption('dark');
    await expect(panel(page)).toContainText('offerlet-theme=dark');
    // Shown anew: the panel has moved from the layer that fades into the one that came.
    await expect(page.locator('offer-let-layer')).toHaveCount(1);
    await expect(page.locator('offer-let-layer .root')).toHaveCSS('color-scheme', 'dark');
    await expect(accept(page)).toBeVisible();
    const questions = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
    const before = questions();
    await panel(page).getByLabel('207 on events').fill('2');
    await panel(page).getByLabel('207 on events').press('Enter');
    await expect(panel(page)).toContainText('offerlet-fail=2');
    // Shown anew once more; what comes takes the focus.
    await poll(questions).toBe(before + 1);
    await expect(page.locator('offer-let-layer')).toHaveCount(1);
    await expect(accept(page)).toBeVisible();
    await panel(page).getByLabel('207 on events').press('Escape');
    await expect(panel(page)).toHaveCount(0);
    await expect(accept(page)).toBeVisible();
    await expect(inspector(page).getByRole('button', { name: /offerlet/ })).toBeFocused();
  });
}

test('closing an overlay leaves the inspector where it was, open and usable', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 800 });
  await openInspected(page, fixture, { attributes: { 'display-mode': 'OVERLAY' } });
  await page.locator('[part~=close]').click();
  await expect(page.locator('offer-let-layer')).toHaveCount(0);
  await expect(await goTo(page, 'Outcome')).toContainText('Closed by close');
});

test('it can be used with the keyboard alone: arrows between tabs, Home, End and Esc', async ({ page }) => {
  await openInspected(page, fixture);
  await inspector(page).getByRole('tab', { name: 'Outcome' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(inspector(page).getByRole('tab', { name: 'Wire' })).toBeFocused();
  await page.keyboard.press('End');
  await expect(inspector(page).getByRole('tab', { name: 'Page' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(inspector(page).getByRole('tab', { name: 'Outcome' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Tab');
  await expect(panel(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await expect(inspector(page).getByRole('tab', { name: 'Outcome' })).toBeFocused();
});

test('what is forced survives a reload, is visible, and is cleared with one click', async ({ page }) => {
  await openInspected(page, fixture);
  await goTo(page, 'Force');
  await panel(page).getByLabel('Scenario').selectOption('no-offers');
  await poll(() => outcomeNow(page)).toBe('no_offers');
  await page.reload();
  await poll(() => outcomeNow(page)).toBe('no_offers');
  await expect(inspector(page)).toContainText('scenario no-offers');
  await inspector(page).getByRole('button', { name: 'Clear all' }).first().click();
  await expect(accept(page)).toBeVisible();
  await page.reload();
  await expect(accept(page)).toBeVisible();
});

test('what the URL forces is removed from it when it is cleared', async ({ page }) => {
  await openInspected(page, fixture, { more: '&offerlet-offers=1&offerlet-colour=red' });
  await expect(inspector(page)).toContainText('offerlet-colour=red is not a known setting');
  await inspector(page).getByRole('button', { name: 'Stop forcing offers' }).click();
  await expect(page.getByRole('img', { name: 'Offer 1 of 3' })).toBeVisible();
  expect(new URL(page.url()).search).toBe('?offerlet=inspect');
  await expect(inspector(page).getByText('Forced', { exact: true })).toHaveCount(0);
});

test('Queue flushes, and purges after a confirmation', async ({ page }) => {
  await openInspected(page, fixture, { more: '&offerlet-scenario=offline' });
  const queue = await goTo(page, 'Queue');
  await expect(queue.getByText('BRAND_VIEW')).toBeVisible();
  await queue.getByRole('button', { name: 'Purge' }).click();
  await queue.getByRole('button', { name: 'Yes, delete all' }).click();
  await expect(queue).toContainText('No events are waiting');
  await expect(inspector(page).getByRole('status')).toHaveText('The queue is empty.');
  expect(fixture.events).toEqual([]);
  fixture.accept = (_, response) => void response.writeHead(401).end('{}');
  await inspector(page).getByRole('button', { name: 'Clear all' }).first().click();
  await expect(queue).toContainText('Sending is paused because the last response was 401');
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  fixture.accept = async ({ body }) => {
    await held;
    return allAccepted(body.events as unknown[]);
  };
  await queue.getByRole('button', { name: 'Flush' }).click();
  await expect(queue).toContainText(/[1-9] in flight\./);
  answer();
  await expect(queue).toContainText('No events are waiting');
});

test('Events and Wire list the newest first, and name offers as people do', async ({ page }) => {
  await openInspected(page, fixture, { attributes: { 'max-offers': '1' } });
  await poll(fixture.names).toContain('BRAND_VIEW');
  await expect(panel(page)).toContainText('Shown are 1 of 3 offers, because of maxOffers.');
  await expect(panel(page)).toContainText(/view of “.+” of .+\./);
  const events = await goTo(page, 'Events');
  await expect(events.locator('tbody tr').last()).toContainText('WIDGET_LOAD');
  await expect(events.locator('tbody tr').first()).toContainText(/(BRAND|WIDGET)_VIEW/);
  const wire = await goTo(page, 'Wire');
  await expect(wire.locator('.request').last()).toContainText('/recommendations');
  await expect(wire.getByText('not shown: maxOffers is 1')).toHaveCount(2);
});

const BLOCKING = '<meta http-equiv="content-security-policy" content="connect-src \'none\'">';
for (const [what, { attributes, head = '', code, says }] of [
  ['a missing target', { attributes: { target: '#nowhere' }, code: 'invalid_config', says: '#nowhere' }],
  ['a policy that blocks the relay', { attributes: {}, head: BLOCKING, code: 'network_error', says: 'connect-src' }],
  ['consent that is pending', { attributes: { consent: 'required' }, code: 'waiting for consent', says: 'consent' }],
] as [string, { attributes: Record<string, string>; head?: string; code: string; says: string }][]) {
  test(`${what} is named once, with what to do`, async ({ page }) => {
    await openInspected(page, fixture, { attributes: { sandbox: 'true', ...attributes }, head });
    await expect(panel(page).getByRole('heading', { level: 2 }).first()).toHaveText(code);
    const lead = await panel(page).locator('.lead').innerText();
    expect(lead).toContain(says);
    const [, ...sentences] = lead.split('\n').filter(Boolean);
    const whole = await panel(page).innerText();
    for (const sentence of sentences) expect(whole.split(sentence)).toHaveLength(2);
  });
}

test('several mounts are listed, and each has its own explanation', async ({ page }) => {
  const two = scriptTag() + `<script>(window.offerlet ||= []).push((o) => o.show(${options('PULLUP')}));</script>`;
  await page.goto(`${fixture.page('/two', shop(two))}?offerlet=inspect`);
  await expect(panel(page)).toBeVisible();
  const mounts = inspector(page).getByLabel('Mount');
  await expect(mounts.locator('option')).toHaveCount(2);
  // In the order of the responses.
  for (const mode of ['PULLUP', 'INLINE']) {
    await mounts.selectOption((await mounts.locator('option', { hasText: mode }).textContent()) ?? '');
    await expect(panel(page)).toContainText(`THANK_YOU in ${mode}`);
  }
});

test('with npm the page imports it, and forcing works there too', async ({ page }) => {
  const script = `<script type="module">import { showOffers } from '/index.js'; await import('/inspector.js'); window.offers = showOffers(${options('INLINE')});</script>`;
  await page.goto(`${fixture.page('/bundle', shop(script))}?offerlet=inspect&offerlet-offers=1`);
  await expect(panel(page)).toBeVisible();
  await expect(accept(page)).toBeVisible();
  await expect(page.locator('#offers article')).toHaveCount(1);
});

test('INLINE can be forced on a page that has no target for it', async ({ page }) => {
  await openInspected(page, fixture, {
    attributes: { 'display-mode': 'OVERLAY', target: '' },
    more: '&offerlet-mode=INLINE',
  });
  await expect(page.locator('[data-offerlet-inspector-place] [part~=accept]').first()).toBeVisible();
});

test('Page finds a policy that blocks images, a relay without /health, space that is not reserved and poor contrast', async ({
  page,
}) => {
  const head =
    '<meta http-equiv="content-security-policy" content="img-src \'none\'"><style>#offers{min-height:0!important;--offerlet-accent:#ffd84d;--offerlet-on-accent:#fff}</style>';
  const { reply } = fixture;
  fixture.reply = async (...asked) => {
    // Offers move only what was painted before them.
    await expect(page.getByText('What stands below')).toBeVisible();
    await paint(page);
    return reply(...asked);
  };
  await page.goto(`${fixture.page('/poor', shop(`${scriptTag()}<p>What stands below</p>`, head))}?offerlet=inspect`);
  await expect(panel(page)).toBeVisible();
  await expect(accept(page)).toBeVisible();
  const checks = await goTo(page, 'Page');
  await expect(checks.locator('.bad', { hasText: 'Images' })).toContainText('add https://cdn.example to img-src');
  await expect(checks.locator('.bad', { hasText: 'Relay' })).toContainText('returns 404');
  await expect(checks.locator('.bad', { hasText: 'Layout shift' })).toContainText(/moved by \d+ px/);
  await expect(checks.locator('.bad', { hasText: 'Accept button' })).toContainText('4.5 : 1 is required');
  await expect(checks.locator('.good', { hasText: 'Contrast: Heading' })).toBeVisible();
});

test('axe finds no violation in any panel, texts have 13 px, and each button paints something', async ({ page }) => {
  await openInspected(page, fixture, { more: '&offerlet-scenario=second-event-dead' });
  await poll(fixture.names).toContain('BRAND_VIEW');
  for (const tab of TABS) {
    await goTo(page, tab);
    if (tab === 'Wire') {
      await expect(panel(page).locator('.request', { hasText: 'forced' })).toContainText('207');
      const rows = panel(page).locator('summary');
      expect(await rows.evaluateAll((all) => Math.max(...all.map((row) => row.clientHeight)))).toBeLessThan(36);
      for (const row of await rows.all()) await row.click();
    }
    if (tab === 'Page') await expect(panel(page)).toContainText('Environment');
    expect(await inspector(page).locator('.shell *').evaluateAll(tooSmall), tab).toEqual([]);
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const within = 'offerlet-inspector';
      expect(await violationsOf(page, { within }), `${tab}, ${colorScheme}`).toEqual([]);
      expect(await blankButtons(page, within), `${tab}, ${colorScheme}`).toEqual([]);
    }
  }
  await page.keyboard.press('Escape');
});

/** The elements with text smaller than 13 px. */
function tooSmall(all: Element[]): string[] {
  return all
    .filter(({ childNodes }) => [...childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()))
    .filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < 13)
    .map(({ outerHTML }) => outerHTML);
}
