import type { Session } from '../../protocol.ts';
import { datesOf, FILTERS, grainOf, type FilterName, type ReportState } from './reportState.ts';

/** What the filters are called on the command line. */
const FLAGS: Readonly<Record<FilterName, string>> = {
  publisher_ids: 'publisher',
  page_types: 'page_type',
  widget_types: 'widget_type',
};
/** Periods that `--last` names. */
const LAST: Readonly<Record<string, string>> = {
  last_7_days: '7d',
  last_28_days: '28d',
  last_30_days: '30d',
  last_90_days: '90d',
};

/** Returns the command that prints the report on screen. */
export function commandOf(state: ReportState, session: Pick<Session, 'variant' | 'network_url'>, now?: number): string {
  const dates = datesOf(state, now);
  const words = ['offerlet report', `--network ${quoted(session.network_url)}`];
  if (session.variant === 'publisher') words.push('--variant publisher');
  const last = LAST[state.period];
  if (last !== undefined) words.push(`--last ${last}`);
  else if (state.period === 'custom') words.push(`--from ${dates.from} --to ${dates.to}`);
  else words.push(`--period ${state.period.replaceAll('_', '-')}`);
  words.push(`--grain ${grainOf(state, dates)}`);
  if (state.by.length > 0) words.push(`--by ${state.by.join()}`);
  words.push(`--metrics ${state.metrics.join()}`);
  for (const name of FILTERS)
    for (const value of state.filters[name]) words.push(`--filter ${quoted(`${FLAGS[name]}=${value}`)}`);
  if (state.sort !== '') words.push(`--sort ${state.sort}`);
  if (state.compare !== 'none') words.push(`--compare ${state.compare}`);
  return words.join(' ');
}

/** Quotes a word for a POSIX shell where it needs it: a filter's value comes from the URL. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
