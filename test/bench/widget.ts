// npm run bench -- widget [rounds]: what showing offers costs the page, beside two published packages that show a card like it.
import { chromium, type CDPSession, type Page } from '@playwright/test';
import { find } from '../browsers.mjs';
import { FOOTER, placed } from '../widget/offers.ts';
import { BARE, bundleCandidates, type Candidate } from './widget/candidates.ts';

const COUNTS = ['LayoutCount', 'RecalcStyleCount', 'Nodes', 'JSEventListeners', 'JSHeapUsedSize'] as const;
const SHOP = 'https://shop.test/';
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96"/></svg>';

interface Figures extends Record<(typeof COUNTS)[number], number> {
  /** Milliseconds from the last byte of the answer to the frame that shows it. */
  paint: number;
  /** Milliseconds of the longest task on the main thread. */
  longest: number;
}

/** Shows offers, ours and the peers', on a processor slowed down fourfold, and prints what it cost. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
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
      const figures = await measure(page, candidate);
      const longest = longestTask(String(await browser.stopTracing()));
      found.set(candidate.name, [...(found.get(candidate.name) ?? []), { ...figures, longest }]);
      await page.close();
    }
  }
  await browser.close();
  print(found, rounds);
}

async function measure(page: Page, candidate: Candidate): Promise<Omit<Figures, 'longest'>> {
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
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const before = await counts(cdp);
  const paint = await page.evaluate(show);
  const after = await counts(cdp);
  const cost = Object.fromEntries(COUNTS.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  return { ...(cost as Record<(typeof COUNTS)[number], number>), paint };
}

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
  readonly dur?: number;
  /** Time on the processor. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly data?: { readonly url?: string } };
}

/** Returns the milliseconds of the longest task on the main thread of the page since the script came. */
function longestTask(trace: string): number {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const start = traceEvents.find(
    ({ name, args }) => name === 'EvaluateScript' && args?.data?.url?.endsWith('/script.js'),
  );
  const end = traceEvents.find(({ name }) => name === 'measured')?.ts;
  if (!start || !end) throw new Error('the trace lacks the script');
  const tasks = traceEvents.filter(
    ({ name, pid, tid, ts, dur = 0 }) =>
      name === 'RunTask' && pid === start.pid && tid === start.tid && ts + dur >= start.ts && ts + dur <= end,
  );
  // Time on the processor: what else the machine does meanwhile doesn't count.
  return Math.max(...tasks.map(({ dur = 0, tdur = dur }) => tdur)) / 1_000;
}

/** Loads the script into the page, waits for the offers and a second more. Resolves to the paint's milliseconds. */
async function show(): Promise<number> {
  const shown = new Promise<number>((resolve, reject) => {
    setTimeout(() => reject(new Error('nothing was shown within 20 s')), 20_000);
    const painted = (): void => void requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    Object.assign(window, { shown: painted });
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

function print(found: Map<string, Figures[]>, rounds: number): void {
  const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);
  const median = (values: number[]): number => sorted(values)[values.length >> 1] ?? 0;
  const row = (cells: (string | number)[]): string =>
    cells.map((cell, index) => String(cell)[index ? 'padStart' : 'padEnd'](index ? 11 : 24)).join('');
  const of = (name: string, key: keyof Figures): number =>
    median((found.get(name) ?? []).map((figures) => figures[key]));
  const ratio = (name: string, key: keyof Figures): string => `× ${(of(name, key) / of(BARE, key)).toFixed(1)}`;
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
        Math.round(of(name, 'JSHeapUsedSize') / 1024),
        Math.round(of(name, 'paint')),
        `${paints[0]}–${paints.at(-1)}`,
        ratio(name, 'paint'),
        Math.round(of(name, 'longest')),
        ratio(name, 'longest'),
      ]),
    );
  }
  lines.push(
    `Medians of ${rounds} interleaved rounds at 4 × CPU throttle, from the script's load to a second after the paint. "longest": milliseconds of the longest task.`,
    'Compare the counts and the ratios to the bare Preact card: times vary fourfold between machines.',
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
