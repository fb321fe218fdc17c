// npm run bench -- widget [rounds [slowdown]]: what showing offers costs the page, beside two published packages that show a card like it.
import { chromium, type CDPSession, type Page } from '@playwright/test';
import { find } from '../browsers.mjs';
import { FOOTER, placed } from '../widget/offers.ts';
import { BARE, bundleCandidates, type Candidate } from './widget/candidates.ts';
import { readTrace, SHARES, type TraceFigures } from './widget/readTrace.ts';

const COUNTS = ['LayoutCount', 'RecalcStyleCount', 'Nodes', 'JSEventListeners', 'JSHeapUsedSize'] as const;
const SHOP = 'https://shop.test/';
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96"/></svg>';

interface PageFigures extends Record<(typeof COUNTS)[number], number> {
  /** Milliseconds from the last byte of the response to the frame that shows it. */
  paint: number;
  /** Bytes of heap that are left after `destroy()`, and how many more after another show and `destroy()`. */
  destroyed: number;
  again: number;
}

type Figures = PageFigures & TraceFigures;
type NumberKey = Exclude<keyof Figures, 'shares'>;

/** Shows offers, ours and the peers', on a processor that is slowed down, by default fourfold, and prints what it cost. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const slowdown = Number(args[1] ?? 4);
  const candidates = await bundleCandidates();
  const path = find('chromium')?.path;
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const found = new Map<string, Figures[]>();
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) {
      const page = await browser.newPage();
      await browser.startTracing(page, {
        categories: ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'blink.user_timing'],
      });
      const figures = await measure(page, { ...candidate, slowdown });
      const traced = readTrace(String(await browser.stopTracing()));
      const heap = await measureDestroyed(page, figures.before);
      found.set(candidate.name, [...(found.get(candidate.name) ?? []), { ...figures, ...traced, ...heap }]);
      await page.close();
    }
  }
  await browser.close();
  print(found, { rounds, slowdown });
}

async function measure(
  page: Page,
  candidate: Candidate & { slowdown: number },
): Promise<Omit<PageFigures, 'destroyed' | 'again'> & { before: number }> {
  await page.route(/^https:/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/script.js') return route.fulfill({ body: candidate.script, contentType: 'text/javascript' });
    if (pathname === '/offers/recommendations')
      return route.fulfill({ body: JSON.stringify(answer(candidate)), contentType: 'application/json' });
    if (pathname === '/offers/events/batch') return route.fulfill({ status: 503 });
    if (pathname !== '/') return route.fulfill({ body: PICTURE, contentType: 'image/svg+xml' });
    return route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><html lang="en"><title>Thank you</title><h1>Thank you</h1><div id="offers"></div>',
    });
  });
  await page.goto(SHOP);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: candidate.slowdown });
  const before = await counts(cdp);
  const paint = await page.evaluate(show);
  const after = await counts(cdp);
  const cost = Object.fromEntries(COUNTS.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  // Goes on to the next offer, closes the only one, or takes one out of the list. A locator would leave its own code on the heap.
  const spot = await page.evaluate(() => {
    const hosts = [...document.querySelectorAll('offer-let-layer, #offers > div')];
    const box = hosts
      .map(({ shadowRoot }) => shadowRoot?.querySelector('[part=decline]')?.getBoundingClientRect())
      .find(Boolean);
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  if (spot) await page.mouse.click(spot.x, spot.y);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  return { ...(cost as Record<(typeof COUNTS)[number], number>), paint, before: before.JSHeapUsedSize ?? 0 };
}

/** Destroys the mount, shows the offers again and destroys them again. */
async function measureDestroyed(page: Page, before: number): Promise<Pick<PageFigures, 'destroyed' | 'again'>> {
  const cdp = await page.context().newCDPSession(page);
  const destroy = async (): Promise<number> => {
    await page.evaluate(async () => {
      (window as { mounted?: { destroy(): void } }).mounted?.destroy();
      delete (window as { mounted?: unknown }).mounted;
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    return (await counts(cdp)).JSHeapUsedSize ?? 0;
  };
  await cdp.send('Performance.enable');
  const first = await destroy();
  await page.evaluate(async () => {
    const { showAgain } = window as { showAgain?: () => Promise<unknown> };
    await showAgain?.();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  });
  return { destroyed: first - before, again: (await destroy()) - first };
}

/** Loads the script into the page, waits for the offers and a second more. Resolves to the paint's milliseconds. */
async function show(): Promise<number> {
  const shown = new Promise<number>((resolve, reject) => {
    setTimeout(() => reject(new Error('nothing was shown within 20 s')), 20_000);
    const painted = (): void =>
      void setTimeout(() => {
        performance.mark('painted');
        resolve(performance.now());
      });
    Object.assign(window, { painted, shown: () => void requestAnimationFrame(painted) });
  });
  document.head.append(Object.assign(document.createElement('script'), { src: '/script.js' }));
  const at = await shown;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const [asked] = performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('/recommendations')) as PerformanceResourceTiming[];
  performance.mark('measured');
  return at - (asked?.responseEnd ?? 0);
}

function answer({ offers, slot }: Candidate): unknown {
  const all = Array.from({ length: offers }, (_, number) => placed(number));
  const items = all.map(({ insertion_id, offer_id, advertiser_id }, insertion_order) => ({
    insertion_order,
    insertion_id,
    offer_id,
    advertiser_id,
  }));
  return {
    session_id: crypto.randomUUID(),
    recommendations: Object.fromEntries(
      all.map(({ offer_id, advertiser, offer }) => [offer_id, { advertiser, offer }]),
    ),
    recommendation_groups: [{ id: 'group_0', slot_context: slot, items }],
    footer: { privacy_policy: FOOTER.privacy_policy },
  };
}

async function counts(cdp: CDPSession): Promise<Record<string, number>> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

function print(found: Map<string, Figures[]>, { rounds, slowdown }: { rounds: number; slowdown: number }): void {
  const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);
  const median = (values: number[]): number => sorted(values)[values.length >> 1] ?? 0;
  const row = (cells: (string | number)[]): string =>
    cells.map((cell, index) => String(cell)[index ? 'padStart' : 'padEnd'](index ? 11 : 24)).join('');
  const of = (name: string, key: NumberKey): number => median((found.get(name) ?? []).map((figures) => figures[key]));
  const ratio = (name: string, key: NumberKey): string => `× ${(of(name, key) / of(BARE, key)).toFixed(1)}`;
  const kilobytes = (bytes: number): number => Math.round(bytes / 1024);
  const lines = [
    row([
      '',
      'layouts',
      'recalcs',
      'nodes',
      'listeners',
      'heap KB',
      'paint ms',
      'min–max',
      '× bare',
      'longest',
      '× bare',
      'click ms',
      'its script',
      'to frame',
      'destroyed',
      'again',
    ]),
  ];
  for (const [name, figures] of found) {
    const paints = sorted(figures.map(({ paint }) => Math.round(paint)));
    lines.push(
      row([
        name,
        of(name, 'LayoutCount'),
        of(name, 'RecalcStyleCount'),
        of(name, 'Nodes'),
        of(name, 'JSEventListeners'),
        kilobytes(of(name, 'JSHeapUsedSize')),
        Math.round(of(name, 'paint')),
        `${paints[0]}–${paints.at(-1)}`,
        ratio(name, 'paint'),
        Math.round(of(name, 'longest')),
        ratio(name, 'longest'),
        of(name, 'click').toFixed(1),
        of(name, 'clickScript').toFixed(1),
        of(name, 'clickPaint').toFixed(1),
        kilobytes(of(name, 'destroyed')),
        kilobytes(of(name, 'again')),
      ]),
    );
  }
  lines.push(
    `Medians of ${rounds} interleaved rounds at ${slowdown} × CPU throttle, from the script's load to a second after the paint. "longest": milliseconds of the longest task.`,
    '"click": milliseconds of our listeners when the shopper declines the first offer, with the styles and layouts that they need at once; "to frame": with all work of the main thread until the next frame. "destroyed": KB of heap left after destroy(); "again": how many more after another show and destroy().',
    'Compare the counts and the ratios to the bare Preact card: times vary fourfold between machines.',
    '',
    row(['ms on the processor', ...SHARES, 'sum']),
  );
  for (const [name, figures] of found) {
    const shares = SHARES.map((share) => median(figures.map(({ shares }) => shares[share])));
    const sum = shares.reduce((all, share) => all + share, 0);
    lines.push(row([name, ...[...shares, sum].map((share) => share.toFixed(1))]));
  }
  lines.push(
    'Of the main thread, from the start of the script to the paint. "start": the script is compiled and runs once. "script": what it calls later. "layout" includes the styles inside containers.',
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
