import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, CallError } from '../app/call.ts';
import { useResource, type Resource } from '../app/useResource.ts';
import { datesOf, paramsOf, type ReportState } from './reportState.ts';
import type { ConsoleReport, ConsoleContext } from '../../protocol.ts';
import type { Row } from '../../../reports/comparison.ts';
import { dateOf } from '../../../../wire/utcDates.ts';

/** A report that has been read. */
export interface LoadedReport extends ConsoleReport {
  /** The state it was read for. */
  readonly state: ReportState;
  /** The request to the process. */
  readonly asked: URLSearchParams;
  /** Whether the history is too short to compare with. */
  readonly isUncompared: boolean;
}

/** Reads the report of a state, and again while it includes today. */
export function useReport(state: ReportState, session: ConsoleContext): Resource<LoadedReport> {
  const params = askedOf(state);
  const [today, dates] = [dateOf(Date.now()), datesOf(state)];
  const isLive = dates.to >= today;
  // The network has no data of the future, and refuses such requests.
  const key = dates.from > today ? undefined : params.toString();
  // Another order of the same report is made in the process; the same order is read again.
  const last = useRef<{ readonly key: string; readonly id: string } | undefined>(undefined);
  const resource = useResource<LoadedReport>({
    key,
    async load(signal) {
      const known = last.current && last.current.key !== key ? last.current.id : undefined;
      const report = await readReport({ state, asked: params, known, signal });
      last.current = { key: params.toString(), id: report.id };
      return report;
    },
    refresh: isLive ? session.refresh_ms : 0,
    async isSame(data, signal) {
      const now = paramsOf(state);
      now.delete('compare');
      now.delete('sort');
      now.set('limit', '1');
      const { totals, total, data_through } = await call<ConsoleReport>(`report?${now}`, { signal });
      const { counterpart: _before, change: _change, ...shown } = data.totals;
      return (
        data.total === total && data.data_through === data_through && JSON.stringify(shown) === JSON.stringify(totals)
      );
    },
  });
  const { data } = resource;
  // Another metric in the chart takes no call, unless its lines are other ones.
  const shown = useMemo(
    () => data && { ...data, state: { ...data.state, chart: hasGroups(data.state) ? data.state.chart : state.chart } },
    [data, state.chart],
  );
  return { ...resource, data: shown };
}

/** Returns the request to the process for a state. */
function askedOf(state: ReportState): URLSearchParams {
  const params = paramsOf(state);
  if (hasGroups(state)) params.set('chart', state.chart);
  return params;
}

/** Whether the chart has a line for each of the highest groups. */
function hasGroups({ by, grain }: ReportState): boolean {
  return by.length > 0 && grain !== 'total';
}

interface Reading {
  readonly state: ReportState;
  readonly asked: URLSearchParams;
  /** The id of a report that may differ in its order only. */
  readonly known: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads the report without its comparison when only that is outside the history. */
async function readReport({ state, asked, known, signal }: Reading): Promise<LoadedReport> {
  const read = async (params: URLSearchParams, isUncompared: boolean): Promise<LoadedReport> => {
    const report = await call<ConsoleReport>(`report?${withKnown(params, known)}`, { signal });
    return { ...report, state, asked: params, isUncompared };
  };
  try {
    return await read(asked, false);
  } catch (error) {
    const isOutside = error instanceof CallError && error.failure.code === 'outside_history';
    if (!isOutside || !asked.has('compare')) throw error;
    const alone = new URLSearchParams(asked);
    alone.delete('compare');
    return await read(alone, true);
  }
}

function withKnown(params: URLSearchParams, id: string | undefined): URLSearchParams {
  const known = new URLSearchParams(params);
  if (id !== undefined) known.set('known', id);
  return known;
}

/** Returns the CSV of all rows of a report: byte for byte what `offerlet-operator report --csv` prints. */
export async function readCsv({ asked, id }: LoadedReport): Promise<string> {
  return (await call<{ csv: string }>(`report-csv?${withKnown(asked, id)}`)).csv;
}

/** The rows of a report, of which the process has sent some. */
export interface ReportRows {
  readonly count: number;
  /** A row; undefined until it has been read. */
  at(index: number): Row | undefined;
  /** Says which rows are in view. */
  want(first: number, end: number): void;
}

/** Reads the rows of a report that come into view. */
export function useRows(report: LoadedReport, reload: () => void): ReportRows {
  const { id, count, asked } = report;
  const [read, setRead] = useState<{ readonly id: string; readonly rows: ReadonlyMap<number, Row> }>();
  const [missing, setMissing] = useState<number>();
  const rows = useMemo(() => {
    const all = new Map(report.rows.map((row, index) => [report.offset + index, row]));
    return read?.id === rowsKey(report) ? new Map([...read.rows, ...all]) : all;
  }, [report, read]);

  useEffect(() => {
    if (missing === undefined) return undefined;
    const controller = new AbortController();
    const params = withKnown(asked, id);
    params.delete('chart');
    params.set('offset', String(missing));
    call<ConsoleReport>(`report?${params}`, { signal: controller.signal }).then(
      (more) => {
        setMissing(undefined);
        // The process has read it again, so it may have other rows.
        if (more.id !== id) return reload();
        const added = more.rows.map((row, index) => [more.offset + index, row] as const);
        setRead((before) => ({
          id: rowsKey(report),
          rows: new Map([...(before?.id === rowsKey(report) ? before.rows : []), ...added]),
        }));
      },
      () => setMissing(undefined),
    );
    return () => controller.abort();
  }, [missing, id]);

  return {
    count,
    at: (index) => rows.get(index),
    want(first, end) {
      for (let index = first; index < Math.min(end, count); index++)
        if (!rows.has(index)) {
          if (missing === undefined || index < missing || index >= missing + 100) setMissing(index);
          return;
        }
    },
  };
}

function rowsKey({ id, asked }: LoadedReport): string {
  return `${id} ${asked.get('sort') ?? ''}`;
}
