import { expect, test } from '@playwright/test';
import { hero, list, placed } from '../../widget/offers.ts';
import { listening, mount, openShop, type Shown } from './widgetPage.ts';

const FONTS = {
  Inter: { file: 'inter/files/inter-latin', locale: 'en', text: 'Gypsy jog, quay (gjpqy)' },
  'Noto Sans': { file: 'noto-sans/files/noto-sans-latin', locale: 'en', text: 'Gypsy jog, quay (gjpqy)' },
  'Noto Naskh Arabic': {
    file: 'noto-naskh-arabic/files/noto-naskh-arabic-arabic',
    locale: 'ar',
    text: 'حجّ يعي ـح ـي غ',
  },
};
/** Every text that is clamped, with nothing cut. */
const WHOLE = '.words > *, .brand > *, footer * > span { overflow: visible !important }';

for (const [font, { file, locale, text }] of Object.entries(FONTS))
  test(`no letter is cut at the bottom of its text in ${font}`, async ({ page }) => {
    const path = `node_modules/@fontsource-variable/${file}-wght-normal.woff2`;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openShop(page, {
      head: '<style>@font-face { font-family: Test; font-weight: 100 900; src: url(/font.woff2) } html { --offerlet-font: Test }</style>',
    });
    await page.route('**/font.woff2', (route) => route.fulfill({ path }));
    await page.route('https://images.test/**', (route) => route.abort());
    const offer = placed(0, { heading: text, subheading: text, disclosure_details: undefined }, text);
    const footer = { privacy_policy: { copy: text } };
    const scenes: (Shown & { peek?: true })[] = [
      { groups: [hero(offer), list(offer)] },
      { groups: [hero(offer)], mode: 'FULLSCREEN' },
      { groups: [hero(offer)], mode: 'PULLUP', peek: true },
    ];
    for (const scene of scenes) {
      await mount(page, { ...scene, locale, footer });
      await listening(page);
      await expect.poll(() => page.evaluate(() => [...document.fonts].map(({ status }) => status))).toEqual(['loaded']);
      const clamped = await page.screenshot();
      await page.evaluate((css) => {
        const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        root?.adoptedStyleSheets.push(sheet);
      }, WHOLE);
      expect((await page.screenshot()).equals(clamped), scene.mode ?? 'INLINE').toBe(true);
    }
  });
