import type { JSX } from 'preact';
import { focusHeading, Link } from '../app/router.tsx';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import type { Row } from '../../../reports/comparison.ts';
import { labelOf } from '../../../reports/format.ts';
import { GROUPINGS } from '../../../reports/reportQuery.ts';
import { queryOfState, type ReportState } from '../../../reports/reportState.ts';
import { addDays, monthEnd } from '../../../../wire/utcDates.ts';

interface OfWhichProps {
  readonly row: Row;
  readonly state: ReportState;
  /** What the row is called. */
  readonly text: string;
  readonly tabIndex?: number;
}

/** Opens the reports that a row is made of. */
export function OfWhich({ row, text, state, tabIndex = 0 }: OfWhichProps): JSX.Element | null {
  const drills = drillDownsOf(row, state);
  if (drills.length === 0) return null;
  return (
    <Popover class="of-which" name={`${text}: of which …`} label={<Icon name="split" />} tabIndex={tabIndex}>
      {(close) => (
        <nav class="menu" aria-label={`${text}: of which`}>
          <p class="quiet">Of which</p>
          {drills.map(({ label, state: closer }) => (
            <Link
              key={label}
              to={`?${queryOfState(closer)}`}
              onClick={() => {
                focusHeading();
                close();
              }}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
    </Popover>
  );
}

/** The details of one row. */
interface DrillDown {
  readonly label: string;
  readonly state: ReportState;
}

const FINER = { month: 'day', week: 'day', day: 'hour' } as const;
/**
 * Returns the reports that a row is made of: its own dates and filters, with another breakdown or a finer grain. The network
 * has no filter for widget ids, so a row of one has none unless its dates are enough.
 */
export function drillDownsOf(row: Row, state: ReportState): readonly DrillDown[] {
  const { publisher, page_type, widget_type } = state.filters;
  if (state.by.includes('widget_id')) return [];
  const own = (name: string, list: readonly string[]): readonly string[] => {
    const value = row[name];
    return typeof value === 'string' && value !== '' ? [value] : list;
  };
  const within: ReportState = {
    ...state,
    ...datesOfRow(row, state),
    filters: {
      publisher: own('publisher_id', publisher),
      page_type: own('page_type', page_type),
      widget_type: own('widget_type', widget_type),
    },
    sort: '',
  };
  const rest = GROUPINGS[state.variant].filter((name) => !state.by.includes(name));
  const drills = rest.map((name): DrillDown => {
    return {
      label: `by ${labelOf(name).replace(/^./, (first) => first.toLowerCase())}`,
      state: { ...within, by: [name], grain: 'total', sort: `-${state.chart}` },
    };
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
      return { period: { from, to: from } };
    case 'week':
    case 'month': {
      // Edge periods are clipped to the report's dates; their end is exclusive.
      const end = addDays(row.period_end.slice(0, 10), -1);
      return { period: { from, to: end < from ? monthEnd(from) : end } };
    }
  }
}
