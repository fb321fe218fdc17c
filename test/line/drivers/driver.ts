// One small driver for every engine: Playwright where it can drive the browser, WebDriver for the system's WebKit.
import { test as base, type Browser, type BrowserContext } from '@playwright/test';
import { find } from '../../browsers.mjs';
import { WebKit } from './webkit.ts';

/** One page of one engine. A function that `eval` runs in the page may only use its argument. */
export interface Driver {
  goto(url: string): Promise<void>;
  back(): Promise<void>;
  eval<A, T>(work: (argument: A) => T | Promise<T>, argument?: A): Promise<T>;
  /** `host >>> inner` enters an open shadow root. */
  click(selector: string): Promise<void>;
  key(key: string): Promise<void>;
}

/** A running browser; each `open` is a page of a fresh profile. */
export interface Engine {
  open(): Promise<Driver>;
  close(): Promise<void>;
  stop(): Promise<void>;
}

async function webDriver(path: string): Promise<Engine> {
  const webkit = new WebKit(path);
  await webkit.start();
  return {
    async open() {
      await webkit.open();
      return webkit as unknown as Driver;
    },
    close: () => webkit.close(),
    stop: () => webkit.stop(),
  };
}

function playwright(browser: Browser): Engine {
  let context: BrowserContext | undefined;
  return {
    async open() {
      context = await browser.newContext();
      const page = await context.newPage();
      return {
        goto: async (url) => void (await page.goto(url)),
        // Firefox hangs in goBack() after a restore from the back/forward cache.
        back: () => page.evaluate(() => void setTimeout(() => history.back(), 0)),
        eval: (work, argument) => {
          const run = (): Promise<never> => page.evaluate(work as never, argument as never);
          return run().catch((error: unknown) =>
            String(error).includes('context was destroyed') ? run() : Promise.reject(error),
          );
        },
        click: (selector) => page.locator(selector.replaceAll(' >>> ', ' ')).click(),
        key: (key) => page.keyboard.press(key),
      };
    },
    close: async () => context?.close(),
    stop: () => browser.close(),
  };
}

/** Playwright's `test` with a `driver` that works in all three engines. */
export const test = base.extend<{ driver: Driver }, { engine: Engine }>({
  engine: [
    async ({ playwright: pw, browserName, launchOptions, channel, headless }, use) => {
      const found = find(browserName);
      const engine =
        browserName === 'webkit' && found?.how !== 'playwright'
          ? await webDriver(found?.path ?? 'WebKitWebDriver')
          : playwright(await pw[browserName].launch({ headless, ...(channel && { channel }), ...launchOptions }));
      await use(engine);
      await engine.stop();
    },
    { scope: 'worker' },
  ],
  driver: async ({ engine }, use) => {
    await use(await engine.open());
    await engine.close();
  },
});
export { expect } from '@playwright/test';
