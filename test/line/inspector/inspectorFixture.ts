import { fileURLToPath } from 'node:url';
import { expect, type Locator, type Page } from '@playwright/test';
import { bundle } from '../drivers/bundle.ts';
import { offersOf, startFixture, useFixture, type Fixture } from '../page/pageFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';

/** The site of each test, with the inspector. */
export const useInspected = (): Fixture => useFixture(startInspected);

/** Starts a merchant's site whose relay is a sandbox with three offers, with the inspector beside the script. */
async function startInspected(started = {} as Fixture): Promise<Fixture> {
  const source = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));
  const [fixture, inspector, imported] = await Promise.all([
    startFixture(started),
    bundle(source('inspector/openInspector.tsx'), 'es'),
    bundle(source('inspector.ts'), 'es'),
  ]);
  const js = { 'content-type': 'text/javascript' };
  fixture.page('/offerlet-inspector.js', inspector, js);
  fixture.page('/inspector.js', imported, js);
  fixture.reply = () => offersOf(3, { sandbox: true });
  return fixture;
}

/** Opens a page with the script tag and the inspector; `more` is appended to the URL. */
export async function openInspected(
  page: Page,
  fixture: Fixture,
  { attributes = {}, more = '', head = '' }: { attributes?: Record<string, string>; more?: string; head?: string } = {},
): Promise<void> {
  await page.goto(`${fixture.page('/inspected', shop(scriptTag(attributes), head))}?offerlet=inspect${more}`);
  await expect(panel(page)).toBeVisible();
}

/** The names of the panels, in order. */
export const TABS = ['Outcome', 'Wire', 'Seen', 'Events', 'Queue', 'Force', 'Page'];

/** The inspector's open panel. */
export function panel(page: Page): Locator {
  return page.locator('offerlet-inspector').getByRole('tabpanel');
}

/** Opens a panel. */
export async function goTo(page: Page, name: string): Promise<Locator> {
  await page.locator('offerlet-inspector').getByRole('tab', { name }).click();
  return panel(page);
}

/** The outcome of the page's only mount. */
export function outcomeNow(page: Page): Promise<string | undefined> {
  return page.evaluate(
    () =>
      (window as unknown as { offerlet: { explain(): { outcome?: { code: string } }[] } }).offerlet.explain()[0]
        ?.outcome?.code,
  );
}
