import { expect, test } from '@playwright/test';
import { hero, pictures, placed } from '../../widget/offers.ts';
import { listening, mount, openShop } from './widgetPage.ts';
import { poll } from '../drivers/poll.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;

test('hostile styles of the page move no edge of the card by more than a pixel', async ({ page }) => {
  const hostile = `<style>*{all:unset!important;letter-spacing:9px!important}*{font:40px/3 serif!important;text-transform:uppercase!important;box-sizing:content-box!important;
    padding:9px!important;border:5px solid red!important;color:red!important}#offers{padding:0!important;border:0!important;margin:0!important;display:block!important;width:600px!important}
    #offers>div{padding:0!important;border:0!important}
    offer-let-layer{display:none!important;opacity:0!important;transform:scale(2)!important}body{transform:rotate(1deg)}</style>`;
  const clean = '<style>#offers{width:600px}</style>';
  for (const mode of MODES) {
    const boxes = [];
    for (const head of [clean, hostile]) {
      await openShop(page, { head });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await mount(page, { mode, groups: [hero(placed(0))] });
      boxes.push(
        await page
          .locator('[part=card]')
          .first()
          .evaluate((card) => ({
            width: (card as HTMLElement).offsetWidth,
            height: (card as HTMLElement).offsetHeight,
          })),
      );
    }
    const [first, second] = boxes;
    expect(Math.abs((first?.width ?? 0) - (second?.width ?? 99)), mode).toBeLessThanOrEqual(1);
    expect(Math.abs((first?.height ?? 0) - (second?.height ?? 99)), mode).toBeLessThanOrEqual(1);
  }
});

test('a page that traps the focus leaves it to a dialog, and gets it back afterwards', async ({ page }) => {
  const trap = `<div id="trap"><input id="first"><input id="last"></div><script>
    const trap = document.querySelector('#trap'), back = () => document.querySelector('#first').focus();
    document.addEventListener('focusin', ({ target }) => trap.contains(target) || back(), true);
    document.addEventListener('focusout', ({ relatedTarget }) => trap.contains(relatedTarget) || setTimeout(back), true);
    document.addEventListener('keydown', (event) => { if (event.key === 'Tab') { event.preventDefault(); back(); } });
    back();</script>`;
  for (const mode of ['OVERLAY', 'FULLSCREEN'] as const) {
    await openShop(page, { body: trap });
    await mount(page, { mode, groups: [hero(placed(0))] });
    await listening(page);
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.textContent ?? document.activeElement?.id);
    expect(await focused()).toBe('Your first bag of coffee is on us');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Claim my free bag');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Escape');
    await poll(focused).toBe('first');
  }
});

test('pictures below the fold are fetched when they come near, each once', async ({ page }) => {
  const fetched: string[] = [];
  page.on('request', (request) => {
    const { hostname, pathname } = new URL(request.url());
    if (hostname === 'images.test') fetched.push(pathname);
  });
  await openShop(page, { head: '<style>#offers{margin-top:9000px}</style>' });
  const offer = placed(0, { assets: pictures(2) });
  await mount(page, { footer: {}, groups: [hero(offer, placed(1), placed(2))] });
  await listening(page);
  expect(fetched).toEqual([]);
  await page.locator('#offers').scrollIntoViewIfNeeded();
  const shown = ['/logo-0.svg', '/photo-0.svg', '/photo-1.svg'];
  await poll(() => fetched.toSorted()).toEqual(shown);
  for (let step = 0; step < 2; step++) {
    await page.locator('article [part=decline]').click();
    await listening(page);
  }
  await poll(() => fetched.toSorted()).toEqual(['/logo-0.svg', '/logo-2.svg', '/photo-0.svg', '/photo-1.svg']);
});

test('no part of the widget is printed', async ({ page }) => {
  for (const mode of MODES) {
    await openShop(page);
    await mount(page, { mode });
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByText('Your first bag of coffee')).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
  }
});
