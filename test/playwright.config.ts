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
  // What is painted over what was there differs at round corners by the order of both: pictures are compared pixel by pixel.
  '--disable-partial-raster',
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

/**
 * Tests that install from a registry, start the doctor, look at everything at every size, show in every engine what others
 * show in Chromium, or use a whole part whose functions have tests of their own: `npm run test:all`, or a file by its name.
 */
const LONG = [
  'line/{console,demo,doctor,testing}/*.spec.ts',
  'line/docs/{playground,quickStart}.spec.ts',
  'line/inspector/{docking,inspector,inspector.engines}.spec.ts',
  'line/page/{leaks,order}.spec.ts',
  'line/seen/tabs.spec.ts',
  'line/widget/{guest,looks,room}.spec.ts',
];
/** Pictures are drawn by the whole browser: one engine on one platform, as fonts differ elsewhere. */
const PICTURES = {
  use: {
    ...use('chromium', find('chromium')),
    deviceScaleFactor: 1,
    launchOptions: {
      ...use('chromium', find('chromium')).launchOptions,
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    },
  },
  workers: 2,
};

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  workers: 4, // on two cores: most specs wait more than they compute; three took 539 s where four took 493
  fullyParallel: true,
  // Both only end what hangs, and measure nothing: a busy machine takes ten times as long. A test that is about a time turns or
  // reads its own clock, and none sets a shorter one: it would fail first, and for no fault.
  timeout: 300_000,
  expect: { timeout: 60_000, toHaveScreenshot: { maxDiffPixelRatio: 0.002, animations: 'disabled' } },
  forbidOnly: Boolean(process.env.CI),
  reporter: 'list',
  projects: [
    {
      name: 'chromium',
      use: use('chromium'),
      testMatch: ['line/**/*.spec.ts', 'trust/**/*.spec.ts'],
      testIgnore: ['**/*.chaos.spec.ts', ...LONG],
    },
    { name: 'long', use: use('chromium'), testMatch: LONG },
    // `npm run pictures` compares; `npm run pictures -- --update-snapshots` takes them anew. Those that the documentation shows
    // are stored with it.
    {
      ...PICTURES,
      name: 'pictures',
      testMatch: 'pictures/pictures.spec.ts',
      snapshotPathTemplate: '{testDir}/pictures/widget/{arg}{ext}',
    },
    {
      ...PICTURES,
      name: 'shown',
      use: { ...PICTURES.use, deviceScaleFactor: 2 },
      expect: {
        timeout: 60_000,
        toHaveScreenshot: { maxDiffPixelRatio: 0.002, animations: 'disabled', scale: 'device' },
      },
      testMatch: ['pictures/{inspector,console}.spec.ts'],
      snapshotPathTemplate: '{testDir}/../docs/images/{arg}{ext}',
    },
    // Specs that drive every engine through test/line/drivers are named *.engines.spec.ts.
    { name: 'firefox', use: use('firefox'), testMatch: '**/*.engines.spec.ts', workers: 2 },
    { name: 'webkit', use: use('webkit'), testMatch: '**/*.engines.spec.ts', workers: 1 },
    { name: 'chaos', use: use('chromium'), testMatch: '**/*.chaos.spec.ts', workers: 2 },
    // The projects of examples/, installed and built with the packed tarball.
    { name: 'examples', use: use('chromium'), testMatch: 'examples/**/*.spec.ts' },
  ],
});
