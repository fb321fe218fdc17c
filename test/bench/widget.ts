import { fileURLToPath } from 'node:url';
import { chromium, type CDPSession, type Page } from '@playwright/test';
import { find } from '../browsers.mjs';
import { bundle } from '../line/bundle.ts';
import { FOOTER, hero, placed } from '../widget/offers.ts';

const COUNTS = ['LayoutCount', 'RecalcStyleCount', 'Nodes', 'JSEventListeners', 'JSHeapUsedSize'] as const;
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Figures extends Record<(typeof COUNTS)[number], number> {
  paint: number;
  /** Milliseconds of our own script: one task. */
  longest: number;
}

/** Shows one card, ours and the peers', on a processor slowed down fourfold, and prints what it cost. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const candidates = {
    'offerlet, OVERLAY': {
      code: await bundle(source('../line/widgetEntry.ts'), 'iife', 'widget'),
      show: showOurs,
      mode: 'OVERLAY',
    },
    'offerlet, INLINE': {
      code: await bundle(source('../line/widgetEntry.ts'), 'iife', 'widget'),
      show: showOurs,
      mode: 'INLINE',
    },
    'react-dom, same card': {
      code: await bundle(source('peers/reactCard.ts'), 'iife', 'widget'),
      show: showPeer,
      mode: '',
    },
    'preact, same card': {
      code: await bundle(source('peers/preactCard.ts'), 'iife', 'widget'),
      show: showPeer,
      mode: '',
    },
  };
  const path = find('chromium')?.path;
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const found = new Map<string, Figures[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, { code, show, mode }] of Object.entries(candidates)) {
      const page = await browser.newPage();
      found.set(name, [...(found.get(name) ?? []), await measure(page, code, () => show(page, mode))]);
      await page.close();
    }
  }
  await browser.close();
  print(found, rounds);
}

async function measure(page: Page, code: string, show: () => Promise<[number, number]>): Promise<Figures> {
  await page.setContent('<!doctype html><title>Thank you</title><h1>Thank you</h1><div id="offers"></div>');
  await page.addScriptTag({ content: `${code};window.widget=widget` });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const before = await counts(cdp);
  const [paint, longest] = await show();
  const after = await counts(cdp);
  const cost = Object.fromEntries(COUNTS.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  return { ...(cost as Record<(typeof COUNTS)[number], number>), paint, longest };
}

async function counts(cdp: CDPSession): Promise<Record<string, number>> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

function showOurs(page: Page, mode: string): Promise<[number, number]> {
  return page.evaluate(
    async ([mode, groups, footer]) => {
      const { createLayerHost, messagesFor, mountWidget } = window.widget;
      const inline = document.querySelector<HTMLElement>('#offers');
      const start = performance.now();
      mountWidget(mode === 'INLINE' && inline ? inline : createLayerHost(document), {
        mode: mode === 'INLINE' ? 'INLINE' : 'OVERLAY',
        groups,
        footer,
        sandbox: false,
        messages: messagesFor('en'),
        theme: 'auto',
        locale: 'en',
        watch() {},
        on() {},
      });
      const script = performance.now() - start;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return [performance.now() - start, script] as [number, number];
    },
    [mode, [hero(placed(1))], { privacy_policy: FOOTER.privacy_policy }] as const,
  );
}

function showPeer(page: Page): Promise<[number, number]> {
  return page.evaluate(async (offer) => {
    const { showCard } = (window as unknown as { widget: { showCard(element: Element | null, card: unknown): void } })
      .widget;
    const start = performance.now();
    showCard(document.querySelector('#offers'), offer);
    const script = performance.now() - start;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return [performance.now() - start, script] as [number, number];
  }, placed(1));
}

function print(found: Map<string, Figures[]>, rounds: number): void {
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const row = (cells: (string | number)[]): string =>
    cells.map((cell, index) => String(cell)[index ? 'padStart' : 'padEnd'](index ? 12 : 22)).join('');
  const lines = [row(['', 'layouts', 'recalcs', 'nodes', 'listeners', 'heap KB', 'script ms', 'paint ms'])];
  for (const [name, figures] of found) {
    const of = (key: keyof Figures): number => median(figures.map((figure) => figure[key]));
    const counted = [of('LayoutCount'), of('RecalcStyleCount'), of('Nodes'), of('JSEventListeners')];
    lines.push(
      row([
        name,
        ...counted,
        Math.round(of('JSHeapUsedSize') / 1024),
        of('longest').toFixed(1),
        of('paint').toFixed(1),
      ]),
    );
  }
  lines.push(
    `Medians of ${rounds} interleaved rounds at 4 × CPU throttle. Gate on the counts; times vary fourfold between machines.`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
