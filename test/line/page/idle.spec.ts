// A thank-you page stays open for hours. Once its offers were seen and reported, the widget waits for the shopper only.
import { expect, test } from '@playwright/test';
import { offersOf, startFixture, type Fixture } from './pageFixture.ts';
import { scriptTag, shop } from './pageShop.ts';

declare global {
  interface Window {
    /** What the page's code did since the last reset, and the timers that are still to come. */
    work: { done: string[]; pending: Map<unknown, string> };
  }
}

let fixture: Fixture;
test.beforeAll(async () => {
  fixture = await startFixture();
});
test.beforeEach(() => fixture.reset());
test.afterAll(() => fixture.close());

for (const mode of ['INLINE', 'OVERLAY', 'PULLUP']) {
  test(`${mode}: once the offers were seen, no timer is left, nothing is observed and no storage is used`, async ({
    page,
  }) => {
    fixture.reply = () => offersOf(3);
    await page.addInitScript(record);
    await page.goto(fixture.page('/idle', shop(scriptTag({ 'display-mode': mode }))));
    await expect.poll(fixture.names).toContain('BRAND_VIEW');
    // Without timers, a few seconds say as much as an hour.
    await expect.poll(() => page.evaluate(() => [...window.work.pending.values()]), { timeout: 15_000 }).toEqual([]);
    await page.waitForTimeout(500);
    await page.evaluate(() => (window.work.done.length = 0));
    await page.waitForTimeout(3_000);
    expect(await page.evaluate(() => [...window.work.done, ...window.work.pending.values()])).toEqual([]);

    await page.locator('[part~=decline]').first().click();
    await expect.poll(() => page.evaluate(() => window.work.done.join())).toContain('IndexedDB');
  });
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
