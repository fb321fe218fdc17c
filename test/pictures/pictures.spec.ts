import { expect, test, type Page } from '@playwright/test';
import { listening, mount, openShop, type ShopPage, type Shown } from '../line/widget/widgetPage.ts';
import { hero, list, pictures, placed } from '../widget/offers.ts';
import { onlyWithSameEyes } from './sameEyes.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
const SIZES = {
  phone: { width: 390, height: 780 },
  desktop: { width: 1100, height: 760 },
  small: { width: 320, height: 568 },
  landscape: { width: 844, height: 390 },
} as const;
const ONE_BY_ONE = [hero(placed(0), placed(1), placed(2))];
const WITH_TILES = [hero(placed(1), placed(0, { assets: pictures(4) }))];
const WITH_PICTURE = [hero(placed(0, { assets: pictures(1) }), placed(1))];
const A_LIST = [list(placed(0), placed(1), placed(2))];
const LOOKS = `<style>body{margin:0 auto;padding:24px;max-width:900px;font:16px/1.6 Georgia,serif;background:light-dark(#f7f5f0,#0b0f17);color:light-dark(#1f2937,#e5e7eb)}#offers{margin:24px 0}</style>`;
const WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

onlyWithSameEyes();

interface Scene {
  props?: Shown & { peek?: true };
  /** The page in place of the usual one. */
  shop?: ShopPage;
  scheme?: 'light' | 'dark';
  size?: keyof typeof SIZES;
  css?: string;
  after?: (page: Page) => Promise<void>;
}

async function picture(
  page: Page,
  name: string,
  { props = {}, scheme = 'light', size = 'phone', css = '', shop, after }: Scene,
): Promise<void> {
  await page.setViewportSize(SIZES[size]);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page, {
    html: `style="color-scheme:${scheme}"`,
    head: LOOKS + (css && `<style>${css}</style>`),
    body: '<p>Your parcel leaves us tomorrow morning.</p>',
    ...shop,
  });
  await mount(page, { groups: ONE_BY_ONE, ...props });
  await listening(page);
  await after?.(page);
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => {
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    return [...(root?.querySelectorAll('img') ?? [])].every((image) => image.complete || !image.checkVisibility());
  });
  // The same fonts draw the same pixels: a word that moved is a few hundred of them.
  await expect(page).toHaveScreenshot(`${name}.png`, { maxDiffPixelRatio: 0.0001 });
}

for (const mode of MODES) {
  for (const size of ['phone', 'desktop'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      const name = `${mode.toLowerCase()}-${size}-${scheme}`;
      // A pull-up arrives as a peek.
      const props = mode === 'PULLUP' ? ({ mode, peek: true } as const) : { mode };
      test(name, ({ page }) => picture(page, name, { props, size, scheme }));
    }
  }
}

async function claim(page: Page): Promise<void> {
  await page.locator('[part=accept]').first().click({ button: 'middle' });
  await expect(page.getByText('LARK-2026')).toBeVisible();
  await expect(page.getByRole('status').locator('.done')).toBeVisible();
}

test('right to left', ({ page }) => {
  const offer = placed(
    0,
    {
      heading: 'أول كيس من القهوة المختصة هدية منا',
      subheading: 'حبوب طازجة تُحمّص عند الطلب وتصلك خلال ثلاثة أيام.',
      cta_details: {
        accept_copy: 'احصل على الهدية',
        decline_copy: 'لا، شكرًا',
        transition_copy: 'استخدم هذا الرمز عند الدفع.',
      },
      disclosure_details: { copy: 'للعملاء الجدد فقط. تطبق الشروط.' },
    },
    'قهوة الياسمين',
  );
  return picture(page, 'right-to-left', {
    props: { mode: 'OVERLAY', locale: 'ar', groups: [hero(offer, placed(1))] },
    after: claim,
  });
});

const LONG_OFFER = placed(
  0,
  {
    heading: `${WORD} und noch vieles mehr für Sie und Ihre Familie`,
    subheading:
      'Mit dieser Bestellung erhalten Sie Zugang zu einem besonders ausführlich beschriebenen Angebot. '.repeat(3),
    cta_details: {
      accept_copy: 'Jetzt kostenlos und unverbindlich sichern',
      decline_copy: 'Nein danke, vielleicht ein anderes Mal',
    },
    disclosure_details: {
      copy: 'Nur für Neukunden ab 18 Jahren mit Wohnsitz in Deutschland, Österreich oder der Schweiz. Einmal je Haushalt. Nicht mit anderen Angeboten kombinierbar. Gültig bis zum 31. Dezember, solange der Vorrat reicht.',
      content: 'Es gelten die Geschäftsbedingungen des Anbieters.',
    },
  },
  `${WORD} GmbH`,
);
const GERMAN_FOOTER = {
  attribution_details: { copy: 'Bereitgestellt von Adnet', logo_url: 'https://images.test/brand.svg' },
  privacy_policy: { copy: 'Datenschutzerklärung', target_url: 'https://network.test/privacy' },
};

