import { defineConfig } from '@playwright/test';
import { find, findLightest } from './browsers.mjs';

export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How to drive a browser that may be Playwright's own or the system's. */
function use(kind: 'chromium' | 'firefox' | 'webkit', browser = kind === 'chromium' ? findLightest() : find(kind)) {
  const own = browser?.how === 'playwright';
  return {
    browserName: kind,
    // A stock Firefox speaks only WebDriver BiDi: Playwright drives it through this channel.
    ...(!own && kind === 'firefox' ? { channel: 'moz-firefox' } : {}),
    launchOptions: {
      ...(browser && !own && kind !== 'webkit' ? { executablePath: browser.path } : {}),
      ...(kind === 'chromium' ? { args: CHROMIUM_FLAGS } : {}),
    },
  } as const;
}

/** Chromium with its windows, for `test.use`: the headless shell loses tabs that open in the background. */
export const WHOLE_CHROMIUM = {
  ...use('chromium', find('chromium')),
  ...(find('chromium')?.how === 'playwright' ? { channel: 'chromium' } : {}),
};

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  workers: 4, // on two cores: most specs wait more than they compute; three took 539 s where four took 493
  fullyParallel: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  projects: [
    {
      name: 'chromium',
      use: use('chromium'),
      testMatch: ['line/**/*.spec.ts', 'trust/**/*.spec.ts'],
      testIgnore: ['**/*.chaos.spec.ts'],
    },
    // Specs that drive every engine through test/line/drivers are named *.engines.spec.ts.
    { name: 'firefox', use: use('firefox'), testMatch: '**/*.engines.spec.ts', workers: 2 },
    { name: 'webkit', use: use('webkit'), testMatch: '**/*.engines.spec.ts', workers: 1 },
    { name: 'chaos', use: use('chromium'), testMatch: '**/*.chaos.spec.ts', timeout: 120_000, workers: 2 },
    // The projects of examples/, installed and built with the packed tarball.
    { name: 'examples', use: use('chromium'), testMatch: 'examples/**/*.spec.ts', timeout: 120_000 },
  ],
});
