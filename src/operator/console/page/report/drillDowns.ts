import { addDays, monthEnd } from '../../../../wire/utcDates.ts';
import type { Row } from '../../protocol.ts';
import { groupingsOf, type ReportState, type Variant } from './reportState.ts';

/** A closer look at one row. */
export interface DrillDown {
  readonly label: string;
  readonly state: ReportState;
}

const FINER = { month: 'day', week: 'day', day: 'hour' } as const;
const BY: Readonly<Record<string, string>> = {
  publisher: 'by publisher',
  page_type: 'by page type',
  widget_type: 'by widget type',
  widget_id: 'by widget ID',
};

/**
 * Returns the reports that a row is made of: its own dates and filters, with another breakdown or a finer grain. The network
 * has no filter for widget ids, so a row of one has none unless its dates are enough.
 */
export function drillDownsOf(row: Row, state: ReportState, variant: Variant): readonly DrillDown[] {
  const { publisher_ids, page_types, widget_types } = state.filters;
  if (state.by.includes('widget_id')) return [];
  const own = (name: string, list: readonly string[]): readonly string[] => {
    const value = row[name];
    return typeof value === 'string' && value !== '' ? [value] : list;
  };
  const within: ReportState = {
    ...state,
    ...datesOfRow(row, state),
    filters: {
      publisher_ids: own('publisher_id', publisher_ids),
      page_types: own('page_type', page_types),
      widget_types: own('widget_type', widget_types),
    },
    sort: '',
  };
  const rest = groupingsOf(variant).filter((name) => !state.by.includes(name));
  const drills = rest.map((name): DrillDown => {
    const label = BY[name] ?? name;
    return { label, state: { ...within, by: [name], grain: 'total', sort: `-${state.chart}` } };
  });
  const finer = state.grain in FINER ? FINER[state.grain as keyof typeof FINER] : undefined;
  const over = state.grain === 'total' ? 'day' : finer;
  if (over !== undefined) drills.push({ label: `by ${over}`, state: { ...within, by: [], grain: over } });
  return drills;
}

/** The dates of the row's period, within those of the report. */
function datesOfRow(row: Row, state: ReportState): Partial<ReportState> {
  const from = row.period_start.slice(0, 10);
  switch (state.grain) {
    case 'total':
      return {};
    case 'hour':
    case 'day':
      return { period: 'custom', from, to: from };
    case 'week':
    case 'month': {
      // Edge periods are clipped to the report's dates; their end is exclusive.
      const end = addDays(row.period_end.slice(0, 10), -1);
      return { period: 'custom', from, to: end < from ? monthEnd(from) : end };
    }
  }
}
