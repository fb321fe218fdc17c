import { expect, test, type Page } from '@playwright/test';
import { hero, list, placed } from '../../widget/offers.ts';
import { accept, acted, listening, mount, opened, openShop } from './widgetPage.ts';
import { poll } from '../drivers/poll.ts';

const TALL = '<div style="height:3000px"></div><a id="end" href="#">The end</a>';
const htmlTag = (page: Page): Promise<string> =>
  page.evaluate(() => document.documentElement.outerHTML.split('>')[0] ?? '');
/** Maximum height of a pull-up's peek. */
const PEEK_PX = 144;
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement } = document;
    return (activeElement?.shadowRoot?.activeElement ?? activeElement)?.textContent ?? '';
  });

test('Esc, the close button and the backdrop end an overlay and give the focus back', async ({ page }) => {
  const ways: [string, () => Promise<void>][] = [
    ['escape', () => page.keyboard.press('Escape')],
    ['close', () => page.getByRole('button', { name: 'Close' }).click()],
    ['backdrop', () => page.mouse.click(5, 5)],
  ];
  for (const [by, leave] of ways) {
    await openShop(page);
    await page.locator('#before').focus();
    await mount(page, { mode: 'OVERLAY' });
    await listening(page);
    await leave();
    await poll(() => acted(page)).toEqual([`dismiss by ${by}`]);
    expect(await focused(page)).toBe('Track it');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});

test('decline shows the next offer and back the previous one, with the focus on its heading', async ({ page }) => {
  await openShop(page);
  await mount(page);
  await page.getByRole('button', { name: 'No, thanks' }).click();
  expect(await focused(page)).toBe('Thirty nights on a cool mattress');
  await listening(page);
  await page.getByRole('button', { name: 'Previous offer' }).click();
  expect(await focused(page)).toBe('Your first bag of coffee is on us');
});

test('a layer fades away, inert at once and with the focus back, unless reduced motion is preferred', async ({
  page,
}) => {
  for (const mode of ['OVERLAY', 'FULLSCREEN', 'PULLUP'] as const) {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await page.emulateMedia({ reducedMotion });
      await openShop(page);
      await page.locator('#before').focus();
      await mount(page, { mode });
      await listening(page);
      const [during, after] = await page.evaluate(async () => {
        const shadow = document.querySelector('offer-let-layer')?.shadowRoot;
        const root = shadow?.querySelector<HTMLElement>('.root');
        const close = shadow?.querySelector<HTMLElement>('[part=close]');
        close?.focus();
        close?.click();
        const still = { count: shadow?.childElementCount, isInert: root?.inert, focus: document.activeElement?.id };
        const isGone = (): boolean => shadow?.childElementCount === 0;
        while (!isGone()) await new Promise(requestAnimationFrame);
        return [{ ...still, sheets: document.adoptedStyleSheets.length }, shadow?.childElementCount];
      });
      const isFading = reducedMotion === 'no-preference';
      expect(during, mode).toEqual({ count: isFading ? 1 : 0, isInert: true, focus: 'before', sheets: 0 });
      expect(after).toBe(0);
    }
  }
});

test('a layer locks the page and leaves it as it was, byte for byte', async ({ page }) => {
  for (const mode of ['OVERLAY', 'FULLSCREEN'] as const) {
    await openShop(page, { body: TALL, html: 'style="--x:1" class="a"' });
    const before = await htmlTag(page);
    await page.evaluate(() => window.scrollTo(0, 300));
    await mount(page, { mode });
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(150);
    expect(await page.evaluate(() => window.scrollY)).toBe(300);
    expect(await htmlTag(page)).toBe(before);
    await page.keyboard.press('Escape');
    await page.mouse.wheel(0, 500);
    await poll(() => page.evaluate(() => window.scrollY)).toBe(800);
    expect(await htmlTag(page)).toBe(before);
    expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
  }
});

test('a page that removes the layer itself scrolls again', async ({ page }) => {
  await openShop(page, { body: TALL });
  await mount(page, { mode: 'OVERLAY' });
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden');
  await page.evaluate(() => document.querySelector('offer-let-layer')?.remove());
  await expect(page.locator('html')).toHaveCSS('overflow', 'visible');
});

