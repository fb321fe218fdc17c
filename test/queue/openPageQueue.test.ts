import { expect, it, vi } from 'vitest';
import { openPageQueue } from '../../src/queue/openPageQueue.ts';
import { openQueue } from '../../src/queue/openQueue.ts';
import { freshStorage } from './world.ts';

it("a page's queue leaves the storage alone until its offers are usually painted, unlike a queue by itself", async () => {
  freshStorage();
  const opened = vi.spyOn(indexedDB, 'open');
  const options = { endpoint: '/events/batch', send: async () => ({ status: 201 }) };
  const isUsedSoon = async (): Promise<boolean> => {
    opened.mockClear();
    // Timers run in the order of their times, however late they are.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return opened.mock.calls.length > 0;
  };

  const page = openPageQueue(options);
  expect(await isUsedSoon()).toBe(false);
  await page.close();
  const alone = openQueue(options);
  expect(await isUsedSoon()).toBe(true);
  await alone.close();
});
