import type { ReportingClient } from '../../clients/ReportingClient.ts';
import type { ReportVariant } from '../../clients/reportQuery.ts';
import type { ConsoleReport, Row, Totals } from '../protocol.ts';
import { readReportQuery } from './readReportQuery.ts';

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
