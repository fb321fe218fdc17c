// A second, slow implementation of reports: it loops over the raw cells, with BigInt decimals. It shares no code with
// src/network/reporting, so both would need the same mistake to agree on a wrong report.

/** Amounts in millionths. */
export type Micros = bigint;
const ONE: Micros = 1_000_000n;

/** One hour of activity of one publisher's placement. */
export interface Cell {
  channel: string;
  publisher: string;
  publisherName: string;
  /** Milliseconds since 1970. */
  at: number;
  page_type: string;
  widget_type: string;
  widget_id: string;
  amounts: Readonly<Record<string, Micros>>;
}

/** A valid report request. */
export interface Question {
  variant: 'channel' | 'publisher';
  /** The channel or publisher that owns the key. */
  holder: string;
  from: string;
  to: string;
  grain: 'total' | 'day' | 'week' | 'month' | 'hour';
  metrics: readonly string[];
  groupBy: readonly string[];
  publisherIds?: readonly string[] | undefined;
  pageTypes?: readonly string[] | undefined;
  widgetTypes?: readonly string[] | undefined;
  sortBy?: string | undefined;
  sortDirection?: 'asc' | 'desc' | undefined;
  sortOrder?: 'asc' | 'desc' | undefined;
  offset: number;
  limit: number;
}

/** The expected report. */
export interface ModelAnswer {
  data: Record<string, string | number | null>[];
  summary: Record<string, number>;
  total: number;
  hasMore: boolean;
}

export const RATIOS: Readonly<Record<string, readonly [over: string, under: string, decimals: number]>> = {
  'channel ctr': ['clicks', 'impressions', 4],
  'publisher ctr': ['clicks', 'impressions', 4],
  'channel cvr': ['conversions', 'clicks', 4],
  'publisher cvr': ['conversions', 'widget_displays', 4],
  'channel rpl': ['channel_payout', 'feed_loads', 4],
  'channel attributed_cpa': ['attributed_ad_spend_amount', 'conversions', 2],
};

interface Bucket {
  start: number;
  end: number;
  names: Record<string, string | null>;
  cells: Cell[];
}

/** Calculates the report from the cells. */
export function answerFrom(cells: readonly Cell[], question: Question): ModelAnswer {
  const matching = cells.filter((cell) => isAsked(cell, question));
  const buckets: Bucket[] = [];
  for (const cell of matching) {
    const [start, end] = periodAround(cell.at, question);
    const names = namesOf(cell, question.groupBy);
    const found = buckets.find(
      (bucket) =>
        bucket.start === start && Object.entries(names).every(([name, value]) => bucket.names[name] === value),
    );
    if (found) found.cells.push(cell);
    else buckets.push({ start, end, names, cells: [cell] });
  }
  const rows = buckets.map((bucket) => ({
    period_start: iso(bucket.start),
    period_end: iso(bucket.end),
    ...bucket.names,
    ...metricsOf(bucket.cells, question),
  }));
  rows.sort((one, other) => compare(one, other, question));
  const data = rows.slice(question.offset, question.offset + question.limit);
  return {
    data,
    summary: metricsOf(matching, question),
    total: rows.length,
    hasMore: question.offset + data.length < rows.length,
  };
}

function isAsked(cell: Cell, { variant, holder, from, to, publisherIds, pageTypes, widgetTypes }: Question): boolean {
  if ((variant === 'channel' ? cell.channel : cell.publisher) !== holder) return false;
  if (cell.page_type === 'MODAL' || (variant === 'publisher' && cell.page_type === 'ORDER_TRACKING')) return false;
  if (cell.at < Date.parse(from) || cell.at > Date.parse(`${to}T23:59:59.999Z`)) return false;
  if (publisherIds && !publisherIds.some((id) => id.toLowerCase() === cell.publisher)) return false;
  if (pageTypes && !pageTypes.includes(cell.page_type)) return false;
  if (widgetTypes && !widgetTypes.includes(cell.widget_type)) return false;
  return Object.values(cell.amounts).some((amount) => amount !== 0n);
}

/** Steps hour by hour from the moment to both ends: slow, but it cannot be off by one. */
function periodAround(at: number, { grain, from, to }: Question): [number, number] {
  const first = Date.parse(from);
  const last = Date.parse(to) + 24 * 3_600_000;
  const begins = (time: number): boolean => {
    const date = new Date(time);
    const isMidnight = date.getUTCHours() === 0;
    return {
      total: false,
      hour: true,
      day: isMidnight,
      week: isMidnight && date.getUTCDay() === 1,
      month: isMidnight && date.getUTCDate() === 1,
    }[grain];
  };
  let start = at - (at % 3_600_000);
  while (start > first && !begins(start)) start -= 3_600_000;
  let end = at - (at % 3_600_000) + 3_600_000;
  while (end < last && !begins(end)) end += 3_600_000;
  return [start, end];
}

function namesOf(cell: Cell, groupBy: readonly string[]): Record<string, string | null> {
  const names: Record<string, string | null> = {};
  for (const grouping of groupBy) {
    if (grouping === 'publisher')
      Object.assign(names, { publisher_id: cell.publisher, publisher_name: cell.publisherName });
    if (grouping === 'page_type') names['page_type'] = cell.page_type;
    if (grouping === 'widget_type') names['widget_type'] = cell.widget_type;
    if (grouping === 'widget_id') names['widget_id'] = cell.widget_id === '' ? null : cell.widget_id;
  }
  return names;
}

function metricsOf(cells: readonly Cell[], { variant, metrics }: Question): Record<string, number> {
  const sum = (name: string): Micros =>
    cells.reduce((total, cell) => total + (cell.amounts[name === 'widget_loads' ? 'feed_loads' : name] ?? 0n), 0n);
  const shown: Record<string, number> = {};
  for (const metric of metrics) {
    const [over, under, decimals] = RATIOS[`${variant} ${metric}`] ?? [];
    if (over !== undefined && under !== undefined && decimals !== undefined)
      shown[metric] = rounded(sum(over), sum(under), decimals);
    else shown[metric] = rounded(sum(metric), ONE, 2);
  }
  return shown;
}

/** The quotient, rounded half away from zero; 0 if the divisor is 0. */
function rounded(over: bigint, under: bigint, decimals: number): number {
  if (under === 0n) return 0;
  const scaled = over * 10n ** BigInt(decimals);
  const whole = scaled / under;
  const units = (scaled % under) * 2n >= under ? whole + 1n : whole;
  const digits = units.toString().padStart(decimals + 1, '0');
  return Number(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`);
}

type Row = Record<string, string | number | null>;

function compare(one: Row, other: Row, { sortBy, sortDirection, sortOrder = 'desc', groupBy }: Question): number {
  const keys: [column: string, direction: 'asc' | 'desc'][] = [];
  if (sortBy !== undefined && sortBy !== 'period_start')
    keys.push([sortBy, sortDirection ?? sortOrder], ['period_start', sortOrder]);
  else keys.push(['period_start', sortDirection ?? sortOrder]);
  for (const grouping of groupBy) keys.push([grouping === 'publisher' ? 'publisher_name' : grouping, 'asc']);
  if (groupBy.includes('publisher')) keys.push(['publisher_id', 'asc']);
  for (const [column, direction] of keys) {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === b) continue;
    if (a === null || b === null) return a === null ? 1 : -1;
    const order = typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoint(String(a), String(b));
    return direction === 'asc' ? order : -order;
  }
  return 0;
}

function byCodePoint(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  for (const [index, character] of a.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function iso(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
