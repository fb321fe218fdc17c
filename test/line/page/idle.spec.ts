// A thank-you page stays open for hours. Once its offers were seen and reported, the widget waits for the shopper only.
import { test, type Page } from '@playwright/test';
import { offersOf, useFixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';
import { poll } from '../drivers/poll.ts';

declare global {
  interface Window {
    /** What the page's code did since the last reset, and the timers that are still to come. */
    work: { done: string[]; pending: Map<unknown, string> };
  }
}

const fixture = useFixture();

// Each mode has its own browser profile: in one, what a tab does would be work for the others.
test('once the offers of any mode were seen, no timer is left, nothing is observed and no storage is used', async ({
  browser,
}) => {
  fixture.reply = () => offersOf(3);
  const modes = ['INLINE', 'OVERLAY', 'PULLUP'];
  const pages = await Promise.all(
    modes.map(async (mode) => {
      const page = await (await browser.newContext()).newPage();
      await page.clock.install();
      await page.addInitScript(record);
      await page.goto(fixture.page(`/idle-${mode}`, shop(scriptTag({ 'display-mode': mode }))));
      return page;
    }),
  );
  // Each of them has reported its view.
  await poll(
    () => new Set(fixture.events.flatMap((event) => (event.event_name === 'BRAND_VIEW' ? [event.session_id] : []))),
  ).toHaveProperty('size', modes.length);
  await Promise.all(pages.map((page, at) => expectIdle(page, modes[at])));
  await Promise.all(pages.map((page) => page.context().close()));
});

async function expectIdle(page: Page, mode = ''): Promise<void> {
  const work = async (): Promise<string[]> => {
    await page.evaluate(() => (window.work.done.length = 0));
    await page.clock.runFor('30:00');
    return page.evaluate(() => [...window.work.done, ...window.work.pending.values()]);
  };
  await poll(work, { message: mode }).toEqual([]);

  if (mode === 'PULLUP') await page.locator('.handle').click();
  await page.locator('[part~=decline]').first().click();
  await poll(() => page.evaluate(() => window.work.done.join()), { message: mode }).toContain('IndexedDB');
}

/** Records timers, observers and storage. Runs in the page, before its scripts. */
function record(): void {
  const done: string[] = [];
  const pending = new Map<unknown, string>();
  window.work = { done, pending };
  for (const [start, stop] of [
    ['setTimeout', 'clearTimeout'],
    ['setInterval', 'clearInterval'],
    ['requestAnimationFrame', 'cancelAnimationFrame'],
    ['requestIdleCallback', 'cancelIdleCallback'],
  ] as const) {
    const begin = window[start] as (work: (at: unknown) => void, ...more: unknown[]) => number;
    const end = window[stop] as (id: number) => void;
    Object.assign(window, {
      [start](work: (at: unknown) => void, ...more: unknown[]): number {
        const id = begin(
          (at) => {
            done.push(start);
            if (start !== 'setInterval') pending.delete(id);
            work(at);
          },
          ...more,
        );
        pending.set(id, `${start} ${String(more[0])}`);
        return id;
      },
      [stop](id: number): void {
        pending.delete(id);
        end(id);
      },
    });
  }
  for (const name of ['IntersectionObserver', 'ResizeObserver', 'MutationObserver'] as const) {
    const Original = window[name] as unknown as new (work: (...given: unknown[]) => void, options?: unknown) => object;
    Object.assign(window, {
      [name]: class extends Original {
        constructor(work: (...given: unknown[]) => void, options?: unknown) {
          super((...given) => {
            done.push(name);
            work(...given);
          }, options);
        }
      },
    });
  }
  for (const method of ['getItem', 'setItem', 'removeItem'] as const) {
    const original = Reflect.get(Storage.prototype, method) as (...given: string[]) => unknown;
    Object.assign(Storage.prototype, {
      [method](...given: string[]): unknown {
        done.push(`Storage.${method}`);
        return original.apply(this, given);
      },
    });
  }
  const transaction = Reflect.get(IDBDatabase.prototype, 'transaction') as (...given: unknown[]) => unknown;
  Object.assign(IDBDatabase.prototype, {
    transaction(...given: unknown[]): unknown {
      done.push('IndexedDB');
      return transaction.apply(this, given);
    },
  });
}
