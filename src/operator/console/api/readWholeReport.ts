import type { ReportingClient } from '../../clients/ReportingClient.ts';
import type { ReportQuery, ReportVariant } from '../../clients/reportQuery.ts';
import type { ConsoleReport, Row, Totals } from '../protocol.ts';

const TEXTS = ['from', 'to', 'time_grain', 'sort_order', 'sort_by', 'sort_direction', 'compare'];
const LISTS = ['metrics', 'group_by', 'page_types', 'widget_types', 'publisher_ids'];

/** What both kinds of pages of a report have; with a comparison there is more. */
interface Page {
  readonly data: readonly object[];
  readonly gone?: readonly object[];
  readonly totals: object;
  readonly compared?: { readonly from: string; readonly to: string };
  readonly pagination: { readonly total: number };
  readonly meta: { readonly timezone: string; readonly data_through: string | null };
}

/** GET report: all rows of a report, or with `limit` its first ones. */
export async function readWholeReport(
  client: ReportingClient<ReportVariant>,
  call: { readonly url: URL; readonly signal: AbortSignal },
): Promise<ConsoleReport> {
  const query = readReportQuery(call.url.searchParams);
  const rows: object[] = [];
  let last: Page | undefined;
  if (query.limit !== undefined) {
    last = (await client.report(query, { signal: call.signal })) as Page;
    rows.push(...last.data);
  } else
    for await (const page of client.pages(query, { signal: call.signal })) {
      last = page as Page;
      rows.push(...last.data, ...(last.gone ?? []));
    }
  if (!last) throw new Error('A report has at least one page.');
  return {
    rows: rows as Row[],
    totals: last.totals as Totals,
    compared: last.compared ?? null,
    total: last.pagination.total,
    timezone: last.meta.timezone,
    data_through: last.meta.data_through,
  };
}

/** Reads the query of a report from the page's URL. Unknown parameters are left out; the network validates the rest. */
function readReportQuery(params: URLSearchParams): ReportQuery<ReportVariant> {
  const query: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const value = params.get(name);
    if (value) query[name] = value;
  }
  for (const name of LISTS) {
    const value = params.get(name);
    if (value) query[name] = value.split(',');
  }
  const limit = params.get('limit');
  if (limit !== null && /^\d{1,5}$/.test(limit)) query['limit'] = Number(limit);
  return query as ReportQuery<ReportVariant>;
}
