import { SERIES, type Sample, type SeriesName } from '../report/metrics.ts';

/** One bar: how much each series grew within its time. */
export type Bar = Readonly<Record<SeriesName, number>>;

/** How far back the chart reaches. */
export const CHART_MS = 10 * 60_000;
const BARS = 60;
/** Keeps a single click from being as high as its whole row. */
const LEAST_TOP = 2;
const SVG = 'http://www.w3.org/2000/svg';

/** Returns the last ten minutes in bars of ten seconds: how much each count grew within each. */
export function barsOf(samples: readonly Sample[], now: number): readonly Bar[] {
  const bars = Array.from(
    { length: BARS },
    () => Object.fromEntries(SERIES.map((name) => [name, 0])) as Record<SeriesName, number>,
  );
  const step = CHART_MS / BARS;
  const end = Math.ceil(now / step) * step;
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    const bar = bars[BARS - 1 - Math.floor((end - sample.at) / step)];
    if (!before || !bar) continue;
    for (const name of SERIES) bar[name] += Math.max(0, sample.counts[name] - before.counts[name]);
  }
  return bars;
}

/**
 * Draws one row of bars for each series: what they count is not the same, so their bars are never stacked. All rows have
 * one scale. Describes the chart for screen readers.
 */
export function drawChart(chart: Element, bars: readonly Bar[]): void {
  const top = Math.max(LEAST_TOP, ...SERIES.flatMap((name) => bars.map((bar) => bar[name])));
  const sums = SERIES.map((name) => bars.reduce((sum, bar) => sum + bar[name], 0));
  const axis = line('axis', [text('10 min ago'), text('5 min ago'), text('now')]);
  chart.replaceChildren(
    ...SERIES.map((name, index) => line('lane', [text(name), lane(name, bars, top), text(String(sums[index]))])),
    axis,
  );
  const said = SERIES.map((name, index) => `${sums[index]} ${name.toLowerCase()}`).join(', ');
  chart.setAttribute('aria-label', `The last ten minutes: ${said}`);
}

/** The bars of one series; its box gives them their size. */
function lane(name: SeriesName, bars: readonly Bar[], top: number): SVGElement {
  const svg = element('svg', { viewBox: `0 0 ${BARS} ${top}`, preserveAspectRatio: 'none' });
  for (const [index, { [name]: count }] of bars.entries())
    if (count > 0)
      svg.append(
        element('rect', { class: name.toLowerCase(), x: index + 0.1, y: top - count, width: 0.8, height: count }),
      );
  return svg;
}

function line(className: string, parts: readonly Element[]): HTMLElement {
  const made = document.createElement('div');
  made.className = className;
  made.append(...parts);
  return made;
}

function text(content: string): HTMLElement {
  const made = document.createElement('span');
  made.textContent = content;
  return made;
}

function element(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
