import type { JSX } from 'preact';
import { go, type PageProps } from '../app/router.tsx';
import { ChartCard, ChartOutline } from './ReportChart.tsx';
import { Button, CopyButton, CsvButton } from '../parts/controls.tsx';
import { CardOutlines, FailurePanel, StaleBanner } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/layout.tsx';
import { Controls } from './Controls.tsx';
import { commandOf, fitted, queryOfState, readState, type ReportState } from '../../../reports/reportState.ts';
import { Funnel } from './Funnel.tsx';
import { ReportTable } from './ReportTable.tsx';
import { Tiles } from './Tiles.tsx';
import { readCsv, useReport, useRows, type LoadedReport } from './useReport.ts';
import type { Resource } from '../app/useResource.ts';
import type { ConsoleContext } from '../../protocol.ts';
import type { Failure } from '../../../failures.ts';
import { labelOf, momentText, plural } from '../../../reports/format.ts';
import { datesOfSpec, grainOf, NO_FILTERS } from '../../../reports/reportSpec.ts';
import { dateOf } from '../../../../wire/utcDates.ts';

const LAST_28_DAYS = { period: 'last_28_days' } as const;

/** The report: what to see, totals, chart, table, and the command that prints the same. */
export function ReportPage({ place, session }: PageProps): JSX.Element {
  const { variant, metrics: enabled } = session;
  const state = readState(place.params, variant, enabled);
  const resource = useReport(state, session);
  const { data: report, failure } = resource;
  const change = (changes: Partial<ReportState>): void => {
    const query = queryOfState(fitted({ ...state, ...changes }));
    go(query === '' ? '' : `?${query}`);
  };
  const isFuture = datesOfSpec(state).from > dateOf(Date.now());
  const isOther = report !== undefined && resource.isLoading && !resource.isCurrent;

  return (
    <>
      <PageHead title="Report" />
      <Controls state={state} enabled={enabled} change={change} />
      {resource.isCurrent && <StaleBanner resource={resource} />}
      {isFuture ? (
        <p class="stale" role="status">
          <Icon name="warning" />
          <span>These dates begin in the future. There is no data yet.</span>
          <Button kind="small" onClick={() => change(LAST_28_DAYS)}>
            Show the last 28 days
          </Button>
        </p>
      ) : failure && !resource.isCurrent ? (
        <FailurePanel failure={failure} resource={resource}>
          {waysOut(failure, state).map(({ label, changes }) => (
            <Button key={label} kind="primary" onClick={() => change(changes)}>
              {label}
            </Button>
          ))}
        </FailurePanel>
      ) : (
        <div class={isOther ? 'content loading' : 'content'} aria-busy={resource.isLoading}>
          <Tiles
            totals={report?.totals}
            metrics={report?.state.metrics ?? state.metrics}
            chart={state.chart}
            choose={(chart) => change({ chart })}
          />
          {report ? (
            <Loaded report={report} resource={resource} session={session} state={state} change={change} />
          ) : (
            <div class="outline">
              <ChartOutline />
              <CardOutlines cards={[7, 10]} />
            </div>
          )}
        </div>
      )}
      {!isFuture && (report || failure) && (
        // Without the comparison, where the history is too short for it: the command would end with an error.
        <Command
          state={report?.isUncompared && resource.isCurrent ? { ...state, compare: undefined } : state}
          session={session}
        />
      )}
    </>
  );
}

interface LoadedProps {
  readonly report: LoadedReport;
  readonly session: ConsoleContext;
  readonly state: ReportState;
  readonly resource: Resource<LoadedReport>;
  change(changes: Partial<ReportState>): void;
}

