// The report as its own page: numbers, chart, and the whole channel day by day.
import type { ShopReport } from '../report/metrics.ts';
import { openReport } from '../browser/reportView.ts';

const COLUMNS = [
  'feed_loads',
  'widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'channel_payout',
  'ctr',
] as const;

openReport(document, showDays);

function showDays({ days }: ShopReport): void {
  const head = document.createElement('tr');
  head.append(cell('th', 'Day'), ...COLUMNS.map((column) => cell('th', column.replaceAll('_', ' '))));
  const rows = days.map((day) => {
    const row = document.createElement('tr');
    const values = COLUMNS.map((column) => cell('td', textOf(Number(day[column] ?? 0), column)));
    row.append(cell('td', String(day['period_start']).slice(0, 10)), ...values);
    return row;
  });
  document.getElementById('days')?.replaceChildren(head, ...rows);
}

function cell(tag: 'th' | 'td', text: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function textOf(value: number, metric: string): string {
  if (metric === 'ctr') return `${(value * 100).toFixed(2)} %`;
  return metric.endsWith('payout') ? value.toFixed(2) : value.toLocaleString('en');
}
