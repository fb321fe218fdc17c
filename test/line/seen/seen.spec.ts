import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { watchSeen } from '../../../src/page/watchSeen.ts';
import { bundle } from '../drivers/bundle.ts';
import { SCENES } from './seenScenes.ts';

/** Beyond what the browser itself was late: its longest gap between two frames, measured in the same scene. */
const TOLERANCE_MS = 100;
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
    const seen = await page.evaluate(play, { steps, long, isViewed: view !== 'never' });
    // What counts is when a step really happened: a timer may be late.
    const late = (at: number): number => seen.steps.find(([planned]) => planned === at)?.[1] ?? 0;
    const lastStep = Math.max(
      0,
      ...seen.steps.filter(([planned]) => view !== 'never' && planned <= view - 1_000).map(([, delay]) => delay),
    );
    // The scene makes this gap itself, not the browser. It may come late.
    const blocks = steps.flatMap(([at, code]) =>
      code.startsWith('block') ? [{ at, ms: Number(/\d+/.exec(code)) }] : [],
    );
    const blocked = blocks.reduce((sum, { at, ms }) => sum + ms - late(at), 0);
    const tolerance = TOLERANCE_MS + Math.max(0, seen.stall - blocked);
    expectAt(seen.display, display, display === 'never' ? 0 : late(display), tolerance);
    expectAt(seen.view, view, lastStep, tolerance);
  });
}

function expectAt(seen: number | null, expected: number | 'never', delay: number, tolerance: number): void {
  if (expected === 'never') return expect(seen).toBeNull();
  expect(seen).not.toBeNull();
  expect(Math.abs((seen ?? 0) - expected - delay), `it was at ${seen}`).toBeLessThanOrEqual(tolerance);
}

interface Page {
  seen: { watchSeen: typeof watchSeen };
  again(): void;
  block(ms: number): void;
  setVisibility(state: string): void;
}

/** Runs in the page: does each step at its time, and returns when the element was displayed and viewed. */
async function play({
  steps,
  long,
  isViewed,
}: {
  steps: readonly (readonly [number, string])[];
  long: number;
  isViewed: boolean;
}) {
  const page = window as unknown as Page & Window;
  const it = document.querySelector('#it') ?? document.querySelector('#host')?.shadowRoot?.querySelector('#it') ?? null;
  const result: {
    display: number | null;
    view: number | null;
    stall: number;
    steps: [planned: number, delay: number][];
  } = {
    display: null,
    view: null,
    stall: 0,
    steps: [],
  };
  const watcher = page.seen.watchSeen();
  const onSeen = (what: 'display' | 'view'): void => void (result[what] = performance.now() - start);

  page.again = () => {
    watcher.watch('it', null, onSeen);
    watcher.watch('it', it, onSeen);
  };
  page.block = (ms) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  page.setVisibility = (state) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
    document.dispatchEvent(new Event('visibilitychange'));
  };

  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50)));
  const start = performance.now();
  let frame = start;
  const beat = (): void => {
    result.stall = Math.max(result.stall, performance.now() - frame - 20);
    frame = performance.now();
    if (frame < start + long) requestAnimationFrame(beat);
  };
  requestAnimationFrame(beat);
  for (const [at, code] of steps) {
    const act = (): void => {
      result.steps.push([at, performance.now() - start - at]);
      // oxlint-disable-next-line no-eval -- the scene's own step
      (0, eval)(code);
    };
    if (at === 0) act();
    else setTimeout(act, at);
  }
  watcher.watch('it', it, onSeen);
  await new Promise((resolve) => setTimeout(resolve, long));
  // A step that came late moves what follows it.
  const end = isViewed ? start + long + 5_000 : 0;
  while (result.view === null && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  watcher.close();
  return result;
}
