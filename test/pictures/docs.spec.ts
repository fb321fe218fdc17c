import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { onlyWithSameEyes } from './sameEyes.ts';

onlyWithSameEyes();

const MODES = ['overlay', 'fullscreen', 'pullup', 'inline'] as const;

/** Four phones in a row, built from the reviewed pictures, so that a changed mode changes the README's picture too. */
test('the four display modes', async ({ page }) => {
  const phones = MODES.map((mode) => {
    const picture = readFileSync(`test/pictures/widget/${mode}-phone-light.png`).toString('base64');
    return `<figure><img src="data:image/png;base64,${picture}"><figcaption>${mode.toUpperCase()}</figcaption></figure>`;
  });
  await page.setViewportSize({ width: 840, height: 450 });
  await page.setContent(`<style>
    body { margin: 0; padding: 18px; display: flex; gap: 18px; background: #f4f5f7 }
    figure { margin: 0; flex: 1; text-align: center; font: 600 12px/1 system-ui; color: #374151 }
    img { width: 100%; border-radius: 15px; box-shadow: 0 0 0 1px #d5d9e0, 0 8px 24px rgb(15 23 42/.12) }
    figcaption { margin-top: 12px; letter-spacing: .04em }
  </style>${phones.join('')}`);
  await expect(page).toHaveScreenshot('modes.png');
});
