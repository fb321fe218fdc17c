// npm run bench -- widget [rounds [slowdown]]: what showing offers costs the page, beside a bare Preact card.
import { chromium, type Page } from '@playwright/test';
import { find } from '../browsers.mjs';
import { FOOTER, placed } from '../widget/offers.ts';
import { BARE, bundleCandidates, type Candidate } from './widget/candidates.ts';
import { readTrace, type TraceFigures } from './widget/readTrace.ts';

const SHOP = 'https://shop.test/';
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96"/></svg>';

/** Shows offers and the bare card, on a processor that is slowed down, by default fourfold, and prints what they cost. */
export async function run(args: string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const slowdown = Number(args[1] ?? 4);
  const candidates = await bundleCandidates();
  const path = find('chromium')?.path;
  const browser = await chromium.launch({
    ...(path ? { executablePath: path } : {}),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const found = new Map<string, TraceFigures[]>();
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) {
      const page = await browser.newPage();
      await browser.startTracing(page, {
        categories: ['disabled-by-default-devtools.timeline', 'devtools.timeline', 'blink.user_timing'],
      });
      await play(page, { ...candidate, slowdown });
      const figures = readTrace(String(await browser.stopTracing()));
      found.set(candidate.name, [...(found.get(candidate.name) ?? []), figures]);
      await page.close();
    }
  }
  await browser.close();
  print(found, { rounds, slowdown });
}

/** Loads the page, lets it show its offers, and clicks. */
async function play(page: Page, candidate: Candidate & { slowdown: number }): Promise<void> {
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
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: candidate.slowdown });
  await page.evaluate(show);
  // Goes on to the next offer, or closes the only one. A locator would add work to the click.
  const spot = await page.evaluate(() => {
    const hosts = [...document.querySelectorAll('offer-let-layer, #offers > div')];
    const box = hosts
      .map(({ shadowRoot }) => shadowRoot?.querySelector('[part=decline]')?.getBoundingClientRect())
      .find(Boolean);
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  if (spot) await page.mouse.click(spot.x, spot.y);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
}

/** In the page: loads the script, waits for the offers and a second more. */
async function show(): Promise<void> {
  const shown = new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error('nothing was shown within 20 s')), 20_000);
    const painted = (): void => void setTimeout(resolve);
    Object.assign(window, { painted, shown: () => void requestAnimationFrame(painted) });
  });
  document.head.append(Object.assign(document.createElement('script'), { src: '/script.js' }));
  await shown;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  performance.mark('measured');
}

function answer({ offers }: Candidate): unknown {
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
    recommendation_groups: [{ id: 'group_0', slot_context: 'HERO', items }],
    footer: { privacy_policy: FOOTER.privacy_policy },
  };
}

function print(found: Map<string, TraceFigures[]>, { rounds, slowdown }: { rounds: number; slowdown: number }): void {
  const row = (cells: string[]): string =>
    cells.map((cell, index) => cell[index ? 'padStart' : 'padEnd'](index ? 11 : 24)).join('');
  const of = (name: string, key: keyof TraceFigures): number => {
    const sorted = (found.get(name) ?? []).map((figures) => figures[key]).toSorted((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  };
  const lines = [row(['', 'longest', '× bare', 'click'])];
  for (const name of found.keys()) {
    const longest = of(name, 'longest');
    const ratio = `× ${(longest / of(BARE, 'longest')).toFixed(1)}`;
    lines.push(row([name, longest.toFixed(1), ratio, of(name, 'click').toFixed(1)]));
  }
  lines.push(
    `Medians of ${rounds} interleaved rounds at ${slowdown} × CPU throttle. "longest": milliseconds of the longest task, from the script's start to a second after the paint.`,
    '"click": of the main thread from a decline until the next frame. Compare ratios: times vary fourfold between machines.',
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
