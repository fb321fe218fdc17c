import { useMemo } from 'preact/hooks';
import { call, CallError } from '../app/call.ts';
import { useResource, type Resource } from '../app/useResource.ts';
import { datesOf, paramsOf, sortingOf, type ReportState } from './reportState.ts';
import { isSortedByNetwork, sortRows } from '../../../reports/sortRows.ts';
import type { ConsoleReport, ConsoleContext } from '../../protocol.ts';
import { dateOf } from '../../../../wire/utcDates.ts';

/** A report, and what a chart of its breakdown needs. */
export interface LoadedReport extends ConsoleReport {
  /** The state it was read for. */
  readonly state: ReportState;
  /** The highest groups over all dates, when the report has breakdowns and periods. */
  readonly groups: ConsoleReport['rows'] | undefined;
  /** Whether the history is too short to compare with. */
  readonly isUncompared: boolean;
}

/** Maximum lines of a chart: more can't be distinguished. */
export const MAX_LINES = 6;

/** Reads the report of a state, and again while it includes today. */
export function useReport(state: ReportState, session: ConsoleContext): Resource<LoadedReport> {
  const { variant } = session;
  const params = paramsOf(state, variant);
  const isLive = datesOf(state).to >= dateOf(Date.now());
  const resource = useResource<LoadedReport>({
    key: JSON.stringify([params.toString(), hasGroups(state) ? state.chart : '']),
    load: (signal) => readReport({ state, session, signal }),
    refresh: isLive ? session.refresh_ms : 0,
    async isSame(data, signal) {
      const now = paramsOf(state, variant);
      now.delete('compare');
      now.set('limit', '1');
      const { totals, total, data_through } = await call<ConsoleReport>(`report?${now}`, { signal });
      const { counterpart: _before, change: _change, ...shown } = data.totals;
      return (
        data.total === total && data.data_through === data_through && JSON.stringify(shown) === JSON.stringify(totals)
      );
    },
  });
  const { data } = resource;
  // Another metric in the chart, and a sort that the network does not know, take no call.
  const shown = useMemo(() => {
    if (!data) return undefined;
    const chart = hasGroups(data.state) ? data.state.chart : state.chart;
    if (isSortedByNetwork(sortingOf(data.state, variant))) return { ...data, state: { ...data.state, chart } };
    return { ...data, rows: sortRows(data.rows, state.sort), state: { ...data.state, chart, sort: state.sort } };
  }, [data, state.sort, state.chart]);
  return { ...resource, data: shown };
}

/** Whether the chart has a line for each of the highest groups. */
function hasGroups({ by, grain }: ReportState): boolean {
  return by.length > 0 && grain !== 'total';
}

interface Reading {
  readonly state: ReportState;
  readonly session: ConsoleContext;
  readonly signal: AbortSignal;
}

async function readReport({ state, session, signal }: Reading): Promise<LoadedReport> {
  const params = paramsOf(state, session.variant);
  const read = (query: URLSearchParams): Promise<ConsoleReport> => call<ConsoleReport>(`report?${query}`, { signal });
  const [{ report, isUncompared }, groups] = await Promise.all([
    readCompared(params, read),
    hasGroups(state) ? read(groupParams(params, state)) : undefined,
  ]);
  return {
    ...report,
    state,
    isUncompared,
    groups: groups?.rows.slice(0, MAX_LINES),
  };
}

/** Reads the report without its comparison when only that is outside the history. */
async function readCompared(
  params: URLSearchParams,
  read: (query: URLSearchParams) => Promise<ConsoleReport>,
): Promise<{ report: ConsoleReport; isUncompared: boolean }> {
  try {
    return { report: await read(params), isUncompared: false };
  } catch (error) {
    const isOutside = error instanceof CallError && error.failure.code === 'outside_history';
    if (!isOutside || !params.has('compare')) throw error;
    const alone = new URLSearchParams(params);
    alone.delete('compare');
    return { report: await read(alone), isUncompared: true };
  }
}

/** The totals of each group: ratios of a group can't be made from its periods. */
function groupParams(params: URLSearchParams, state: ReportState): URLSearchParams {
  const totals = new URLSearchParams(params);
  totals.delete('compare');
  totals.set('time_grain', 'total');
  totals.set('metrics', state.chart);
  totals.set('sort', `-${state.chart}`);
  totals.set('limit', String(MAX_LINES));
  return totals;
}
