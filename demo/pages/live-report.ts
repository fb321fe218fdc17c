// The report page's script: numbers in, text nodes out, every two seconds.
import type { ShopReport } from '../report.ts';

const EVERY_MS = 2_000;
const SHOWN = {
  channel: [
    'feed_loads',
    'widget_displays',
    'viewable_widget_displays',
    'impressions',
    'clicks',
    'conversions',
    'channel_payout',
  ],
  publisher: [
    'widget_loads',
    'widget_displays',
    'viewable_widget_displays',
    'impressions',
    'clicks',
    'conversions',
    'publisher_payout',
  ],
} as const;
const COLUMNS = [
  'feed_loads',
  'widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'channel_payout',
  'ctr',
] as const;

for (;;) {
  try {
    const response = await fetch('/report.json');
    if (!response.ok) throw new Error(`the shop answered ${response.status}`);
    show((await response.json()) as ShopReport);
  } catch (error) {
    say(`No report: ${error instanceof Error ? error.message : 'unknown'}. Trying again.`);
  }
  await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}

function show(report: ShopReport): void {
  for (const variant of ['channel', 'publisher'] as const) {
    const tiles = SHOWN[variant].map((metric) => {
      const tile = element('div');
      tile.append(element('dt', named(metric)), element('dd', number(report.shop[variant][metric] ?? 0, metric)));
      tile.dataset.metric = metric;
      return tile;
    });
    document.getElementById(variant)?.replaceChildren(...tiles);
  }
  const head = element('tr');
  head.append(element('th', 'Day'), ...COLUMNS.map((column) => element('th', named(column))));
  const rows = report.days.map((day) => {
    const row = element('tr');
    row.append(
      element('td', day.period_start.slice(0, 10)),
      ...COLUMNS.map((column) => element('td', number(Number(day[column] ?? 0), column))),
    );
    return row;
  });
  document.getElementById('days')?.replaceChildren(head, ...rows);
  say(`Updated ${new Date(report.updated_at).toLocaleTimeString()}`);
}

function say(text: string): void {
  const status = document.getElementById('updated');
  if (status) status.textContent = text;
}

function element(tag: string, text = ''): HTMLElement {
  const created = document.createElement(tag);
  created.textContent = text;
  return created;
}

function named(metric: string): string {
  return metric.replaceAll('_', ' ');
}

function number(value: number, metric: string): string {
  if (metric === 'ctr') return `${(value * 100).toFixed(2)} %`;
  return metric.endsWith('payout') ? value.toFixed(2) : value.toLocaleString('en');
}
