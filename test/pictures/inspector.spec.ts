import { expect, test, type Page } from '@playwright/test';
import { goTo, openInspected, useInspected } from '../line/inspector/inspectorFixture.ts';
import { offersOf } from '../line/page/pageFixture.ts';
import { onlyWithSameEyes } from './sameEyes.ts';

const LOOKS = `<style>body{margin:0;padding:32px 40px;max-width:640px;font:16px/1.6 Georgia,serif;background:#f7f5f0;color:#1f2937}h1{font-weight:500}</style>`;
const COPY = [
  ['Larkspur Coffee', 'Your first bag of single-origin coffee is on us', 'Roasted to order, sent in three days.'],
  ['Fernhill Letterpress', 'A year of birthday cards, printed by hand', 'Twelve cards, one parcel, no plastic.'],
  ['Northway Bikes', 'Your first service at half the price', 'Collected and brought back within a day.'],
];

/** Lines of a trace may be in another order, as the events are: their places may differ, the panel may not. */
const SAME = { maxDiffPixelRatio: 0.03 };

const fixture = useInspected();
onlyWithSameEyes();

/** Offers that read like offers, under a session that is the same in every picture. */
function sandboxAnswer(): Record<string, unknown> {
  const answer = offersOf(3, { sandbox: true, session_id: '6f9e0d52-93a1-4c0e-8d4e-2b7c5a1f0e11' });
  Object.assign(answer, { footer: { attribution_details: { copy: 'Offers by Adnet' } } });
  const entries = Object.values(answer.recommendations as Record<string, { advertiser: object; offer: object }>);
  for (const [index, entry] of entries.entries()) {
    const [name, heading, subheading] = COPY[index] ?? [];
    entry.advertiser = { id: `adv-${index + 1}`, name };
    Object.assign(entry.offer, { heading, subheading });
  }
  return answer;
}

async function open(page: Page, more = '', scheme: 'light' | 'dark' = 'light'): Promise<void> {
  fixture.reply = sandboxAnswer;
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: scheme });
  await page.clock.setFixedTime('2026-11-21T09:00:00.000Z');
  await openInspected(page, fixture, { head: LOOKS, more });
}

test('the explanation of a page', async ({ page }) => {
  await open(page);
  await expect.poll(fixture.names).toContain('BRAND_VIEW');
  await expect(await goTo(page, 'Outcome')).toContainText('2 delivered');
  await expect(page).toHaveScreenshot('inspector-outcome.png', SAME);
});

test('an offer that is seen', async ({ page }) => {
  await open(page);
  await goTo(page, 'Seen');
  await expect(page.locator('offerlet-inspector .frame.viewed')).toBeVisible();
  await expect(page).toHaveScreenshot('inspector-seen.png', SAME);
});

test('an event that is refused and sent again', async ({ page }) => {
  await open(page, '&offerlet-scenario=second-event-fails', 'dark');
  const events = await goTo(page, 'Events');
  await expect(events.getByText('refused for now')).toBeVisible();
  await page.clock.setFixedTime('2026-11-21T09:00:03.000Z');
  await expect(events.getByRole('cell', { name: 'delivered', exact: true })).toHaveCount(5);
  await expect(page).toHaveScreenshot('inspector-events.png', SAME);
});

test('everything that can be forced', async ({ page }) => {
  await open(page, '&offerlet-mode=OVERLAY&offerlet-promo=code');
  await goTo(page, 'Force');
  await page.mouse.move(0, 0);
  await expect(page).toHaveScreenshot('inspector-force.png', SAME);
});
