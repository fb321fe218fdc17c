import { SERIES, type Sample, type SeriesName } from '../report/metrics.ts';

/** One bar: how much each series grew within its time. */
export type Bar = Readonly<Record<SeriesName, number>>;

/** How far back the chart reaches. */
export const CHART_MS = 10 * 60_000;
const BARS = 60;
const WIDTH = 600;
const HEIGHT = 160;
const AXIS = 18;
/** Keeps a single click from being as high as the whole chart. */
const LEAST_TOP = 4;
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

/** Draws the bars into an `<svg>`, and describes them for screen readers. */
export function drawChart(svg: SVGSVGElement, bars: readonly Bar[]): void {
  const total = (bar: Bar): number => SERIES.reduce((sum, name) => sum + bar[name], 0);
  const top = Math.max(LEAST_TOP, ...bars.map(total));
  const room = HEIGHT - AXIS;
  const step = WIDTH / BARS;
  const parts: SVGElement[] = [
    ...[0, 0.5, 1].map((share) =>
      element('line', { class: 'grid', x1: 0, x2: WIDTH, y1: room * share + 0.5, y2: room * share + 0.5 }),
    ),
    ...[10, 5].map((minutes) =>
      words(WIDTH * (1 - minutes / 10), `${minutes} min ago`, minutes === 10 ? 'start' : 'middle'),
    ),
    words(WIDTH, 'now', 'end'),
    element('text', { class: 'scale', x: 0, y: 16 }, String(top)),
  ];
  for (const [index, bar] of bars.entries()) {
    let y = room;
    for (const name of SERIES) {
      const height = (bar[name] / top) * (room - 2);
      if (height === 0) continue;
      y -= height;
      parts.push(
        element('rect', {
          class: name.toLowerCase(),
          x: index * step + 1,
          y,
          width: step - 2,
          height: Math.max(1, height - 1),
          rx: 1.5,
        }),
      );
    }
  }
  svg.setAttribute('viewBox', `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute(
    'aria-label',
    `The last ten minutes: ${SERIES.map((name) => `${bars.reduce((sum, bar) => sum + bar[name], 0)} ${name.toLowerCase()}`).join(', ')}`,
  );
  svg.replaceChildren(...parts);
}

/** Creates the legend of the chart. */
export function legend(): readonly HTMLElement[] {
  return SERIES.map((name) => {
    const entry = document.createElement('span');
    entry.className = name.toLowerCase();
    entry.textContent = name;
    return entry;
  });
}

function words(x: number, text: string, anchor: string): SVGElement {
  return element('text', { class: 'when', x, y: HEIGHT - 3, 'text-anchor': anchor }, text);
}

function element(tag: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== '') made.textContent = text;
  return made;
}
