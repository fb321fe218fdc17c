// The decision for the page as a whole: it applies whatever mounts there are.
import { expect, test, type Page } from '@playwright/test';
import { useFixture } from './pageFixture.ts';
import { everythingStored, options, scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';
import { useClock } from '../drivers/letPass.ts';

const fixture = useFixture();
useClock();

const STORED = /BRAND|WIDGET|session_id|seen|offerlet:/;

/** Opens a page whose script calls the API before it has loaded. */
async function openPushed(page: Page, code: string, more = ''): Promise<void> {
  const early = `<script>window.offerlet = [(o) => { window.o = o; ${code} }]</script>`;
  await page.goto(fixture.page('/pushed', shop(`${early}<script async src="/offerlet.js"></script>${more}`)), {
    waitUntil: 'commit',
  });
  await page.waitForFunction('window.o');
}

for (const [what, code] of [
  ['without a mount', ''],
  ['whose mount has its own no', `o.consent(true); o.show(${options('INLINE', 'consent: false')})`],
] as const) {
  test(`a denial on a page ${what} clears what is stored and ends other tabs`, async ({ page, context }) => {
    fixture.accept = (_, response) => void response.writeHead(503).end();
    const other = await context.newPage();
    await other.goto(fixture.page('/other', shop(scriptTag())));
    await expect(other.locator('[part~=accept]')).toBeVisible();
    await poll(() => everythingStored(other)).toMatch(/BRAND_DISPLAY/);
    await openPushed(page, code);
    await page.evaluate('o.consent(false)');
    await expect(other.locator('#offers')).toBeEmpty();
    await poll(() => everythingStored(page)).not.toMatch(STORED);
  });
}

test('a denial in another tab revokes consent that no mount has used', async ({ page, context }) => {
  const other = await context.newPage();
  await openPushed(other, '');
  // Channels are called in the order in which they were opened: this one is the last of the page.
  await openPushed(page, "o.consent(true); new BroadcastChannel('offerlet').onmessage = () => (window.isTold = true)");
  await other.evaluate('o.consent(false)');
  await page.waitForFunction('window.isTold');
  await page.evaluate(`window.mount = o.show(${options('INLINE')})`);
  expect(await page.evaluate('mount.outcome')).toMatchObject({ code: 'consent_denied' });
  expect(fixture.asked).toEqual([]);
  await page.evaluate('o.consent(true)');
  await expect(page.locator('[part~=accept]')).toBeVisible();
});

for (const order of ['a.consent(true); b.consent(false)', 'b.consent(false); a.consent(true)'])
  test(`mounts that decide in one task keep what each has decided, though it clears late: ${order}`, async ({
    page,
  }) => {
    // The databases are listed when the offers have long been there.
    await page.addInitScript(() => {
      const { databases } = IDBFactory.prototype;
      IDBFactory.prototype.databases = async function () {
        await new Promise((resolve) => Object.assign(window, { clear: resolve }));
        const listed = await databases.call(this);
        setTimeout(() => Object.assign(window, { hasCleared: true }), 100);
        return listed;
      };
    });
    const [a, b] = ['INLINE', 'OVERLAY'].map((mode) => options(mode, "consent: 'required'"));
    await openPushed(page, `window.a = o.show(${a}); window.b = o.show(${b})`);
    await page.evaluate(order);
    await expect(page.locator('[part~=accept]')).toBeVisible();
    await poll(() => fixture.names().includes('BRAND_DISPLAY')).toBe(true);
    await page.evaluate('clear()');
    await page.waitForFunction('window.hasCleared');
    await page.evaluate('a.flush()');
    await expect(page.locator('[part~=accept]')).toBeVisible();
    expect(await page.evaluate('[a, b].map((mount) => mount.explain().outcome.code)')).toEqual([
      'rendered',
      'consent_denied',
    ]);
  });

test('Global Privacy Control on one mount takes nothing from another with its own yes, here or in another tab', async ({
  page,
  context,
}) => {
  await context.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true }),
  );
  fixture.accept = (_, response) => void response.writeHead(503).end();
  const other = await context.newPage();
  await other.goto(fixture.page('/other', shop(scriptTag({ consent: 'granted' }))));
  await expect(other.locator('[part~=accept]')).toBeVisible();
  await openPushed(page, `o.show(${options('INLINE', 'consent: true')}); window.mount = o.show(${options('OVERLAY')})`);
  expect(await page.evaluate('mount.outcome')).toMatchObject({ code: 'consent_denied' });
  await poll(() => everythingStored(page)).toMatch(/BRAND_DISPLAY/);
  for (const tab of [page, other]) await expect(tab.locator('[part~=accept]')).toBeVisible();
});
