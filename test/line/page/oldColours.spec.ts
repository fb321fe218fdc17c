import { expect, test } from '@playwright/test';
import { measureContrast } from '../../../src/dom/contrast.ts';
import { useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';

const fixture = useFixture();

// A browser of before Chrome 123, Safari 17.5 and Firefox 128, as far as its colours go.
for (const mode of ['INLINE', 'OVERLAY'])
  for (const scheme of ['light', 'dark'] as const)
    test(`in a browser that cannot compute colours, ${mode} offers are readable on a ${scheme} page`, async ({
      page,
    }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await page.route('**/offerlet.js', async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        const body = text.replace(/light-dark\(/g, 'unknown(').replace(/\(from /g, '(unknown from ');
        expect(body).not.toBe(text);
        await route.fulfill({ response, body });
      });
      const head = '<head><meta name="color-scheme" content="light dark">';
      await page.goto(fixture.page('/shop', shop(scriptTag({ 'display-mode': mode })).replace('<head>', head)));
      await expect(page.locator('[part~=accept]').first()).toBeVisible();
      const host = page.locator(mode === 'INLINE' ? '#offers > div' : 'offer-let-layer');
      const ratios = async () => (await host.evaluate(measureContrast)).map(({ ratio }) => ratio >= 4.5);
      await poll(ratios).toEqual([true, true, true, true]);
    });
