import { expect, test, type Frame, type Locator, type Page } from '@playwright/test';
import { useShop } from '../drivers/sandbox.ts';
import { poll } from '../drivers/poll.ts';
import { letPass, useClock } from '../drivers/letPass.ts';

useClock(); // first: what waits for the relay waits by this clock
const sandbox = useShop();
test.describe.configure({ mode: 'default' }); // one sandbox serves them all, and its clicks are counted
test.use({ viewport: { width: 1440, height: 900 } });

const acceptOf = (place: Page | Frame): Locator => place.locator('[part~=accept]').first();

/** Opens the shop and collects what its page complains about: console, errors, policy. */
async function open(page: Page, query: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'debug') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${sandbox.shop}/${query}`);
  return complaints;
}

/** The paths of the relay that were requested so far. */
function asked(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\/offers\//.test(pathname)) paths.push(pathname);
  });
  return paths;
}

/** Accepts the first offer and closes the advertiser's page. */
async function accept(page: Page): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await acceptOf(page).click();
  await (await opened).close();
}

/** A number of the console in the panel beside the shop. */
const tile = (page: Page, name: string): Locator =>
  page.frameLocator('demo-desk iframe').getByRole('button', { name }).locator('.number');
const numberIn = async (place: Locator): Promise<number> => Number((await place.innerText()).replaceAll(',', ''));

/** Opens the advertiser's shop where the last click landed, and buys. */
async function sell(page: Page): Promise<void> {
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Report a sale' }).click();
  const advertiser = await opened;
  await advertiser.getByRole('button', { name: 'Buy' }).click();
  await expect(advertiser.getByRole('heading', { name: 'Thank you for your order' })).toBeVisible();
  await advertiser.close();
}

test('an accepted offer counts once in the console beside the shop, and its sale pays if the order counts', async ({
  page,
}) => {
  await open(page, '?orders=counted');
  const clicks = tile(page, 'Clicks');
  const conversions = tile(page, 'Conversions');
  const payout = tile(page, 'Payout');
  await expect(acceptOf(page)).toBeVisible();
  await expect(payout).toHaveText(/\d/);
  const before = { clicks: await numberIn(clicks), sales: await numberIn(conversions), paid: await numberIn(payout) };
  await accept(page);
  await poll(() => numberIn(clicks)).toBe(before.clicks + 1);
  await sell(page);
  await poll(() => numberIn(conversions)).toBe(before.sales + 1);
  expect(await numberIn(payout)).toBeGreaterThan(before.paid);

  await open(page, '');
  await expect(page.getByText('Sandbox', { exact: true }).first()).toBeVisible();
  await accept(page);
  await poll(() => numberIn(clicks)).toBe(before.clicks + 2);
  await sell(page);
  expect(await numberIn(conversions)).toBe(before.sales + 1);
});

// Each way of adding under two policies, and each mode.
const WAYS = [
  'mode=INLINE&via=script&csp=strict&theme=dark',
  'mode=INLINE&via=element&csp=nonce&css=hostile',
  'mode=INLINE&via=npm&csp=none&locale=ar',
  'mode=OVERLAY&via=npm&csp=strict&css=hostile',
  'mode=FULLSCREEN&via=element&csp=strict&locale=ar',
  'mode=PULLUP&via=script&csp=nonce&theme=dark',
];
for (const way of WAYS) {
  test(`the offers are on the page, without complaints in the console: ${way}`, async ({ page }) => {
    // The three INLINE ones have a policy each: the console works beside it.
    const hasConsole = way.startsWith('mode=INLINE');
    const complaints = await open(page, hasConsole ? `?${way}` : `?${way}&desk=none`);
    await expect(acceptOf(page)).toBeVisible();
    await acceptOf(page).click({ trial: true }); // nothing lies over it
    if (hasConsole) await expect(tile(page, 'Loads')).toHaveText(/\d/);
    expect(complaints).toEqual([]);
  });
}

test('a choice opens a new order at a URL that can be shared', async ({ page }) => {
  await open(page, '?offerlet=none&theme=dark');
  await page.getByLabel('Added by').selectOption('element');
  await expect(page).toHaveURL(/\/orders\/\d+\?offerlet=none&via=element&theme=dark$/);
  await expect(page.locator('offer-let')).toHaveCount(1);
  await page.getByRole('button', { name: /^More/ }).click();
  await page.getByLabel('Orders').selectOption('counted');
  await expect(page).toHaveURL(/\?offerlet=none&via=element&theme=dark&orders=counted$/);
});

test('a choice made before the bar’s script has loaded is used, and after the back button the choices match the page', async ({
  page,
}) => {
  let come = (): void => undefined;
  const coming = new Promise<void>((resolve) => (come = resolve));
  await page.route('**/desk.js', async (route) => {
    await coming;
    await route.continue();
  });
  await page.goto(`${sandbox.shop}/?offerlet=none`, { waitUntil: 'commit' });
  const by = page.getByLabel('Added by');
  await by.selectOption('element');
  await expect(page.getByRole('button', { name: /^More/ })).toBeDisabled();
  come();
  await expect(page).toHaveURL(/via=element/);
  await by.selectOption('npm');
  await expect(page).toHaveURL(/via=npm/);
  await page.goBack();
  await expect(page).toHaveURL(/via=element/);
  await expect(by).toHaveValue('element');
});

for (const via of ['script', 'element', 'npm']) {
  test(`with a cookie banner nothing is requested or stored before consent, and withdrawing it deletes everything: ${via}`, async ({
    page,
  }) => {
    const paths = asked(page);
    await open(page, `?consent=banner&via=${via}`);
    await expect(page.getByRole('button', { name: 'Yes, show offers' })).toBeVisible();
    await expect(tile(page, 'Loads')).toHaveText(/\d/);
    await letPass(page, 500);
    expect(paths).toEqual([]);
    const kept = () => page.evaluate(async () => [localStorage.length, (await indexedDB.databases()).length]);
    expect(await kept()).toEqual([0, 0]);

    await page.getByRole('button', { name: 'No, thank you' }).click();
    await letPass(page, 500);
    expect(paths).toEqual([]);
    await page.getByRole('button', { name: 'Privacy choices' }).click();
    await page.getByRole('button', { name: 'Yes, show offers' }).click();
    await expect(acceptOf(page)).toBeVisible();

    await page.getByRole('button', { name: 'Privacy choices' }).click();
    await page.getByRole('button', { name: 'No, thank you' }).click();
    await expect(acceptOf(page)).toHaveCount(0);
    await poll(async () => (await kept())[0]).toBe(0);
  });

  test(`in a single-page app the offers are removed and shown again, and loaded once: ${via}`, async ({ page }) => {
    const paths = asked(page);
    const complaints = await open(page, `?navigation=spa&via=${via}`);
    await expect(acceptOf(page)).toBeVisible();
    // Offers are painted before they are stored.
    const stored = "Object.keys(localStorage).some((key) => key.startsWith('offerlet:') && !key.endsWith('device'))";
    await poll(() => page.evaluate(stored)).toBe(true);
    for (const round of [1, 2]) {
      await page.getByRole('link', { name: 'Receipt' }).click();
      await expect(page.getByRole('heading', { name: 'Receipt' })).toBeVisible();
      await expect(page).toHaveURL(/\/receipt\?/);
      await expect(acceptOf(page)).toHaveCount(0);
      if (round === 1) await page.goBack();
      else await page.getByRole('link', { name: 'Order', exact: true }).click();
      await expect(acceptOf(page)).toBeVisible();
    }
    expect(paths.filter((path) => path.endsWith('/recommendations'))).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.reload();
    await expect(acceptOf(page)).toBeVisible();
    expect(paths.filter((path) => path.endsWith('/recommendations'))).toHaveLength(1);
  });
}

for (const frame of ['phone', 'foreign']) {
  test(`offers show in a frame: ${frame}`, async ({ page }) => {
    await open(page, `?frame=${frame}&mode=OVERLAY`);
    const shop = page.frameLocator('main iframe');
    await expect(shop.locator('[part~=accept]').first()).toBeVisible();
    // The bar stays reachable outside the frame.
    await page.getByRole('button', { name: 'Console', exact: true }).click();
    await expect(page.locator('demo-desk aside')).toBeHidden();
  });
}
