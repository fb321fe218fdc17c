import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, CallError } from '../app/call.ts';
import { useResource, type Resource } from '../app/useResource.ts';
import type { ConsoleReport, ConsoleRows, ConsoleContext } from '../../protocol.ts';
import type { Row } from '../../../reports/comparison.ts';
import { datesOfSpec } from '../../../reports/reportSpec.ts';
import { queryOfState, type ReportState } from '../../../reports/reportState.ts';
import { dateOf } from '../../../../wire/utcDates.ts';

/** A report that has been read. */
export interface LoadedReport extends ConsoleReport {
  /** The state it was read for. */
  readonly state: ReportState;
  /** `state` in a URL. */
  readonly query: string;
  /** Whether the history is too short to compare with. */
  readonly isUncompared: boolean;
}

/** Reads the report of a state, and again while it includes today. */
export function useReport(state: ReportState, session: ConsoleContext): Resource<LoadedReport> {
  const [today, dates] = [dateOf(Date.now()), datesOfSpec(state)];
  // Another metric in the chart takes no call, unless its lines are other ones.
  const asked = hasGroups(state) ? state : { ...state, chart: state.metrics[0] ?? '' };
  // The network has no data of the future, and refuses such requests.
  const key = dates.from > today ? undefined : `${queryOfState(asked)} ${dates.to}`;
  // Another order of the same report is made in the process; the same order is read again.
  const last = useRef<string>(undefined);
  const resource = useResource<LoadedReport>({
    key,
    async load(signal) {
      const report = await readReport(asked, { isKept: last.current !== undefined && last.current !== key, signal });
      last.current = key;
      return report;
    },
    refresh: dates.to >= today ? session.refresh_ms : 0,
    async isSame(data, signal) {
      const now = queryOfState({ ...asked, compare: undefined, sort: '' });
      const { totals, total, data_through } = await call<ConsoleReport>(`report?${now}&limit=1`, { signal });
      const { counterpart: _before, change: _change, ...shown } = data.totals;
      return (
        data.total === total && data.data_through === data_through && JSON.stringify(shown) === JSON.stringify(totals)
      );
    },
  });
  const { data } = resource;
  const shown = useMemo(
    () => data && { ...data, state: { ...data.state, chart: hasGroups(data.state) ? data.state.chart : state.chart } },
    [data, state.chart],
  );
  return { ...resource, data: shown };
}

/** Whether the chart has a line for each of the highest groups. */
function hasGroups({ by, grain }: ReportState): boolean {
  return by.length > 0 && grain !== 'total';
}

/** Reads the report without its comparison when only that is outside the history. */
async function readReport(
  state: ReportState,
  // `isKept`: one that the process keeps will do.
  { isKept, signal }: { readonly isKept: boolean; readonly signal: AbortSignal },
): Promise<LoadedReport> {
  const read = async (asked: ReportState): Promise<LoadedReport> => {
    const query = queryOfState(asked);
    const report = await call<ConsoleReport>(`report?${query}${isKept ? '&kept=1' : ''}`, { signal });
    return { ...report, state: asked, query, isUncompared: asked !== state };
  };
  try {
    return await read(state);
  } catch (error) {
    const isOutside = error instanceof CallError && error.failure.kind === 'outside_history';
    if (!isOutside || state.compare === undefined) throw error;
    return await read({ ...state, compare: undefined });
  }
}

/** Returns the CSV of all rows of a report: byte for byte what `offerlet-operator report --csv` prints. */
export async function readCsv({ query }: LoadedReport): Promise<string> {
  return (await call<{ csv: string }>(`report-csv?${query}&kept=1`)).csv;
}

/** The rows of a report, of which the process has sent some. */
export interface ReportRows {
  readonly count: number;
  /** Why the rows in view could not be read, and when that is tried again. */
  readonly reading: Resource<unknown>;
  /** A row; undefined until it has been read. */
  at(index: number): Row | undefined;
  /** Says which rows are in view. */
  want(first: number, end: number): void;
}

/** Reads the rows of a report that come into view: one window at a time, and then the one that is in view by then. */
export function useRows(report: LoadedReport, whole: Resource<LoadedReport>): ReportRows {
  const { read_at, count, query } = report;
  const id = `${query}&read_at=${read_at}`;
  const held = useRef<{ readonly id: string; readonly rows: Map<number, Row> }>(undefined);
  if (held.current?.id !== id) held.current = { id, rows: new Map(report.rows.entries()) };
  const { rows } = held.current;
  /** The first row in view that has not been read. */
  const wanted = useRef(0);
  const [isWanting, setWanting] = useState(false);
  /** The window that is under way: it is not cancelled by what is wanted next, and no other one is read beside it. */
  const underWay = useRef<Promise<void>>(undefined);
  async function readWindow(): Promise<void> {
    const more = await call<ConsoleRows>(`report-rows?${id}&offset=${wanted.current}`);
    for (const [index, row] of more.rows.entries()) rows.set(more.offset + index, row);
  }
  const reading = useResource({
    key: isWanting ? id : undefined,
    async load() {
      underWay.current ??= readWindow().finally(() => (underWay.current = undefined));
      await underWay.current;
      setWanting(false);
    },
  });
  const failure = isWanting ? reading.failure : undefined;
  // The process no longer has this report: the whole is read again, unless that waits already, as the network asked.
  useEffect(() => {
    if (failure?.kind === 'changed' && !whole.isLoading && whole.retryIn === 0) whole.reload();
  }, [failure]);

  return {
    count,
    reading: { ...reading, failure: failure?.kind === 'changed' ? undefined : failure },
    at: (index) => rows.get(index),
    want(first, end) {
      for (let index = first; index < Math.min(end, count); index++)
        if (!rows.has(index)) {
          wanted.current = index;
          return setWanting(true);
        }
      if (!underWay.current) setWanting(false);
    },
  };
}
