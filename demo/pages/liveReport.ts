// The report as its own page: numbers, chart, and the whole channel day by day.
import { DAY_COLUMNS, type ShopReport } from '../report/metrics.ts';
import { MONEY, openReport } from '../browser/reportView.ts';

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

openReport(document, showDays);

function showDays({ days, total }: ShopReport): void {
  const head = document.createElement('thead');
  head.append(row(['Day', ...DAY_COLUMNS.map(({ name }) => name)].map((name) => cell('th', name, '', 'col'))));
  const body = document.createElement('tbody');
  if (days.length > 0) body.append(row([cell('th', 'Total', '', 'row'), ...cellsOf(total)], 'total'));
  for (const day of days) {
    const date = DAY.format(Date.parse(String(day['period_start'])));
    body.append(row([cell('th', date, '', 'row'), ...cellsOf(day)]));
  }
  document.getElementById('days')?.replaceChildren(head, body);
}

function cellsOf(values: Readonly<Record<string, string | number | null>>): HTMLElement[] {
  return DAY_COLUMNS.map(({ name, metric }) => cell('td', textOf(Number(values[metric] ?? 0), metric), name));
}

function row(cells: readonly HTMLElement[], className = ''): HTMLElement {
  const made = document.createElement('tr');
  made.className = className;
  made.append(...cells);
  return made;
}

/** A cell; on a phone, where the table has no header, its `name` is beside it. */
function cell(tag: 'th' | 'td', text: string, name: string, scope = ''): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name !== '') made.dataset.name = name;
  if (scope !== '') made.setAttribute('scope', scope);
  return made;
}

function textOf(value: number, metric: string): string {
  if (metric === 'ctr') return `${(value * 100).toFixed(2)} %`;
  return metric.endsWith('payout') ? MONEY.format(value) : value.toLocaleString('en');
}