function Loaded({ report, resource, session, state, change }: LoadedProps): JSX.Element {
  const { data_through } = report;
  const rows = useRows(report, resource);
  const dates = datesOfSpec(report.state);
  /** Sorts, and shows the first rows. */
  function order(sort: string): void {
    change({ sort });
    const table = document.querySelector('.table-card');
    if (table && table.getBoundingClientRect().top < 0) table.scrollIntoView();
  }

  return (
    <>
      <ChartCard report={report}>
        <Empty state={report.state} change={change} />
      </ChartCard>
      {report.total > 0 && <Funnel state={report.state} session={session} />}
      {report.total > 0 && (
        <section class="card table-card" aria-label="Table">
          <header>
            <p class="quiet" role="status">
              {plural(rows.count, 'row')}
              {report.isUnsteady && ' · The report changes while it is read: a row may be missing or twice'}
              {grainOf(state, dates) !== state.grain && ' · by day, because hours are available for 3 dates at most'}
            </p>
            <CsvButton name={`report-${dates.from}-${dates.to}`} make={() => readCsv(report)} />
          </header>
          <StaleBanner resource={rows.reading} shown="The rows in view could not be read." />
          <ReportTable
            rows={rows}
            totals={report.totals}
            state={report.state}
            dataThrough={data_through}
            sort={(column) => order(nextSort(state.sort, column))}
          />
        </section>
      )}
      <p class="foot-note quiet">
        {data_through === null
          ? 'The network does not say how new its data is.'
          : `Data through the period that began ${momentText(data_through)}.`}{' '}
        Days, weeks and months are {report.timezone}.
        {session.currency === null &&
          ` Reports name no currency: amounts are in the one in which the network bills ${session.variant === 'channel' ? 'the channel' : 'the publisher'}.`}
      </p>
    </>
  );
}

/** Highest first, then lowest first, then as the network sorts. `sort` is what was asked for last: it may not be shown yet. */
function nextSort(sort: string, column: string): string {
  if (sort === `-${column}`) return column;
  return sort === column ? '' : `-${column}`;
}

function Empty({ state, change }: Pick<LoadedProps, 'state' | 'change'>): JSX.Element {
  const isFiltered = Object.values(state.filters).some((list) => list.length > 0);
  return (
    <div class="empty">
      <p>
        <b>No activity</b> {isFiltered ? 'matches these filters on these dates.' : 'on these dates.'}
      </p>
      <p class="row actions">
        {isFiltered && <Button onClick={() => change({ filters: NO_FILTERS })}>Remove the filters</Button>}
        {state.period !== 'last_28_days' && <Button onClick={() => change(LAST_28_DAYS)}>Show the last 28 days</Button>}
      </p>
    </div>
  );
}

function Command({ state, session }: { readonly state: ReportState; readonly session: ConsoleContext }): JSX.Element {
  const command = commandOf(state, session);
  return (
    <section class="command" aria-label="The command that prints this report">
      <code tabindex={0} role="textbox" aria-readonly="true" aria-label="Command">
        {command}
      </code>
      <CopyButton text={command} name="Copy the command" />
    </section>
  );
}

/** A change of the report that the network would accept. */
interface WayOut {
  readonly label: string;
  readonly changes: Partial<ReportState>;
}

/** Returns what to change after a failure. */
function waysOut(failure: Failure, state: ReportState): readonly WayOut[] {
  if (failure.kind === 'too_large') {
    const ways: WayOut[] = [];
    if (state.grain === 'hour') ways.push({ label: 'Show days', changes: { grain: 'day' } });
    if (state.grain === 'day') ways.push({ label: 'Show weeks', changes: { grain: 'week' } });
    if (state.grain !== 'total') ways.push({ label: 'Show totals only', changes: { grain: 'total' } });
    const last = state.by.at(-1);
    if (last !== undefined)
      ways.push({ label: `Without ${labelOf(last).toLowerCase()}`, changes: { by: state.by.slice(0, -1) } });
    return ways;
  }
  if (failure.kind === 'outside_history')
    return failure.window
      ? [{ label: 'Show what is available', changes: { period: failure.window } }]
      : [{ label: 'Show the last 28 days', changes: { period: 'last_28_days' } }];
  if (failure.kind !== 'metric_not_available') return [];
  const missing = failure.unsupported_metrics ?? [];
  const metrics = state.metrics.filter((name) => !missing.includes(name));
  return metrics.length > 0 && metrics.length < state.metrics.length
    ? [{ label: `Without ${missing.map(labelOf).join(', ')}`, changes: { metrics } }]
    : [];
}
