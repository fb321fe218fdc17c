import { test, type Page } from '@playwright/test';

/** The pages of each test of this file have clocks that `letPass` can turn. Until then they go as fast as any other. */
export const useClock = (): void => test.beforeEach(({ context }) => context.clock.install());

/**
 * Turns the clocks of a page and of the other tabs of its context, so that what they would do within so many ms is done now:
 * for what must not happen. What a timer begins in storage or on the network has its end before the next one is due.
 */
export async function letPass(page: Page, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await page.clock.runFor(Math.min(left, 100));
    await Promise.all(page.context().pages().map(settle));
  }
}

/** Resolves once the page has read from its database and its server, both of which answer in order. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => Promise.allSettled([indexedDB.databases(), fetch(location.href)]));
}

/** Resolves once the browser has painted some frames, which nobody turns, and has reported what moved in them. */
export async function paint(page: Page): Promise<void> {
  await page.evaluate(() => document.body.animate([], 100).finished.then(() => undefined));
}

/** Waits for what no test can turn: engines that prerender, keep or throttle a page by a clock of their own. */
export const inRealTime = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
