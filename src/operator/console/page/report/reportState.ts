import type { ConsoleContext } from '../../protocol.ts';
import { COMPARES, period, PERIODS, shiftedDates, wholeDates, type PeriodName } from '../../../reports/period.ts';
import { GROUPINGS, METRICS, type ReportVariant } from '../../../reports/reportQuery.ts';
import { oneOf } from '../../../../wire/json.ts';
import { GROUP_BY_MAX, HOURLY_MAX_DATES } from '../../../../wire/limits.ts';
import { TIME_GRAINS, type TimeGrain } from '../../../../wire/reporting.ts';
import { countDays, dateOf, isDate, type DateRange } from '../../../../wire/utcDates.ts';

const COMPARISONS = ['none', ...COMPARES] as const;
export type ComparisonChoice = (typeof COMPARISONS)[number];
/** Filters by the name of their parameter, and what they are called in the URL and on the command line. */
export const FILTERS = [
  ['publisher_ids', 'publisher'],
  ['page_types', 'page_type'],
  ['widget_types', 'widget_type'],
] as const;
export type FilterName = (typeof FILTERS)[number][0];

/** Everything that decides what the report shows. It is in the URL, so it survives a reload and can be shared. */
export interface ReportState {
  /** A named period, which moves on with the days, or `custom`. */
  readonly period: PeriodName | 'custom';
  /** The dates of a custom period. */
  readonly from: string;
  readonly to: string;
  readonly grain: TimeGrain;
  readonly by: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: Readonly<Record<FilterName, readonly string[]>>;
  /** A column, with `-` before it for the highest first; empty for the latest period first. */
  readonly sort: string;
  readonly compare: ComparisonChoice;
  /** The metric in the chart. */
  readonly chart: string;
}

/** The filters of a report of everything. */
export const NO_FILTERS: ReportState['filters'] = { publisher_ids: [], page_types: [], widget_types: [] };
const DEFAULT_METRICS = {
  channel: ['channel_payout', 'feed_loads', 'impressions', 'clicks', 'ctr', 'conversions'],
  publisher: ['publisher_payout', 'widget_loads', 'impressions', 'clicks', 'ctr', 'conversions'],
};

/** The metrics that are enabled; null for all. */
export type Enabled = ConsoleContext['metrics'];

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
    // Four whole weeks: each day is compared with the same weekday.
    period: 'last_28_days',
    from: '',
    to: '',
    grain: 'day',
    by: [],
    metrics,
    filters: NO_FILTERS,
    sort: '',
    compare: 'previous',
    chart: metrics[0] ?? '',
  };
}

/** No value of a filter has these. In a terminal into which the command is pasted, a line feed would run what is before it. */
const UNSAFE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Reads the state from a URL. What cannot be is replaced by its default, so every URL shows a report. */
export function readState(params: URLSearchParams, variant: ReportVariant, enabled: Enabled = null): ReportState {
  const start = defaultState(variant, enabled);
  const list = (name: string): string[] =>
    (params.get(name) ?? '').split(',').filter((part) => part !== '' && !UNSAFE.test(part));
  const from = params.get('from') ?? '';
  const to = params.get('to') ?? '';
  const isCustom = isDate(from) && isDate(to) && from <= to;
  const chosen = unique(list('metrics').filter((name) => metricsOf(variant, enabled).includes(name)));
  const metrics = chosen.length > 0 ? chosen : start.metrics;
  const by = unique(list('by').filter((name) => GROUPINGS[variant].includes(name))).slice(0, GROUP_BY_MAX);
  const chart = params.get('chart') ?? '';
  const sort = params.get('sort') ?? '';
  const filters = {
    publisher_ids: variant === 'channel' ? list('publisher') : [],
    page_types: list('page_type'),
    widget_types: list('widget_type'),
  };
  const state: ReportState = {
    period: isCustom ? 'custom' : (oneOf(PERIODS, params.get('period')) ?? start.period),
    from: isCustom ? from : '',
    to: isCustom ? to : '',
    grain: oneOf(TIME_GRAINS, params.get('grain')) ?? start.grain,
    by,
    metrics,
    filters,
    sort,
    compare: oneOf(COMPARISONS, params.get('compare')) ?? start.compare,
    chart: metrics.includes(chart) ? chart : (metrics[0] ?? ''),
  };
  // A breakdown without periods is a ranking.
  const usual = state.grain === 'total' && by.length > 0 ? `-${state.chart}` : '';
  return { ...state, sort: isColumn(state, sort.replace(/^-/, '')) ? sort : usual };
}

/** Returns the shortest query from which `readState` reads the same state. */
export function queryOfState(state: ReportState, variant: ReportVariant): string {
  const start = defaultState(variant);
  const params: [string, string][] = [];
  const put = (name: string, value: string, usual: string): void => {
    if (value !== usual) params.push([name, value]);
  };
  if (state.period === 'custom') params.push(['from', state.from], ['to', state.to]);
  else put('period', state.period, start.period);
  put('grain', state.grain, start.grain);
  put('by', state.by.join(), '');
  put('metrics', state.metrics.join(), start.metrics.join());
  for (const [name, param] of FILTERS) put(param, state.filters[name].join(), '');
  put('compare', state.compare, start.compare);
  put('sort', state.sort, '');
  put('chart', state.chart, state.metrics[0] ?? '');
  return params.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&');
}

