import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { watchSeen } from '../../../src/page/watchSeen.ts';
import { bundle } from '../drivers/bundle.ts';
import { SCENES } from './seenScenes.ts';

/** What no browser reports, such as a change of opacity, is noticed by the next sample. */
const SAMPLE_MS = 50;
let code = '';

test.use({ viewport: { width: 1_000, height: 800 } });
test.beforeAll(async () => {
  code = await bundle(fileURLToPath(new URL('../../../src/page/watchSeen.ts', import.meta.url)), 'iife', 'seen');
});

for (const { name, html, steps = [], display, view, lasts } of SCENES) {
  const verdict = `displayed ${display === 'never' ? 'never' : `at ${display}`}, viewed ${view === 'never' ? 'never' : `at ${view}`}`;
  test(`${name}: ${verdict}`, async ({ page }) => {
    await page.goto('about:blank');
    await page.setContent(
      `<!doctype html><style>body{margin:0}</style>${html ?? '<div id="it" style="width:300px;height:250px"></div>'}`,
    );
    await page.addScriptTag({ content: `${code}; window.seen = seen;` });
    const long = lasts ?? (view === 'never' ? Math.max(1_400, ...steps.map(([at]) => at + 1_300)) : view + 250);
    const seen = await page.evaluate(play, { steps, long });
    expectAt(seen.display, display);
    expectAt(seen.view, view);
  });
}

function expectAt(seen: number | null, expected: number | 'never'): void {
  if (expected === 'never') return expect(seen).toBeNull();
  expect(seen).toBeGreaterThanOrEqual(expected);
  expect(seen).toBeLessThanOrEqual(expected + SAMPLE_MS);
}

interface Page {
  seen: { watchSeen: typeof watchSeen };
  block(ms: number): void;
  setVisibility(state: string): void;
}

/**
 * Runs in the page: does each step at its time, and returns when the element was displayed and viewed. The page's clock is
 * turned: it goes on when the browser has reported what the last step changed, however long that took.
 */
async function play({ steps, long }: { steps: readonly (readonly [number, string])[]; long: number }) {
  const page = window as unknown as Page & Window;
  const it = document.querySelector('#it') ?? document.querySelector('#host')?.shadowRoot?.querySelector('#it') ?? null;
  const result: { display: number | null; view: number | null } = { display: null, view: null };
  let now = 0;
  let ids = 0;
  const due = new Map<number, { at: number; run: () => void }>();
  const later = (run: () => void, ms = 0): number => {
    due.set(++ids, { at: now + ms, run });
    return ids;
  };
  const nextTask = window.setTimeout.bind(window);
  performance.now = () => now;
  Object.assign(window, { setTimeout: later, clearTimeout: (id: number) => due.delete(id) });
  const Observer = IntersectionObserver;
  window.IntersectionObserver = class extends Observer {
    constructor(report: IntersectionObserverCallback, options?: IntersectionObserverInit) {
      super((entries, own) => {
        const copied = entries.map(({ target, isIntersecting, boundingClientRect, intersectionRect, rootBounds }) => {
          return { target, isIntersecting, boundingClientRect, intersectionRect, rootBounds, time: now };
        });
        report(copied as unknown as IntersectionObserverEntry[], own);
      }, options);
    }
  };
  // All observers report in one task, in any order: with this one, that of the watcher. Then comes the next task.
  const reported = (): Promise<void> =>
    new Promise((resolve) => {
      const another = new Observer(() => {
        another.disconnect();
        nextTask(resolve);
      });
      another.observe(document.documentElement);
    });

  const watcher = page.seen.watchSeen();
  const onSeen = (what: 'display' | 'view'): void => void (result[what] = now);
  page.block = (ms) => (now += ms);
  page.setVisibility = (state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  for (const [at, code] of steps) {
    // oxlint-disable-next-line no-eval -- the scene's own step
    const act = (): void => void (0, eval)(code);
    if (at === 0) act();
    else later(act, at);
  }
  watcher.watch('it', it, onSeen);
  for (;;) {
    await reported();
    const [next] = [...due].toSorted(([, a], [, b]) => a.at - b.at);
    if (!next || next[1].at > long) break;
    due.delete(next[0]);
    now = Math.max(now, next[1].at);
    next[1].run();
  }
  watcher.close();
  return result;
}
