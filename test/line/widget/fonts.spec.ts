import { expect, test } from '@playwright/test';
import { hero, list, placed } from '../../widget/offers.ts';
import { listening, mount, openShop, type Shown } from './widgetPage.ts';

const LATIN = {
  locale: 'en',
  text: 'Gypsy jog, quay (gjpqy)',
  tall: 'Hohl blinkt der Elfen Bild, Karl holt Edda her. ',
};
/** `text`: letters that hang below their lines. `tall`: none that does. */
const FONTS = {
  Inter: { file: 'inter/files/inter-latin', ...LATIN },
  'Noto Sans': { file: 'noto-sans/files/noto-sans-latin', ...LATIN },
  'Noto Naskh Arabic': {
    file: 'noto-naskh-arabic/files/noto-naskh-arabic-arabic',
    locale: 'ar',
    text: 'حجّ يعي ـح ـي غ',
    tall: 'طال هذا الكلأ كما طال هذا الكلأ ',
  },
};
const CLAMPED = '.words > :not(button), .brand > *, footer * > span';

for (const [font, { file, locale, text, tall }] of Object.entries(FONTS))
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
    const isSame = async (scene: Shown & { peek?: true }, css: string): Promise<boolean> => {
      await mount(page, { ...scene, locale, footer });
      await listening(page);
      await expect.poll(() => page.evaluate(() => [...document.fonts].map(({ status }) => status))).toEqual(['loaded']);
      const before = await page.screenshot();
      await page.evaluate((css) => {
        const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(css);
        root?.adoptedStyleSheets.push(sheet);
      }, css);
      return (await page.screenshot()).equals(before);
    };
    for (const scene of scenes)
      expect(await isSame(scene, `${CLAMPED} { overflow: visible !important }`), scene.mode ?? 'INLINE').toBe(true);
    // Nor does the top of a line show that is cut off as a whole.
    const copy = tall.repeat(4);
    const long = { groups: [hero(placed(0, { heading: copy, subheading: copy }))] };
    const none = `${CLAMPED} { margin-block-end: 0 !important; padding-block-end: 0 !important }`;
    expect(await isSame(long, none), 'a clamped text').toBe(true);
  });
