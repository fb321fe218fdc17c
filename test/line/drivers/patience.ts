import type { BrowserContext, Page } from '@playwright/test';
import { RELAY_TIMEOUT_MS } from '../../../src/wire/limits.ts';

/**
 * Pages opened from now on wait for their relay without end, so that a busy machine does not decide whether there are offers.
 * The limit itself is tested where the clock is the test's own.
 */
export async function waitForRelay(pages: Page | BrowserContext): Promise<void> {
  await pages.addInitScript((half) => {
    const { setTimeout } = window;
    const patient = (run: TimerHandler, ms?: number, ...values: unknown[]): number =>
      ms === half ? 0 : setTimeout(run, ms, ...values);
    Object.assign(window, { setTimeout: patient });
  }, RELAY_TIMEOUT_MS / 2);
}
