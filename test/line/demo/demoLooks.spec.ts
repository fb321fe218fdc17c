import { expect, test } from '@playwright/test';
import { startSandbox, type Sandbox } from '../drivers/sandbox.ts';

let sandbox: Sandbox;
test.describe.configure({ mode: 'serial', timeout: 60_000 }); // one sandbox serves them all
test.beforeAll(async () => {
  test.setTimeout(120_000);
  sandbox = await startSandbox();
});
test.afterAll(() => sandbox?.stop());

test('offers are in the language of the page where the catalogue has them', async ({ page }) => {
  await page.goto(`${sandbox.shop}/?locale=ar`);
  await expect(page.locator('[part~=heading]').first()).toHaveText(/^\p{Script=Arabic}/u, { timeout: 15_000 });
  await page.goto(sandbox.shop);
  const responses = await page.evaluate(() => {
    const body = JSON.stringify({
      user_details: { external_guid: 'somebody' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    });
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const read = async (relay: string) => (await fetch(`${relay}/recommendations`, request)).text();
    return Promise.all(['/offers', '/offers', '/counted/offers', '/counted/offers'].map(read));
  });
  for (const response of responses) {
    expect(response).toContain('"heading":"Thank you for your order"');
    expect(response).not.toMatch(/"heading":"[\p{Script=Arabic}\p{Script=Hebrew}]/u);
  }
});

test('what More hides opens at its button, above the report, and no label is cut while there is room', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${sandbox.shop}/?locale=ar`);
  const more = page.getByRole('button', { name: /^More/ });
  await more.click();
  const [button, sheet] = await Promise.all([more.boundingBox(), page.locator('.sheet').boundingBox()]);
  expect((sheet?.x ?? 0) + (sheet?.width ?? 0)).toBeCloseTo((button?.x ?? 0) + (button?.width ?? 0), 0);
  await page.locator('select[name=frame]').click({ trial: true, position: { x: 250, y: 10 } });
  const cut = await page.locator('demo-desk .first select').evaluateAll((selects) =>
    (selects as HTMLSelectElement[])
      .filter((select) => {
        const natural = select.cloneNode(true) as HTMLSelectElement;
        natural.style.cssText = 'position: absolute; inline-size: max-content';
        select.after(natural);
        const needed = natural.offsetWidth;
        natural.remove();
        return select.offsetWidth < needed;
      })
      .map(({ name }) => name),
  );
  expect(cut).toEqual([]);
});

test('the report’s page has totals, and its table fits a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${sandbox.shop}/report`);
  await expect(page.locator('#days .total')).toContainText(/Total€[\d,]+\.\d\d/);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