/** The dates of the state's period up to today: the network refuses later ones. */
export function datesOf(state: ReportState, now: number = Date.now()): DateRange {
  if (state.period !== 'custom') return period(state.period, { now });
  const today = dateOf(now);
  return { from: state.from, to: state.to > today && state.from <= today ? today : state.to };
}

/** Says which dates of a link can't be shown, and what is shown instead. */
export function linkProblem(params: URLSearchParams, now: number = Date.now()): string | undefined {
  const [from, to] = [params.get('from'), params.get('to')];
  if (from === null && to === null) return undefined;
  const today = dateOf(now);
  const instead = 'You see the last 28 days instead.';
  if (!isDate(from ?? '') || !isDate(to ?? '')) return `The dates of this link are not valid. ${instead}`;
  if (String(from) > String(to)) return `The dates of this link are not valid: ${from} is after ${to}. ${instead}`;
  if (String(from) > today) return `The dates of this link begin in the future. There is no data yet.`;
  return String(to) > today
    ? `The end of this link, ${to}, is in the future. You see the days up to today.`
    : undefined;
}

/** The grain that the network accepts for these dates: hours only for a few days. */
export function grainOf(state: ReportState, dates: DateRange): TimeGrain {
  return state.grain === 'hour' && countDays(dates) > HOURLY_MAX_DATES ? 'day' : state.grain;
}

/** The parameters of the call for this state. */
export function paramsOf(state: ReportState, now?: number): URLSearchParams {
  const dates = datesOf(state, now);
  const params = new URLSearchParams({ from: dates.from, to: dates.to, time_grain: grainOf(state, dates) });
  params.set('metrics', state.metrics.join());
  if (state.by.length > 0) params.set('group_by', state.by.join());
  for (const [name] of FILTERS) if (state.filters[name].length > 0) params.set(name, state.filters[name].join());
  if (state.compare !== 'none') params.set('compare', state.compare);
  if (state.sort !== '') params.set('sort', state.sort);
  return params;
}

/** The period just before, or just after: the month before a month, as many days before some days. Undefined in the future. */
export function shifted(state: ReportState, steps: number, now: number = Date.now()): ReportState | undefined {
  // A link may end in the future: that keeps the length of a period that today cuts off.
  const range = state.period === 'custom' ? { from: state.from, to: state.to } : period(state.period, { now });
  const next = shiftedDates(wholeDates(range, now), steps);
  if (next.from > dateOf(now)) return undefined;
  const name = PERIODS.find((one) => isSameRange(wholeDates(period(one, { now }), now), next));
  return name ? { ...state, period: name, from: '', to: '' } : { ...state, period: 'custom', ...next };
}

function isSameRange(one: DateRange, other: DateRange): boolean {
  return one.from === other.from && one.to === other.to;
}

/** Whether the table has this column. */
function isColumn(state: ReportState, column: string): boolean {
  const groupings = state.by.map((name) => (name === 'publisher' ? 'publisher_name' : name));
  return column === 'period_start' ? state.grain !== 'total' : [...groupings, ...state.metrics].includes(column);
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}

/** The shells in which people paste a command. */
export const SHELLS = [
  ['posix', 'bash, zsh'],
  ['powershell', 'PowerShell'],
] as const;
export type TargetShell = (typeof SHELLS)[number][0];

/** Returns the command that prints the report on screen, for a shell. */
export function commandOf(
  state: ReportState,
  session: Pick<ConsoleContext, 'variant' | 'network_url'>,
  { now, shell = 'posix' }: { readonly now?: number | undefined; readonly shell?: TargetShell | undefined } = {},
): string {
  const dates = datesOf(state, now);
  const quote = shell === 'posix' ? quoted : quotedForPowerShell;
  const words = ['offerlet-operator report'];
  const put = (flag: string, value: string): void => void words.push(`--${flag} ${quote(value)}`);
  put('network', session.network_url);
  if (session.variant === 'publisher') put('variant', 'publisher');
  if (state.period === 'custom') words.push(`--from ${dates.from} --to ${dates.to}`);
  else put('period', state.period.replace(/^last_(7|28|30|90)_days$/, '$1d').replaceAll('_', '-'));
  put('grain', grainOf(state, dates));
  if (state.by.length > 0) put('by', state.by.join());
  put('metrics', state.metrics.join());
  for (const [name, flag] of FILTERS) for (const value of state.filters[name]) put('filter', `${flag}=${value}`);
  if (state.sort !== '') put('sort', state.sort);
  if (state.compare !== 'none') put('compare', state.compare);
  return words.join(' ');
}

/** Quotes a word for a POSIX shell where it needs it: a filter's value comes from the URL. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** In PowerShell a comma makes a list, and typographic quotes end a string as well. */
function quotedForPowerShell(word: string): string {
  return /^[\w+=:./-]+$/.test(word) ? word : `'${word.replaceAll(/['‘’‚‛]/g, '$&$&')}'`;
}
