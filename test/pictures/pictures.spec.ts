import { expect, test, type Page } from '@playwright/test';
import { listening, mount, openShop, type Shown } from '../line/widget/widgetPage.ts';
import { hero, list, pictures, placed } from '../widget/offers.ts';
import { onlyWithSameEyes } from './sameEyes.ts';

const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'] as const;
const SIZES = { phone: { width: 390, height: 780 }, desktop: { width: 1100, height: 760 } } as const;
const ONE_BY_ONE = [hero(placed(0), placed(1), placed(2))];
const WITH_TILES = [hero(placed(1), placed(0, { assets: pictures(4) }))];
const LOOKS = `<style>body{margin:0 auto;padding:24px;max-width:900px;font:16px/1.6 Georgia,serif;background:light-dark(#f7f5f0,#0b0f17);color:light-dark(#1f2937,#e5e7eb)}#offers{margin:24px 0}</style>`;
const WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

onlyWithSameEyes();

interface Scene {
  props?: Shown;
  scheme?: 'light' | 'dark';
  size?: keyof typeof SIZES;
  after?: (page: Page) => Promise<void>;
}

async function picture(
  page: Page,
  name: string,
  { props = {}, scheme = 'light', size = 'phone', after }: Scene,
): Promise<void> {
  await page.setViewportSize(SIZES[size]);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openShop(page, {
    html: `style="color-scheme:${scheme}"`,
    head: LOOKS,
    body: '<p>Your parcel leaves us tomorrow morning.</p>',
  });
  await mount(page, { groups: ONE_BY_ONE, ...props });
  await listening(page);
  await after?.(page);
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => {
    const root = (document.querySelector('offer-let-layer') ?? document.querySelector('#offers > *'))?.shadowRoot;
    return [...(root?.querySelectorAll('img') ?? [])].every((image) => image.complete);
  });
  // The same fonts draw the same pixels: a word that moved is a few hundred of them.
  await expect(page).toHaveScreenshot(`${name}.png`, { maxDiffPixelRatio: 0.0001 });
}

for (const mode of MODES) {
  for (const size of ['phone', 'desktop'] as const) {
    for (const scheme of ['light', 'dark'] as const) {
      const name = `${mode.toLowerCase()}-${size}-${scheme}`;
      test(name, ({ page }) => picture(page, name, { props: { mode }, size, scheme }));
    }
  }
}

async function claim(page: Page): Promise<void> {
  await page.locator('[part=accept]').first().click({ button: 'middle' });
  await expect(page.getByText('LARK-2026')).toBeVisible();
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

test('long copy', ({ page }) => {
  const offer = placed(
    0,
    {
      heading: `${WORD} und noch vieles mehr für Sie und Ihre Familie`,
      subheading:
        'Mit dieser Bestellung erhalten Sie Zugang zu einem besonders ausführlich beschriebenen Angebot. '.repeat(3),
      cta_details: {
        accept_copy: 'Jetzt kostenlos und unverbindlich sichern',
        decline_copy: 'Nein danke, vielleicht ein anderes Mal',
      },
    },
    `${WORD} GmbH`,
  );
  return picture(page, 'long-copy', {
    props: { mode: 'FULLSCREEN', locale: 'de', sandbox: true, groups: [hero(offer, placed(1))] },
  });
});

test('claimed', ({ page }) => picture(page, 'claimed', { props: { mode: 'OVERLAY' }, after: claim }));

test('tiles', ({ page }) =>
  picture(page, 'tiles', {
    props: { mode: 'OVERLAY', groups: WITH_TILES },
    after: (shown) => shown.locator('[part=decline]').first().click(),
  }));

test('beside tiles', ({ page }) => picture(page, 'beside-tiles', { props: { mode: 'OVERLAY', groups: WITH_TILES } }));

test('a list', ({ page }) =>
  picture(page, 'list', { props: { groups: [list(placed(0), placed(1), placed(2))] }, size: 'desktop' }));

test('forced colors', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await picture(page, 'forced-colors', { props: { mode: 'OVERLAY', sandbox: true } });
});
