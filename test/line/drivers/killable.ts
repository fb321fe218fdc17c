// A Chromium on a profile that outlives it, which a test may kill at any moment.
import { chromium, type Browser, type BrowserContext } from '@playwright/test';
import { spawnChromium } from './spawnChromium.ts';

/** A browser that can be killed with SIGKILL to all of its processes. */
export interface Killable {
  browser: Browser;
  context: BrowserContext;
  kill(): Promise<void>;
}

/** Starts Chromium on the profile directory. */
export async function startKillable(profile: string): Promise<Killable> {
  const { address, kill } = await spawnChromium(profile);
  const browser = await chromium.connectOverCDP(address);
  const [context] = browser.contexts();
  if (!context) throw new Error('Chromium has no window');
  return {
    browser,
    context,
    async kill() {
      await kill();
      await browser.close().catch(() => undefined);
    },
  };
}