test('Esc closes the pull-up only when the focus is inside, and the focus goes back', async ({ page }) => {
  await openShop(page);
  await page.locator('#before').focus();
  await mount(page, { mode: 'PULLUP' });
  await page.keyboard.press('Escape');
  expect(await acted(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Escape');
  expect(await acted(page)).toEqual(['dismiss by escape']);
  expect(await focused(page)).toBe('Track it');
});

test('the pull-up is dragged away from a quarter of its height, and snaps back before', async ({ page }) => {
  await openShop(page);
  await mount(page, { mode: 'PULLUP' });
  await listening(page);
  const drag = async (pixels: number, button: 'left' | 'right' = 'left'): Promise<void> => {
    const box = await page.locator('.handle').boundingBox();
    const x = (box?.x ?? 0) + (box?.width ?? 0) / 2;
    const y = (box?.y ?? 0) + 10;
    await page.mouse.move(x, y);
    await page.mouse.down({ button });
    for (let step = 1; step <= 5; step++) {
      await page.mouse.move(x, y + (pixels * step) / 5);
      await page.waitForTimeout(60);
    }
    await page.mouse.up({ button });
  };
  await drag(200, 'right');
  await drag(40);
  expect(await acted(page)).toEqual([]);
  await listening(page);
  await drag(200);
  expect(await acted(page)).toEqual(['dismiss by drag']);
});

test('after a nudge by finger, accepting in the peek still opens the pull-up, and shows the code', async ({ page }) => {
  await openShop(page);
  await mount(page, { mode: 'PULLUP', peek: true });
  await listening(page);
  const box = await page.locator('.handle').boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 10];
  const browser = await page.context().newCDPSession(page);
  for (const [type, move] of [
    ['touchStart', 0],
    ['touchMove', 12],
    ['touchMove', 24],
    ['touchEnd', 24],
  ] as const) {
    await browser.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y: y + move }],
    });
    // A nudge is slow: faster than 0.4 px a millisecond, it would close the sheet.
    await page.waitForTimeout(100);
  }
  await expect(page.locator('[data-peek]')).toHaveCount(1);
  await listening(page);
  await accept(page);
  await expect(page.locator('[data-peek]')).toHaveCount(0);
});

test('the pull-up uncovers the focused element below it, and shows its peek again afterwards', async ({ page }) => {
  await page.setViewportSize({ width: 500, height: 700 });
  await openShop(page, { body: TALL });
  await mount(page, { mode: 'PULLUP' });
  const shownHeight = async (): Promise<number> => {
    await listening(page);
    return page.evaluate(() => {
      const sheet = document.querySelector('offer-let-layer')?.shadowRoot?.querySelector('.pullup');
      return Math.round(window.innerHeight - (sheet?.getBoundingClientRect().top ?? 0));
    });
  };
  await poll(shownHeight).toBeGreaterThan(200);
  await page.locator('#end').focus();
  await poll(shownHeight).toBeLessThanOrEqual(PEEK_PX);
  const end = await page.locator('#end').boundingBox();
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual(
    (page.viewportSize()?.height ?? 0) - (await shownHeight()),
  );
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await poll(shownHeight).toBeGreaterThan(PEEK_PX - 40);
  expect(await shownHeight()).toBeLessThanOrEqual(PEEK_PX);
  await page.locator('.handle').press('Enter');
  await poll(shownHeight).toBeGreaterThan(200);
});

