import type { JSX } from 'preact';
import { Bars } from '../chart/Bars.tsx';
import { chartDataOf } from '../chart/series.ts';
import { TimeChart } from '../chart/TimeChart.tsx';
import type { Row } from '../../protocol.ts';
import { keyText } from './ReportTable.tsx';
import { datesOf, grainOf, type ReportState } from './reportState.ts';
import type { LoadedReport } from './useReport.ts';

/** The chart of a report: lines over time, one for each of the highest groups, or bars when there is no time. */
export function ReportChart({ report }: { readonly report: LoadedReport }): JSX.Element | null {
  const { state, rows, groups, compared } = report;
  const metric = state.chart;
  const dates = datesOf(state);
  const grain = grainOf(state, dates);
  const nameOf = (row: Row): string => groupName(row, state);
  if (grain === 'total') return state.by.length === 0 ? null : <Bars rows={rows} metric={metric} nameOf={nameOf} />;
  const lines = groups?.map((group) => {
    const key = groupKey(group, state);
    return { name: nameOf(group), has: (row: Row) => groupKey(row, state) === key };
  });
  const data = chartDataOf({
    rows,
    metric,
    dates,
    grain,
    compared: compared ?? undefined,
    dataThrough: report.data_through,
    lines,
  });
  return <TimeChart data={data} metric={metric} grain={grain} />;
}

function groupName(row: Row, state: ReportState): string {
  return (
    state.by.map((name) => keyText(name === 'publisher' ? 'publisher_name' : name, row, 'total')).join(' · ') || 'All'
  );
}

/** A publisher is recognized by its id: two may have one name. */
function groupKey(row: Row, state: ReportState): string {
  return JSON.stringify(state.by.map((name) => row[name === 'publisher' ? 'publisher_id' : name] ?? null));
}
