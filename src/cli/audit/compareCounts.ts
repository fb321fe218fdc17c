import type { LedgerRow } from '../../relay.ts';
import type { EventName } from '../../wire/events.ts';
import type { PublisherGrouping, PublisherMetric, ReportRow } from '../../wire/reporting.ts';
import { HOUR_MS } from '../../wire/utcDates.ts';

/** The metrics that relay and network both can know, and the event of each. See src/network/contract/rules.md#metrics-and-money. */
export const AUDITED = {
  widget_loads: 'WIDGET_LOAD',
  widget_displays: 'WIDGET_DISPLAY',
  viewable_widget_displays: 'WIDGET_VIEW',
  impressions: 'BRAND_DISPLAY',
  clicks: 'BRAND_CLICK',
} as const satisfies Partial<Record<PublisherMetric, EventName>>;
export type AuditedMetric = keyof typeof AUDITED;
export const AUDITED_METRICS = Object.keys(AUDITED) as readonly AuditedMetric[];

/** Where the two counts mean different things. */
export const DEFINITIONS: Readonly<Partial<Record<AuditedMetric, string>>> = {
  impressions:
    'The network counts an offer once for each session, with its display, its view or both, in the hour of the earlier one; the relay counts displays. A widget sends a display before each view.',
};

/** The names of the breakdowns in the relay's ledger, and in reports. */
export const AUDIT_GROUPINGS = {
  view: 'page_type',
  display_mode: 'widget_type',
  widget_id: 'widget_id',
} as const satisfies Record<string, PublisherGrouping>;
export type AuditGrouping = keyof typeof AUDIT_GROUPINGS;

/**
 * `missing`, `extra`: the network counts less, or more, and by more than is tolerated. `late`: less, but its data do not
 * reach that far yet. `open`: the period is not over yet, and in no total.
 */
export type AuditVerdict = 'ok' | 'missing' | 'extra' | 'late' | 'open';

/** One metric in one period and one group: ours is the relay's count, theirs the network's. */
export interface AuditRow {
  /** The beginning of the hour or day; `null` for all of them. */
  readonly period_start: string | null;
  /** The breakdown, as requested; empty for totals. */
  readonly group: Readonly<Partial<Record<AuditGrouping, string | null>>>;
  readonly metric: AuditedMetric;
  readonly ours: number;
  readonly theirs: number;
  /** Theirs minus ours. */
  readonly difference: number;
  /** The difference in per cent of ours; `null` when that is 0. */
  readonly percent: number | null;
  readonly verdict: AuditVerdict;
}

export interface AuditInput {
  readonly ours: readonly LedgerRow[];
  /** The rows of a publisher's report with this grain and these groupings. */
  readonly theirs: readonly ReportRow[];
  readonly grain: 'hour' | 'day';
  readonly by: readonly AuditGrouping[];
  /** The share by which two counts may differ: 0.005 is 0.5 %. */
  readonly tolerance: number;
  /** The latest hour of the network's data. */
  readonly dataThrough: string | null;
  readonly now: number;
}

export interface AuditComparison {
  /** Every metric, period and group in which one of the two counted something; the latest period first. */
  readonly rows: readonly AuditRow[];
  /** One for each metric. What is `open` is left out. */
  readonly totals: readonly AuditRow[];
}

/** Sessions that the network gave to another shopper, order or place again, in a relay's ledger. */
export const SHARED_SESSIONS = 'sessions_shared';

/** A view that no publisher's report contains (src/network/contract/rules.md#r29). */
const UNREPORTED_VIEW = 'ORDER_TRACKING';