for (const viewport of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
])
  test(`the pull-up arrives as a peek with one button, and opens on tap, drag and key (${viewport.width} px)`, async ({
    page,
  }) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openShop(page);
    const handle = page.getByRole('button', { name: 'Sponsored offers' });
    const drag = async (): Promise<void> => {
      const { x = 0, y = 0 } = (await page.locator('[part=heading]').boundingBox()) ?? {};
      await page.mouse.move(x + 9, y + 9);
      await page.mouse.down();
      await page.mouse.move(x + 9, y - 99, { steps: 5 });
      await page.mouse.up();
    };
    const ways = {
      tap: () => page.locator('[part=heading]').click({ force: true }),
      drag,
      key: () => handle.press('Enter'),
    };
    for (const [way, open] of Object.entries(ways)) {
      await mount(page, { mode: 'PULLUP', peek: true, sandbox: true });
      await listening(page);
      await expect(handle, way).toHaveAttribute('aria-expanded', 'false');
      for (const part of ['.logo', '.badge', '[part=heading]', '[part=accept]', '[part=close]'])
        await expect(page.locator(part).first(), part).toBeVisible();
      for (const part of ['[part=decline]', '[part=subheading]', 'footer', '[part=disclosure]'])
        await expect(page.locator(part).first(), part).toBeHidden();
      const { height = 0 } = (await page.locator('.surface').boundingBox()) ?? {};
      expect(height).toBeLessThanOrEqual(PEEK_PX);
      await open();
      await expect(handle, way).toHaveAttribute('aria-expanded', 'true');
      await expect(page.locator('[part=decline]'), way).toBeVisible();
    }
    await handle.press('Enter');
    await expect(page.locator('[part=decline]')).toBeHidden();
  });

test('accepted from its peek, the pull-up opens and shows the code', async ({ page }) => {
  await openShop(page);
  await mount(page, { mode: 'PULLUP', peek: true });
  await listening(page);
  await accept(page);
  await expect(page.getByText('LARK-2026')).toBeVisible();
  await expect(page.locator('.badge')).toBeVisible();
});

test('nothing moves when the text of the transition gives way to “opened”, whichever of them is longer', async ({
  page,
}) => {
  const sentence = 'The shop opens in a new tab, where you enter this code. '.repeat(2).trim();
  await page.setViewportSize({ width: 320, height: 800 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.clock.install();
  const places = (): Promise<number[][]> =>
    page.evaluate(() => {
      const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
      const parts = root?.querySelectorAll(
        '.surface, [part=heading], .actions > *, [role=status], [role=status] button, details, footer',
      );
      return [...(parts ?? [])].map((part) => {
        const { top, height } = part.getBoundingClientRect();
        return [Math.round(top), Math.round(height)];
      });
    });
  await openShop(page);
  for (const [transition_copy, mode, group] of [
    ...(['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const).map((mode) => [sentence, mode, hero] as const),
    [sentence, 'INLINE', list],
    ['Merci', 'OVERLAY', hero],
    ['Merci', 'INLINE', list],
  ] as const) {
    const offer = placed(0, { cta_details: { accept_copy: 'Oui', decline_copy: 'Non', transition_copy } });
    await mount(page, { mode, locale: 'fr', groups: [group(offer, placed(1))] });
    await listening(page);
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000));
    await accept(page);
    const status = page.getByRole('status').first();
    await expect(status).toContainText(transition_copy);
    const before = await places();
    await page.clock.resume();
    await opened(page);
    await expect(status).toContainText('Ouvert dans un nouvel onglet');
    expect(await places(), `${mode} ${transition_copy}`).toEqual(before);
  }
});

test('the close button is in line with the mark or the heading above it', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const offers = [placed(0), placed(1)];
  const group = { ...hero(...offers), heading: 'For you' };
  await openShop(page);
  for (const mode of ['OVERLAY', 'PULLUP'] as const) {
    for (const [row, shown] of [
      ['.badges', hero(...offers)],
      ['.heading', group],
      ['.heading', list(...offers)],
    ] as const) {
      await mount(page, { mode, groups: [shown] });
      await listening(page);
      const middles = await page.evaluate(
        (selectors) => {
          const root = document.querySelector('offer-let-layer')?.shadowRoot;
          return selectors.map((selector) => {
            const { top, height } = root?.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
            return top + height / 2;
          });
        },
        ['[part=close]', row],
      );
      expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 99)), `${mode} ${row}`).toBeLessThanOrEqual(2);
    }
  }
});

test('an accepted offer without text or code says that it was opened', async ({ page }) => {
  await openShop(page);
  const offer = placed(0, { metadata: undefined, cta_details: { accept_copy: 'Yes', decline_copy: 'No' } });
  await mount(page, { groups: [hero(offer, placed(1))] });
  await expect(page.getByRole('status')).toBeEmpty();
  await accept(page);
  await expect(page.getByRole('status')).toHaveText('Opened in a new tab');
  await expect(page.locator('article [part=decline]')).toHaveText('Next');
});
