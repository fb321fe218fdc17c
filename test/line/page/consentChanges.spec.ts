// Consent that changes under a mount: by attributes and properties, by a sibling, and while storage or headers are slow.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { everythingStored, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const STORED = /BRAND|WIDGET|session_id|seen|offerlet:/;
const accept = (page: Page) => page.locator('[part~=accept]');
const requests = (): number => fixture.asked.filter(({ path }) => path.endsWith('/recommendations')).length;
const pause = (page: Page, ms = 500): Promise<void> => letPass(page, ms);

/** Opens a page with `<offer-let>`. */
async function openElement(page: Page, attributes = ''): Promise<void> {
  const element = `<offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="4" order-id="1" ${attributes}></offer-let>`;
  await page.goto(fixture.page('/element', shop(`<script type="module" src="/element.js"></script>${element}`)));
  await page.waitForFunction("customElements.get('offer-let')");
}
const onElement = (page: Page, code: string) => page.evaluate(`document.querySelector('offer-let').${code}`);

test('<offer-let>: its property withdraws consent, and a new view shows nothing', async ({ page }) => {
  await openElement(page, 'consent="granted"');
  await expect(accept(page)).toBeVisible();
  await onElement(page, 'consent = false');
  await expect(accept(page)).toHaveCount(0);
  await poll(() => everythingStored(page)).not.toMatch(STORED);
  const before = requests();
  await onElement(page, "setAttribute('view', 'ORDER_STATUS')");
  await pause(page);
  expect(requests()).toBe(before);
  await onElement(page, "setAttribute('consent', 'granted')");
  await expect(accept(page)).toBeVisible();
});

test('what was denied holds when <offer-let> returns, until its attribute says something new', async ({ page }) => {
  await openElement(page, 'consent="granted"');
  await expect(accept(page)).toBeVisible();
  const denied = (then: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const element = document.querySelector('offer-let');
      element.mount.consent(false);
      ${then}
      return (await element.mount.outcome).code;
    })()`);
  const away = (next = ''): string => `element.remove(); await element.mount; ${next} document.body.append(element);`;
  expect(await denied(away())).toBe('consent_denied');
  expect(requests()).toBe(1);
  expect(await denied(away('element.consent = false; element.consent = true;'))).toBe('rendered');
  const invalid = "element.view = '?'; await element.mount.outcome; element.consent = 'required';";
  const valid = "await element.mount.outcome; element.consent = true; element.view = 'CHECKOUT';";
  expect(await denied(invalid + valid)).toBe('rendered');
});

test('<offer-let>: no attribute any more does not give consent, before and after offers are shown', async ({
  page,
}) => {
  await openElement(page, 'consent="granted"');
  await expect(accept(page)).toBeVisible();
  await onElement(page, "removeAttribute('consent')");
  await expect(accept(page)).toHaveCount(0);
  for (const first of ['required', 'denied']) {
    await openElement(page, `consent="${first}"`);
    const before = requests();
    await onElement(page, "removeAttribute('consent')");
    await onElement(page, "setAttribute('view', 'ORDER_STATUS')");
    await pause(page);
    expect(requests()).toBe(before);
  }
});

test('an element that a framework creates with the property consent = false requests nothing', async ({ page }) => {
  await openElement(page, 'consent="denied"');
  await page.evaluate(`(() => {
    const element = document.querySelector('offer-let').cloneNode();
    element.removeAttribute('consent');
    element.consent = false;
    document.body.append(element);
  })()`);
  await pause(page);
  expect(requests()).toBe(0);
});
