import { expect, test, type Page } from '@playwright/test';
import { goTo, panel } from '../inspector/inspectorFixture.ts';
import { startSandbox } from '../drivers/sandbox.ts';
import { poll } from '../drivers/poll.ts';

// The built command, its demo shop and its network: what a merchant's own tests would start.

test.setTimeout(180_000);

interface Told {
  type: string;
  event?: { event_name: string };
}

/** What the page's only mount has reported so far. */
function told(page: Page): Promise<{ code: string | undefined; session: string | undefined; events: Told[] }> {
  return page.evaluate(() => {
    const api = (window as unknown as { offerlet?: { explain(): Record<string, never>[] } }).offerlet;
    const story = api?.explain()[0] as
      | { outcome?: { code: string }; response?: { session_id: string }; events: Told[] }
      | undefined;
    return { code: story?.outcome?.code, session: story?.response?.session_id, events: story?.events ?? [] };
  });
}

test('offerlet sandbox --scenario second-event-fails: one event is retried alone, and the network stores each once', async ({
  page,
}) => {
  const sandbox = await startSandbox(['--scenario', 'second-event-fails']);
  try {
    await page.goto(sandbox.shop);
    await expect(page.locator('[part~=accept]:visible').first()).toBeVisible();
    // Some offers are higher than what the window shows of them: half of each must be seen.
    await page.locator('[part~=card]:visible').first().scrollIntoViewIfNeeded();
    await poll(async () => (await told(page)).events.filter(({ type }) => type === 'retried').length).toBe(1);
    const { session } = await told(page);
    const tracked = async (): Promise<string[]> =>
      (await told(page)).events.flatMap(({ type, event }) => (type === 'tracked' && event ? [event.event_name] : []));
    const arrived = async (): Promise<string[]> => {
      const response = await fetch(`${sandbox.network}/sandbox/events?session_id=${session}`);
      const body = (await response.json()) as { events: { event: { event_name: string }; status: string }[] };
      return body.events.filter(({ status }) => status === 'stored').map(({ event }) => event.event_name);
    };
    // An offer that is looked at goes on telling. One with a large picture reaches out of the window.
    await page
      .locator('[part~=card]:visible')
      .first()
      .evaluate((card) => card.scrollIntoView({ block: 'center' }));
    await expect(async () => {
      const names = await tracked();
      expect(names).toContain('BRAND_VIEW');
      expect((await arrived()).sort()).toEqual(names.sort());
    }).toPass({ timeout: 30_000 });
  } finally {
    await sandbox.stop();
  }
});

test('offerlet sandbox --scenario no-offers shows nothing, and the inspector says why', async ({ page }) => {
  const sandbox = await startSandbox(['--scenario', 'no-offers']);
  try {
    await page.goto(`${sandbox.shop}/?offerlet=inspect`);
    await poll(async () => (await told(page)).code).toBe('no_offers');
    await expect(panel(page)).toContainText('The network had no offers that can be shown');
    await expect(page.locator('[part~=accept]')).toHaveCount(0);
    await goTo(page, 'Page');
    await expect(panel(page).locator('.good', { hasText: 'Relay' })).toContainText('returns 200');
  } finally {
    await sandbox.stop();
  }
});
