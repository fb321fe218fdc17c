import { expect, test, type Page } from '@playwright/test';
import { goTo, openInspected, panel, useInspected } from './inspectorFixture.ts';
import { scriptTag, shop } from '../page/pageShop.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useInspected();

const inspector = (page: Page) => page.locator('offerlet-inspector');
const accept = (page: Page) => page.locator('[part~=accept]:visible').first();

test('in a window as narrow as a phone it is below the page, wherever it is docked', async ({ page }) => {
  await openInspected(page, fixture);
  await page.setViewportSize({ width: 390, height: 844 });
  const shell = inspector(page).locator('.shell');
  await poll(async () => (await shell.boundingBox())?.y).toBeGreaterThan(844 / 3);
  await expect(accept(page)).toBeVisible();
});

test('it stays docked where it was put, even after a reload', async ({ page }) => {
  await openInspected(page, fixture);
  const width = async (): Promise<number> => (await panel(page).boundingBox())?.width ?? Number.NaN;
  expect(await width()).toBeLessThan(400);
  await inspector(page).getByRole('button', { name: 'Dock bottom' }).click();
  await poll(width).toBeGreaterThan(1_200);
  await page.reload();
  await expect(panel(page)).toBeVisible();
  await poll(width).toBeGreaterThan(1_200);
});

for (const dock of ['right', 'bottom'] as const) {
  test(`docked ${dock} it covers neither the page nor a layer’s close button`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const head = '<style>nav{display:flex;justify-content:space-between}</style>';
    const nav = '<nav><a href="#">Home</a><a href="#">Cart</a></nav>';
    await page.goto(`${fixture.page('/docked', shop(nav + scriptTag(), head))}?offerlet=inspect`);
    await expect(accept(page)).toBeVisible();
    if (dock === 'bottom') await inspector(page).getByRole('button', { name: 'Dock bottom' }).click();
    const covers = async (selector: string): Promise<boolean> => {
      const shell = await inspector(page).locator('.shell').boundingBox();
      const box = await page.locator(selector).first().boundingBox();
      if (!shell || !box) throw new Error(`${selector} is not on the page.`);
      const isBeside = box.x + box.width <= shell.x || box.x >= shell.x + shell.width;
      return !isBeside && box.y + box.height > shell.y && box.y < shell.y + shell.height;
    };
    for (const link of ['nav a:first-child', 'nav a:last-child']) await poll(() => covers(link)).toBe(false);
    await goTo(page, 'Force');
    for (const mode of ['PULLUP', 'OVERLAY', 'FULLSCREEN']) {
      await panel(page).getByLabel('Mode').selectOption(mode);
      await expect(page.locator(`offer-let-layer .${mode.toLowerCase()}`)).toBeVisible();
      for (const part of ['close', 'accept', ...(mode === 'PULLUP' ? [] : ['decline'])])
        await poll(() => covers(`offer-let-layer [part=${part}]`)).toBe(false);
    }
  });
}
