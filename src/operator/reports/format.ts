import { comparedDates } from './period.ts';
import type { ComparedDates, MetricChange } from './reportQuery.ts';
import type { ReportSpec } from './reportSpec.ts';
import { addDays, type DateRange } from '../../wire/utcDates.ts';
import { isShare, kindOf, type Metric, type TimeGrain } from '../../wire/reporting.ts';

/** The name of each metric on screen, one spelling everywhere. */
const METRICS: Readonly<Record<Metric, string>> = {
  impressions: 'Impressions',
  clicks: 'Clicks',
  conversions: 'Conversions',
  channel_payout: 'Payout',
  publisher_payout: 'Payout',
  revenue_with_email: 'Payout with email',
  revenue_without_email: 'Payout without email',
  feed_loads: 'Loads',
  widget_loads: 'Loads',
  widget_displays: 'Displays',
  viewable_widget_displays: 'Viewable displays',
  order_revenue_amount: 'Order revenue',
  attributed_ad_spend_amount: 'Attributed spend',
  billable_ad_spend_amount: 'Billable spend',
  ctr: 'CTR',
  cvr: 'CVR',
  rpl: 'Payout per load',
  attributed_cpa: 'Attributed CPA',
};
const GROUPINGS: Readonly<Record<string, string>> = {
  publisher: 'Publisher',
  publisher_name: 'Publisher',
  page_type: 'Page type',
  widget_type: 'Widget type',
  widget_id: 'Widget ID',
  period_start: 'Period',
};
const NAMES: Readonly<Record<string, string>> = { ...METRICS, ...GROUPINGS };

