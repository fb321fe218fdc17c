import { defineConfig } from '@playwright/test';
import { find } from '../browsers.mjs';

const browser = find('chromium');

// `npm run pictures` compares; `npm run pictures -- --update-snapshots` takes them anew. One engine on one platform: fonts differ elsewhere.
export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results/pictures',
  // Pictures that the documentation shows are stored with it.
  projects: [
    {
      name: 'widget',
      testMatch: ['pictures.spec.ts', 'pairs.spec.ts'],
      snapshotPathTemplate: '{testDir}/widget/{arg}{ext}',
    },
    {
      name: 'docs',
      testMatch: ['docs.spec.ts', 'inspector.spec.ts', 'console.spec.ts'],
      snapshotPathTemplate: '{testDir}/../../docs/images/{arg}{ext}',
    },
  ],
  workers: 2,
  reporter: 'list',
  expect: { toHaveScreenshot: { maxDiffPixelRatio: 0.002, animations: 'disabled' } },
  use: {
    browserName: 'chromium',
    deviceScaleFactor: 1,
    launchOptions: {
      ...(browser && browser.how !== 'playwright' ? { executablePath: browser.path } : {}),
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    },
  },
});
