import { GROUP_BY_MAX } from '../../wire/limits.ts';
import { oneOf } from '../../wire/json.ts';
import { TIME_GRAINS } from '../../wire/reporting.ts';
import { isDate } from '../../wire/utcDates.ts';
import { COMPARES, PERIODS } from './period.ts';
import { GROUPINGS, METRICS, type ReportVariant } from './reportQuery.ts';
import { datesOfSpec, FILTER_NAMES, grainOf, isRanking, NO_FILTERS, type ReportSpec } from './reportSpec.ts';

/** A report as a page shows it. It is in the page's URL, so it survives a reload and can be shared. */
export interface ReportState extends ReportSpec {
  readonly period: NonNullable<ReportSpec['period']>;
  readonly metrics: readonly string[];
  /** The metric in the chart. */
  readonly chart: string;
}

const DEFAULT_METRICS = {
  channel: ['channel_payout', 'feed_loads', 'impressions', 'clicks', 'ctr', 'conversions'],
  publisher: ['publisher_payout', 'widget_loads', 'impressions', 'clicks', 'ctr', 'conversions'],
};

/** The metrics that are enabled; null for all. */
export type Enabled = readonly string[] | null;

/** The metrics of a variant that are enabled, in the network's order. */
export function metricsOf(variant: ReportVariant, enabled: Enabled = null): readonly string[] {
  return METRICS[variant].filter((name) => enabled?.includes(name) ?? true);
}

/** What a report shows before anything is chosen. */
export function defaultState(variant: ReportVariant, enabled: Enabled = null): ReportState {
  const all = metricsOf(variant, enabled);
  const usual = DEFAULT_METRICS[variant].filter((name) => all.includes(name));
  const metrics = usual.length > 0 ? usual : all.slice(0, 1);
  return {
    variant,
    // Four whole weeks: each day is compared with the same weekday.
    period: 'last_28_days',
    grain: 'day',
    by: [],
    metrics,
    filters: NO_FILTERS,
    sort: '',
    compare: 'previous',
    chart: metrics[0] ?? '',
  };
}

/** No value of a filter has these. In a terminal into which the command is pasted, a line feed would run what is before it, and some quotes end a string in PowerShell only. */
const UNSAFE = /['"`‘’‚‛“”„\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Reads the state from a URL. What cannot be is replaced by its default, so every URL shows a report. */
export function readState(params: URLSearchParams, variant: ReportVariant, enabled: Enabled = null): ReportState {
  const start = defaultState(variant, enabled);
  const list = (name: string): string[] =>
    (params.get(name) ?? '').split(',').filter((part) => part !== '' && !UNSAFE.test(part));
  const chosen = unique(list('metrics').filter((name) => metricsOf(variant, enabled).includes(name)));
  const metrics = chosen.length > 0 ? chosen : start.metrics;
  const by = unique(list('by').filter((name) => GROUPINGS[variant].includes(name))).slice(0, GROUP_BY_MAX);
  const compare = params.get('compare');
  return fitted({
    variant,
    period: readPeriod(params) ?? start.period,
    grain: oneOf(TIME_GRAINS, params.get('grain')) ?? start.grain,
    by,
    metrics,
    filters: {
      publisher: variant === 'channel' ? list('publisher') : [],
      page_type: list('page_type'),
      widget_type: list('widget_type'),
    },
    sort: params.get('sort') ?? '',
    compare: compare === 'none' ? undefined : (oneOf(COMPARES, compare) ?? start.compare),
    chart: params.get('chart') ?? '',
  });
}

/** Returns a state without what no longer fits, such as an order by a column that is gone. */
export function fitted(state: ReportState): ReportState {
  const { metrics, sort } = state;
  const chart = metrics.includes(state.chart) ? state.chart : (metrics[0] ?? '');
  const usual = isRanking(state) ? `-${chart}` : '';
  return { ...state, chart, sort: isColumn(state, sort.replace(/^-/, '')) ? sort : usual };
}

function readPeriod(params: URLSearchParams): ReportState['period'] | undefined {
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? ''];
  if (isDate(from) && isDate(to) && from <= to) return { from, to };
  const name = params.get('period');
  return oneOf(PERIODS, name) ?? (/^[1-9]\d{0,2}d$/.test(name ?? '') ? (name as `${number}d`) : undefined);
}

/** Returns the shortest query from which `readState` reads the same state. */
export function queryOfState(state: ReportState): string {
  const start = defaultState(state.variant);
  const params: [string, string][] = [];
  const put = (name: string, value: string, usual: string): void => {
    if (value !== usual) params.push([name, value]);
  };
  if (typeof state.period === 'object') params.push(['from', state.period.from], ['to', state.period.to]);
  else put('period', state.period, typeof start.period === 'string' ? start.period : '');
  put('grain', state.grain, start.grain);
  put('by', state.by.join(), '');
  put('metrics', state.metrics.join(), start.metrics.join());
  for (const name of FILTER_NAMES) put(name, state.filters[name].join(), '');
  put('compare', state.compare ?? 'none', start.compare ?? 'none');
  put('sort', state.sort, '');
  put('chart', state.chart, state.metrics[0] ?? '');
  return params.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&');
}

/** Whether the table has this column. */
function isColumn(state: ReportState, column: string): boolean {
  const groupings = state.by.map((name) => (name === 'publisher' ? 'publisher_name' : name));
  return column === 'period_start' ? state.grain !== 'total' : [...groupings, ...state.metrics].includes(column);
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** Returns the command that prints the report on screen, for a POSIX shell. */
export function commandOf(
  state: ReportState,
  { network_url, currency }: { readonly network_url: string; readonly currency: string | null },
  { now }: { readonly now?: number | undefined } = {},
): string {
  const dates = datesOfSpec(state, now);
  const words = ['offerlet-operator report'];
  const put = (flag: string, value: string): void => void words.push(`--${flag} ${quoted(value)}`);
  put('network', network_url);
  if (state.variant === 'publisher') put('variant', 'publisher');
  if (typeof state.period === 'object') words.push(`--from ${dates.from} --to ${dates.to}`);
  else put('period', state.period.replace(/^last_(7|28|30|90)_days$/, '$1d').replaceAll('_', '-'));
  put('grain', grainOf(state, dates));
  if (state.by.length > 0) put('by', state.by.join());
  put('metrics', state.metrics.join());
  for (const name of FILTER_NAMES) for (const value of state.filters[name]) put('filter', `${name}=${value}`);
  if (state.sort !== '') put('sort', state.sort);
  if (state.compare !== undefined) put('compare', state.compare);
  if (currency !== null) put('currency', currency);
  return words.join(' ');
}

/** Quotes a word for a POSIX shell where it needs it: a filter's value comes from the URL. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
