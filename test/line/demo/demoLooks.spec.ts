import { expect, test, type Page } from '@playwright/test';
import { sharedSandbox, type Sandbox } from '../drivers/sandbox.ts';
import { violationsOf } from '../drivers/violationsOf.ts';
import { waitForRelay } from '../drivers/patience.ts';
import { poll } from '../drivers/poll.ts';

let sandbox: Sandbox;
test.describe.configure({ mode: 'default' });
test.beforeAll(async () => {
  sandbox = await sharedSandbox();
});
test.beforeEach(({ context }) => waitForRelay(context));

/** Opens the shop and waits until offers, console and pictures are there, and nothing moves any more. */
async function open(page: Page, query: string): Promise<void> {
  await page.goto(`${sandbox.shop}/${query}`);
  const isWide = (page.viewportSize()?.width ?? 0) >= 1200;
  const loads = page.frameLocator('demo-desk iframe').locator('.tiles button', { hasText: 'Loads' });
  if (isWide) await expect(loads).toHaveText(/\d/);
  if (query.includes('consent')) await expect(page.getByRole('button', { name: 'Yes, show offers' })).toBeVisible();
  else await expect(page.locator('[part~=accept]').first()).toBeVisible();
  const missing = () => [...document.images].filter(({ complete }) => !complete).length;
  await poll(() => page.evaluate(missing)).toBe(0);
  await still(page);
}

/** Waits until every animation that ends has ended, and what it led to is painted. */
async function still(page: Page): Promise<void> {
  const moving = (): number =>
    document
      .getAnimations()
      .filter(({ playState, timeline }) => playState === 'running' && timeline === document.timeline)
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime)).length;
  await poll(() => page.evaluate(moving)).toBe(0);
  await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted))));
}