for (const mode of ['OVERLAY', 'FULLSCREEN', 'INLINE'] as const) {
  test(`long copy, ${mode}`, ({ page }) =>
    picture(page, `long-copy-${mode.toLowerCase()}`, {
      props: { mode, locale: 'de', sandbox: true, footer: GERMAN_FOOTER, groups: [hero(LONG_OFFER, placed(1))] },
    }));
}

for (const size of ['small', 'landscape'] as const) {
  test(`long copy in a ${size} window`, ({ page }) =>
    picture(page, `long-copy-${size}`, {
      props: {
        mode: 'OVERLAY',
        locale: 'de',
        groups: [{ ...hero(LONG_OFFER, placed(1)), heading: 'Von unseren Partnern' }],
      },
      size,
    }));
}

for (const size of ['phone', 'desktop'] as const) {
  for (const mode of ['FULLSCREEN', 'INLINE'] as const) {
    test(`one picture, ${mode}, ${size}`, ({ page }) =>
      picture(page, `picture-${mode.toLowerCase()}-${size}`, { props: { mode, groups: WITH_PICTURE }, size }));
  }
}

test('only the surface is set, to a dark green, on a light page', ({ page }) =>
  picture(page, 'theme-surface', { css: '#offers{--offerlet-surface:#0b3d2e}', size: 'desktop' }));

test('claimed', ({ page }) => picture(page, 'claimed', { props: { mode: 'OVERLAY' }, after: claim }));

test('tiles', ({ page }) =>
  picture(page, 'tiles', {
    props: { mode: 'OVERLAY', groups: WITH_TILES },
    after: (shown) => shown.locator('[part=decline]').first().click(),
  }));

test('beside tiles', ({ page }) => picture(page, 'beside-tiles', { props: { mode: 'OVERLAY', groups: WITH_TILES } }));

test('a list', ({ page }) => picture(page, 'list', { props: { groups: A_LIST }, size: 'desktop' }));

test('a list on a phone', ({ page }) => picture(page, 'list-phone', { props: { groups: A_LIST }, scheme: 'dark' }));

test('a list in a dialog', ({ page }) =>
  picture(page, 'list-overlay', { props: { mode: 'OVERLAY', groups: [hero(placed(0)), ...A_LIST] }, size: 'desktop' }));

test('claimed beside a picture', ({ page }) =>
  picture(page, 'claimed-picture', { props: { groups: WITH_PICTURE }, size: 'desktop', after: claim }));

test('claimed in the pull-up', ({ page }) =>
  picture(page, 'claimed-pullup', { props: { mode: 'PULLUP' }, size: 'desktop', after: claim }));

test('forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await picture(page, 'forced-colors', { props: { mode: 'OVERLAY', sandbox: true } });
});

/** Pages that nobody has prepared for offers. */
const UNPREPARED: Readonly<Record<string, Scene>> = {
  'no-charset': { shop: { html: '', head: '', isBare: true }, props: { mode: 'OVERLAY', locale: 'fr' } },
  'no-viewport': { shop: { html: '', head: '', isBare: true }, props: { groups: WITH_PICTURE } },
  'small-text': { shop: { html: '', head: '<style>html,body{font:12px Arial}</style>' } },
  'loud-text': {
    shop: {
      html: '',
      head: '<style>body{font:22px/2 "Times New Roman",serif;letter-spacing:2px;text-align:center;text-transform:uppercase}</style>',
    },
  },
  'right-to-left': { shop: { html: 'dir="rtl"', head: '' }, props: { groups: A_LIST } },
  'dark-colours': { shop: { html: '', head: '<style>body{background:#111;color:#eee}</style>' } },
};
for (const [what, scene] of Object.entries(UNPREPARED)) {
  test(`a page with ${what.replaceAll('-', ' ')}`, async ({ browser }) => {
    // Only a phone's browser makes a page without a viewport wider than its window.
    const context = await browser.newContext({ isMobile: true, viewport: SIZES.phone });
    await picture(await context.newPage(), `unprepared-${what}`, scene);
    await context.close();
  });
}
