import type { ComponentChildren, JSX } from 'preact';
import { useLabels } from '../app/router.tsx';
import { Card } from '../parts/layout.tsx';
import { datesOfSpec, grainOf } from '../../../reports/reportSpec.ts';
import type { ReportState } from '../../../reports/reportState.ts';
import { keyText } from './ReportTable.tsx';
import type { LoadedReport } from './useReport.ts';
import type { Row } from '../../../reports/comparison.ts';
import { changeText, comparedText, newsOf, rangeText, valueText } from '../../../reports/format.ts';
import { chartDataOf, groupKeyOf } from '../../../reports/series.ts';
import { TimeChart } from '../chart/TimeChart.tsx';
import { dateOf } from '../../../../wire/utcDates.ts';

interface ChartCardProps {
  readonly report: LoadedReport;
  /** In place of a chart without activity. */
  readonly children: ComponentChildren;
}

/** The chart of a report with its title, its dates, and what they are compared with. */
export function ChartCard({ report, children }: ChartCardProps): JSX.Element {
  const { state, compared } = report;
  const dates = datesOfSpec(state);
  // Today is compared up to the same hour, unless the network has no such hours.
  const isPartial = compared && compared.hours === undefined && dates.to >= dateOf(Date.now());
  return (
    <Card
      title={useLabels()(state.chart)}
      class="chart-card"
      beside={
        <p class="quiet">
          {rangeText(dates)} UTC
          {compared && (
            <span class={report.groups ? undefined : 'key-before'}>compared with {comparedText(compared, state)}</span>
          )}
          {isPartial && <span>Today is not over yet, but the days compared with are.</span>}
          {report.isUncompared && <span>The history is too short to compare with.</span>}
        </p>
      }
    >
      {report.total === 0 ? children : <ReportChart report={report} />}
    </Card>
  );
}

/** In place of a chart that has not arrived. */
export function ChartOutline(): JSX.Element {
  return (
    <section class="card chart-card" role="status" aria-label="Loading the report">
      <div class="bone tall" />
      <div class="bone" />
      <div class="bone" />
    </section>
  );
}

/** The chart of a report: lines over time, one for each of the highest groups, or bars when there is no time. */
function ReportChart({ report }: { readonly report: LoadedReport }): JSX.Element | null {
  const { state, groups, compared } = report;
  const rows = report.chart_rows ?? report.rows;
  const metric = state.chart;
  const dates = datesOfSpec(state);
  const grain = grainOf(state, dates);
  const nameOf = (row: Row): string => groupName(row, state);
  if (grain === 'total')
    return state.by.length === 0 ? null : <Bars rows={rows} count={report.count} metric={metric} nameOf={nameOf} />;
  const names = new Map(groups?.map((group) => [groupKeyOf(group, state.by), nameOf(group)]));
  const lines = groups ? { names: [...names.keys()], of: (row: Row) => groupKeyOf(row, state.by) } : undefined;
  const data = chartDataOf({
    rows,
    metric,
    dates,
    grain,
    compared: compared ?? undefined,
    dataThrough: report.data_through,
    lines,
  });
  const series = data.series.map((line) => ({ ...line, name: names.get(line.name) ?? line.name }));
  return <TimeChart data={{ ...data, series }} metric={metric} grain={grain} />;
}

function groupName(row: Row, state: ReportState): string {
  return (
    state.by.map((name) => keyText(name === 'publisher' ? 'publisher_name' : name, row, 'total')).join(' · ') || 'All'
  );
}

/** What the bars show. */
interface BarsProps {
  /** The highest rows by the metric, perhaps others too. */
  readonly rows: readonly Row[];
  /** How many rows there are. */
  readonly count: number;
  readonly metric: string;
  nameOf(row: Row): string;
}

/** The most bars that are drawn; the table has all. */
const MAX_BARS = 12;

/** One bar for each row, the highest first, with its exact value. */
function Bars({ rows, count, metric, nameOf }: BarsProps): JSX.Element {
  const value = (row: Row): number => Number(row[metric] ?? 0);
  const highest = rows.toSorted((a, b) => value(b) - value(a)).slice(0, MAX_BARS);
  const before = (row: Row): number => Number(row.counterpart?.[metric] ?? 0);
  const top = Math.max(...highest.flatMap((row) => [value(row), before(row)]), Number.EPSILON);
  return (
    <>
      <ol class="bars">
        {highest.map((row, place) => (
          <li key={place}>
            <span class="name">{nameOf(row)}</span>
            <span class="track">
              <span class="bar" style={{ inlineSize: `${(value(row) / top) * 100}%` }} />
              {row.change && (
                <span
                  class="before"
                  style={{ insetInlineStart: `${(before(row) / top) * 100}%` }}
                  title={`Before: ${valueText(metric, before(row))}`}
                />
              )}
            </span>
            <span class="value">{valueText(metric, value(row))}</span>
            {row.change && (
              <span class={`change ${newsOf(metric, row.change[metric], before(row)) ?? 'flat'}`}>
                {changeText(row.change[metric], before(row))}
              </span>
            )}
          </li>
        ))}
      </ol>
      {count > highest.length && (
        <p class="quiet">
          The {MAX_BARS} highest of {count}. All are in the table.
        </p>
      )}
    </>
  );
}