test('what More hides opens at its button, above the panel, and no label is cut while there is room', async ({
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

test('on a phone the console opens over the shop, and fits', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(sandbox.shop);
  await page.getByRole('button', { name: 'Console', exact: true }).click();
  const console = page.frameLocator('demo-desk iframe');
  await expect(console.locator('.tiles button', { hasText: 'Loads' })).toHaveText(/\d/);
  const tooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
  expect(await page.evaluate(tooWide)).toBe(false);
  expect(await console.locator('html').evaluate(tooWide)).toBe(false);
  await page.getByRole('button', { name: 'Console', exact: true }).click();
  await expect(page.locator('demo-desk aside')).toBeHidden();
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  test(`nothing in the shop shifts at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      type Shift = PerformanceEntry & { value: number; sources: { node: Node | null; previousRect: DOMRect }[] };
      let total = 0;
      const moved: string[] = [];
      const add = (entries: PerformanceEntryList): void => {
        for (const { sources, value } of entries as Shift[]) {
          // Shifts without a node are in the widget's shadow root, which its own specs check.
          if (!sources.some(({ node }) => node)) continue;
          total += value;
          for (const {
            node,
            previousRect: { x, y },
          } of sources)
            moved.push(`${(node as Element | null)?.className ?? node?.nodeName}, which was at ${x}, ${y}`);
        }
      };
      const observer = new PerformanceObserver((list) => add(list.getEntries()));
      observer.observe({ type: 'layout-shift', buffered: true });
      Object.assign(window, { shifted: () => (add(observer.takeRecords()), { total, moved }) });
    });
    for (const query of ['', '?via=element&locale=de', '?mode=PULLUP', '?consent=banner']) {
      await open(page, query);
      type Shifted = { shifted(): { total: number; moved: string[] } };
      const { total, moved } = await page.evaluate(() => (window as unknown as Shifted).shifted());
      expect(total, `${query} ${moved.join('; ')}`).toBeLessThanOrEqual(0.001);
    }
  });

  test(`axe finds no violation at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const queries = [
      '',
      '?view=CHECKOUT&theme=dark',
      '?view=POST_ORDER&locale=ar',
      '?view=SUPPORT_CENTER&consent=banner',
      '?view=ORDER_TRACKING&navigation=spa',
    ];
    for (const query of queries) {
      await open(page, query);
      await page.getByRole('button', { name: /^(More|Switches)/ }).click();
      await still(page);
      // The console in its frame is a separate document, with its own main element.
      expect(await violationsOf(page, { without: ['landmark-unique'] }), query).toEqual([]);
    }
  });
}

test('the offers wear the shop’s colours, and the theme editor changes them, with the CSS and the contrast', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${sandbox.shop}/?csp=strict&look=unthemed`);
  const card = page.locator('#offers [part=card]');
  await expect(card).toBeVisible();
  await expect(card).toHaveCSS('border-radius', '16px');
  const plain = await card.evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.goto(`${sandbox.shop}/?csp=strict`);
  await expect(card).toHaveCSS('background-color', 'rgb(255, 253, 250)');
  expect(plain).not.toBe('rgb(255, 253, 250)');

  const editor = page.getByRole('region', { name: 'Make it yours' });
  await editor.getByLabel('Surface').fill('#101820');
  await editor.getByLabel('Radius').fill('4');
  await editor.getByLabel('Density').selectOption('Compact');
  await expect(card).toHaveCSS('background-color', 'rgb(16, 24, 32)');
  await expect(card).toHaveCSS('border-radius', '4px');
  await expect(card).toHaveCSS('padding-top', '14px');
  await expect(editor.locator('code')).toContainText('--offerlet-surface: #101820;');
  await expect(editor.locator('code')).not.toContainText('initial'); // a shop that copies it has nothing to unset
  await expect(editor.getByRole('listitem')).toHaveCount(4);
  await expect(editor.getByText('too low')).toHaveCount(0);
  await editor.getByRole('radio', { name: 'Unthemed' }).check();
  await expect(card).toHaveCSS('background-color', plain);
  await expect(page).toHaveURL(/look=unthemed/);
  await editor.getByRole('radio', { name: 'Themed', exact: true }).check();
  await page.reload(); // as a choice in the bar does
  await expect(card).toHaveCSS('background-color', 'rgb(16, 24, 32)');
  await editor.getByRole('button', { name: 'Reset' }).click();
  await expect(card).toHaveCSS('background-color', 'rgb(255, 253, 250)');
});

test('on a phone the theme editor is a low sheet, above which the offer is in view', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const theme of ['light', 'dark']) {
    await open(page, `?theme=${theme}`);
    await page.getByRole('button', { name: 'Theme', exact: true }).click();
    const editor = page.getByRole('region', { name: 'Make it yours' });
    await editor.getByLabel('Radius').fill('2');
    await expect(page.locator('#offers [part=card]')).toHaveCSS('border-radius', '2px');
    await still(page);
    const { sheet, bar, heading, accept } = await page.evaluate(() => {
      const edges = (element: Element | null | undefined): { top: number; bottom: number } =>
        element?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
      const desk = document.querySelector('demo-desk')?.shadowRoot;
      const offers = document.querySelector('#offers > *')?.shadowRoot;
      return {
        sheet: edges(desk?.querySelector('.panel')),
        bar: edges(desk?.querySelector('.bar')),
        heading: edges(offers?.querySelector('[part~=heading]')),
        accept: edges(offers?.querySelector('[part~=accept]')),
      };
    });
    expect(sheet.bottom).toBe(844);
    expect(sheet.bottom - sheet.top).toBeLessThanOrEqual(0.45 * 844);
    expect(heading.top).toBeGreaterThan(bar.bottom);
    expect(accept.bottom).toBeLessThan(sheet.top);
    expect(await violationsOf(page, { without: ['landmark-unique'] }), theme).toEqual([]);
    await page.getByRole('button', { name: 'Theme', exact: true }).click();
    await expect(editor).toBeHidden();
  }
});
