import type { ReportQuery, ReportVariant } from '../../clients/reportQuery.ts';

const TEXTS = ['from', 'to', 'time_grain', 'sort_order', 'sort_by', 'sort_direction', 'compare'];
const LISTS = ['metrics', 'group_by', 'page_types', 'widget_types', 'publisher_ids'];

/** Reads the query of a report from the page's URL. Unknown parameters are left out; the network validates the rest. */
export function readReportQuery(params: URLSearchParams): ReportQuery<ReportVariant> {
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
