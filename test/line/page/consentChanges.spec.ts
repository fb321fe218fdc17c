// Consent that changes under a mount: by attributes and properties, by a sibling, and while storage or headers are slow.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { everythingStored, openWith, options, shop } from './pageShop.ts';
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

for (const change of ["setAttribute('consent', 'denied')", 'consent = false']) {
  test(`<offer-let>: ${change} withdraws consent, and a new view shows nothing`, async ({ page }) => {
    await openElement(page, 'consent="granted"');
    await expect(accept(page)).toBeVisible();
    await onElement(page, change);
    await expect(accept(page)).toHaveCount(0);
    await poll(() => everythingStored(page)).not.toMatch(STORED);
    const before = requests();
    await onElement(page, "setAttribute('view', 'ORDER_STATUS')");
    await pause(page);
    expect(requests()).toBe(before);
    await onElement(page, "setAttribute('consent', 'granted')");
    await expect(accept(page)).toBeVisible();
  });
}

test('what was denied holds when <offer-let> returns, until its attribute says something new', async ({ page }) => {
  await openElement(page, 'consent="granted"');
  await expect(accept(page)).toBeVisible();
  const denied = (then: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const element = document.querySelector('offer-let');
      element.offers.consent(false);
      ${then}
      return (await element.offers.outcome).code;
    })()`);
  const away = (next = ''): string => `element.remove(); await element.offers; ${next} document.body.append(element);`;
  expect(await denied(away())).toBe('consent_denied');
  expect(requests()).toBe(1);
  expect(await denied(away('element.consent = false; element.consent = true;'))).toBe('rendered');
  const invalid = "element.view = '?'; await element.offers.outcome; element.consent = 'required';";
  const valid = "await element.offers.outcome; element.consent = true; element.view = 'CHECKOUT';";
  expect(await denied(invalid + valid)).toBe('rendered');
});

for (const change of ["removeAttribute('consent')", 'consent = undefined']) {
  test(`<offer-let>: ${change} does not give consent, before and after offers are shown`, async ({ page }) => {
    await openElement(page, 'consent="granted"');
    await expect(accept(page)).toBeVisible();
    await onElement(page, change);
    await expect(accept(page)).toHaveCount(0);
    for (const first of ['required', 'denied']) {
      await openElement(page, `consent="${first}"`);
      const before = requests();
      await onElement(page, change);
      await onElement(page, "setAttribute('view', 'ORDER_STATUS')");
      await pause(page);
      expect(requests()).toBe(before);
    }
  });
}

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

test('a mount that waits for its page is notified when another mount loses its consent', async ({ page }) => {
  await openWith(page, fixture, `window.first = showOffers(${options('INLINE')});`);
  await expect(accept(page)).toBeVisible();
  await page.evaluate(`(() => {
    window.requestIdleCallback = (callBack) => setTimeout(callBack, 600);
    window.second = showOffers(${options('INLINE')});
    setTimeout(() => first.consent(false), 100);
  })()`);
  expect(await page.evaluate('second.outcome')).toMatchObject({ code: 'consent_denied' });
  await pause(page, 800);
  expect(requests()).toBe(2);
});

for (const [what, end] of [
  ['was destroyed', 'offers.destroy()'],
  ['is undecided again', "offers.consent('required')"],
] as const) {
  test(`a mount that ${what} writes and sends nothing after a withdrawal, however slow storage and headers are`, async ({
    page,
  }) => {
    await page.addInitScript(() => {
      const { open } = IDBFactory.prototype;
      let isFirst = true;
      IDBFactory.prototype.open = function (...args) {
        if (!isFirst) return open.apply(this, args);
        isFirst = false;
        // Only the first connection is slow.
        const late: Record<string, unknown> = {};
        setTimeout(() => {
          const real = open.apply(this, args);
          real.addEventListener('upgradeneeded', (event) =>
            (late['onupgradeneeded'] as (event: unknown) => void)(event),
          );
          real.addEventListener('success', (event) => (late['onsuccess'] as (event: unknown) => void)(event));
          Object.defineProperty(late, 'result', { get: () => real.result });
        }, 800);
        return late as unknown as IDBOpenDBRequest;
      };
    });
    await openWith(
      page,
      fixture,
      `const slow = new Promise((resolve) => (window.release = resolve));
      let isAsking = true;
      window.offers = showOffers({ ...${options('INLINE')}, async headers() {
        if (!isAsking) await slow;
        isAsking = false;
        return {};
      } });`,
    );
    await expect(accept(page)).toBeVisible();
    await accept(page).click({ modifiers: ['Control'] });
    fixture.forget();
    await page.evaluate(`${end}; showOffers({ ...${options('INLINE')}, consent: false }); setTimeout(release, 500)`);
    await pause(page, 2_000);
    expect(fixture.events).toEqual([]);
    expect(await everythingStored(page)).not.toMatch(STORED);
  });
}