/** Compares what the relay counted with the network's report. */
export function compareCounts(input: AuditInput): AuditComparison {
  const { grain, by } = input;
  const cells = new Map<string, { period: string; group: AuditRow['group']; metric: AuditedMetric; both: number[] }>();
  function add(
    side: 0 | 1,
    {
      period,
      group,
      metric,
      count,
    }: { period: string; group: AuditRow['group']; metric: AuditedMetric; count: number },
  ): void {
    const key = JSON.stringify([period, metric, by.map((name) => group[name])]);
    const cell = cells.get(key) ?? { period, group, metric, both: [0, 0] };
    cell.both[side] = (cell.both[side] ?? 0) + count;
    cells.set(key, cell);
  }
  for (const row of input.ours) {
    // A session that several shoppers were given hides the loads of all but one: the relay drops them as repeats.
    const isHidden = row.name === SHARED_SESSIONS;
    const [, again, event] = /^(repeated:)?(\w+)$/.exec(row.name) ?? [];
    const metric = isHidden ? 'widget_loads' : AUDITED_METRICS.find((name) => AUDITED[name] === event);
    if (!metric || row.view === UNREPORTED_VIEW) continue;
    const period = grain === 'hour' ? row.hour : `${row.hour.slice(0, 10)}T00:00:00Z`;
    const count = again === undefined ? row.count : -row.count;
    add(0, { period, group: readGroup(by, (name) => row[name]), metric, count });
  }
  for (const row of input.theirs) {
    const group = readGroup(by, (name) => placementValue(row[AUDIT_GROUPINGS[name]]));
    for (const metric of AUDITED_METRICS) {
      const count = Number(row[metric] ?? 0);
      if (count !== 0) add(1, { period: row.period_start, group, metric, count });
    }
  }
  const rows = [...cells.values()]
    .map(({ period, group, metric, both: [ours = 0, theirs = 0] }) =>
      judge({ period, group, metric, ours, theirs }, input),
    )
    .toSorted(inOrder);
  return { rows, totals: AUDITED_METRICS.map((metric) => totalOf(metric, rows, input)) };
}

type Counts = Pick<AuditRow, 'group' | 'metric' | 'ours' | 'theirs'> & { readonly period: string | null };

function judge({ period, group, metric, ours, theirs }: Counts, input: AuditInput): AuditRow {
  const difference = theirs - ours;
  // In whole millionths: 0.7 % of 1,000 are 7, and not a little less.
  const isFine = Math.abs(difference) * 1e6 <= Math.round(input.tolerance * 1e6) * Math.max(ours, theirs);
  const percent = ours === 0 ? null : Math.round((difference / ours) * 10_000) / 100;
  const verdict = verdictOf({ period, difference, isFine }, input);
  return { period_start: period, group, metric, ours, theirs, difference, percent, verdict };
}

function verdictOf(
  { period, difference, isFine }: { period: string | null; difference: number; isFine: boolean },
  { grain, dataThrough, now }: AuditInput,
): AuditVerdict {
  const end = period === null ? undefined : Date.parse(period) + (grain === 'hour' ? HOUR_MS : 24 * HOUR_MS);
  if (end !== undefined && end > now) return 'open';
  if (isFine) return 'ok';
  if (difference > 0) return 'extra';
  const isReported = end === undefined || (dataThrough !== null && end <= Date.parse(dataThrough) + HOUR_MS);
  return isReported ? 'missing' : 'late';
}

function totalOf(metric: AuditedMetric, rows: readonly AuditRow[], input: AuditInput): AuditRow {
  const closed = rows.filter((row) => row.metric === metric && row.verdict !== 'open');
  const sum = (side: 'ours' | 'theirs'): number => closed.reduce((total, row) => total + row[side], 0);
  const total = judge({ period: null, group: {}, metric, ours: sum('ours'), theirs: sum('theirs') }, input);
  // All that is missing may still come.
  const isLate = total.verdict === 'missing' && !closed.some(({ verdict }) => verdict === 'missing');
  return isLate && closed.some(({ verdict }) => verdict === 'late') ? { ...total, verdict: 'late' } : total;
}

function readGroup(by: readonly AuditGrouping[], valueOf: (name: AuditGrouping) => string | null): AuditRow['group'] {
  return Object.fromEntries(by.map((name) => [name, valueOf(name)]));
}

/** Networks return an empty text for a placement without a widget id, or null. */
function placementValue(value: string | number | null | undefined): string | null {
  return value === null || value === undefined || value === '' ? null : String(value);
}

function inOrder(one: AuditRow, other: AuditRow): number {
  const [a, b] = [one, other].map(({ period_start }) => period_start ?? '');
  if (a !== b) return (a ?? '') < (b ?? '') ? 1 : -1;
  const [x, y] = [one, other].map(({ group }) => JSON.stringify(group));
  if (x !== y) return (x ?? '') < (y ?? '') ? -1 : 1;
  return AUDITED_METRICS.indexOf(one.metric) - AUDITED_METRICS.indexOf(other.metric);
}