const count = new Intl.NumberFormat('en');
const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const fine = new Intl.NumberFormat('en', { minimumFractionDigits: 4, maximumFractionDigits: 4 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** The name of a metric or a breakdown. */
export function labelOf(name: string): string {
  return NAMES[name] ?? name;
}

/** Whether a metric is an amount of money. */
export function isMoney(metric: string): boolean {
  const kind = kindOf(metric);
  return kind !== undefined && kind !== 'count' && kind !== 'share';
}

/** Writes the exact value of a metric. */
export function valueText(metric: string, value: number): string {
  if (isShare(metric)) return `${money.format(value * 100)}%`;
  if (kindOf(metric) === 'yield') return fine.format(value);
  return isMoney(metric) ? money.format(value) : count.format(value);
}

/** Writes a value where there is no room for all of its digits, such as an axis: `1.2B`. */
export function shortValue(metric: string, value: number): string {
  return isShare(metric) ? `${Math.round(value * 10_000) / 100}%` : short.format(value);
}

/** Writes a change with its sign, `+4.2%`, or `−0.31 pt` for shares. */
export function changeText(change: MetricChange | undefined, before?: number): string {
  if (!change) return '';
  // From nothing there is no change, however many points it seems to be.
  if (change.points !== null && before === 0 && change.difference !== 0) return 'new';
  if (change.points !== null) return `${signed(change.points, 'points')} pt`;
  if (change.percent === null) return change.difference === 0 ? '0.0%' : 'new';
  return `${signed(change.percent, 'percent')}%`;
}

function signed(change: number, unit: 'points' | 'percent'): string {
  const digits = unit === 'points' ? 2 : Math.abs(change) >= 1_000 ? 0 : 1;
  return change
    .toLocaleString('en', { signDisplay: 'exceptZero', minimumFractionDigits: digits, maximumFractionDigits: digits })
    .replace('-', '−');
}

/** Whether a change is good news, bad news or neither. */
export function newsOf(metric: string, change: MetricChange | undefined, before?: number): 'good' | 'bad' | undefined {
  const difference = change?.difference ?? 0;
  if (difference === 0 || kindOf(metric) === 'spend') return undefined;
  if (before === 0 && change?.points != null) return undefined;
  return (kindOf(metric) === 'cost') === difference < 0 ? 'good' : 'bad';
}

/** Writes a number of things: `1 row`, `2,000 rows`. */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count.format(number)} ${number === 1 ? one : many}`;
}

const UTC = { timeZone: 'UTC' } as const;
const day = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  ...UTC,
});
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short', ...UTC });
const plainDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...UTC });
const dayWithYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', ...UTC });
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', ...UTC });
const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...UTC });

/** Writes the start of a period in full: `Tue, 3 Nov 2026`, `November 2026`, `Tue, 3 Nov 2026, 14:00`. */
export function periodText(start: number, grain: string): string {
  if (grain === 'month') return month.format(start);
  if (grain === 'hour') return `${day.format(start)}, ${hour.format(start)}`;
  return grain === 'week' ? `Week of ${dayWithYear.format(start)}` : day.format(start);
}

/** Writes the start of a period for a table, without the year where the dates above the table have it. */
export function shortPeriod(start: number, grain: string): string {
  return periodText(start, grain).replace(/^((?:Week of )?(?:\w+, )?\d+ \p{L}+) \d{4}/u, '$1');
}

/** Writes the start of a period for an axis. */
export function tickText(start: number, grain: string): string {
  if (grain === 'hour') return new Date(start).getUTCHours() === 0 ? plainDay.format(start) : hour.format(start);
  return grain === 'month' ? month.format(start).replace(/(\w{3})\w* \d\d(\d\d)/, '$1 $2') : plainDay.format(start);
}

/** Writes a range of dates: `16 – 22 Nov 2026`. */
export function rangeText({ from, to }: DateRange): string {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(first) || Number.isNaN(last)) return '';
  if (from === to) return day.format(last);
  const end = dayWithYear.format(last);
  if (from.slice(0, 4) !== to.slice(0, 4)) return `${dayWithYear.format(first)} – ${end}`;
  return `${from.slice(0, 7) === to.slice(0, 7) ? new Date(first).getUTCDate() : plainDay.format(first)} – ${end}`;
}

/**
 * Writes the dates that a report is compared with, how they follow from its own, and up to which hour when today is compared:
 * `Wed, 25 Nov 2026, the day before, until 13:00 UTC`.
 */
export function comparedText({ hours, ...dates }: ComparedDates, { period, compare }: ComparedSpec): string {
  const rule = period && compare ? `, ${comparedDates(period, compare).rule}` : '';
  const last = dates.from === dates.to ? ', ' : ', the last one ';
  const until = hours === undefined || hours === 24 ? '' : `${last}until ${String(hours).padStart(2, '0')}:00 UTC`;
  return rangeText(dates) + rule + until;
}

type ComparedSpec = Pick<ReportSpec, 'period' | 'compare'>;

/** Writes a period so that periods sort as text: `2026-11-16 Mon`, `2026-11-16 – 11-22`. */
export function sortablePeriod(start: string, end: string, grain: TimeGrain): string {
  const date = start.slice(0, 10);
  const last = addDays(end.slice(0, 10), end.endsWith('T00:00:00Z') ? -1 : 0);
  switch (grain) {
    case 'hour':
      return `${date} ${start.slice(11, 16)}`;
    case 'day':
      return `${date} ${weekday.format(Date.parse(start))}`;
    case 'week':
    case 'month':
    case 'total':
      return `${date} – ${last.slice(0, 4) === date.slice(0, 4) ? last.slice(5) : last}`;
  }
}

/** Writes a moment: `22 Nov 2026, 08:00 UTC`. */
export function momentText(time: string | number): string {
  const at = typeof time === 'number' ? time : Date.parse(time);
  return Number.isNaN(at) ? '' : `${dayWithYear.format(at)}, ${hour.format(at)} UTC`;
}

/** Writes a date of a publisher: `3 Nov 2026`. */
export function dayText(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : dayWithYear.format(at);
}

/** Writes a constant of the API for people: `THANK_YOU` is `Thank you`. */
export function inWords(constant: string): string {
  const words = constant.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Writes the value of a breakdown, the same in tables, charts and filters: `THANK_YOU` is `Thank you`. */
export function valueLabel(grouping: string, value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '—';
  return grouping === 'page_type' || grouping === 'widget_type' ? inWords(String(value)) : String(value);
}
