import { always, bodyOf, type BrokenNetwork, callsTo, eachRow, type Json, queries } from './wrappers.ts';

const REPORTS = /\/v2\/report\/$/;
const BOTH = ['channel-report', 'publisher-report'];
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

const shift = (text: string, ms: number): string => new Date(Date.parse(text) + ms).toISOString().replace('.000', '');

export const BROKEN_REPORTS: readonly BrokenNetwork[] = [
  {
    does: 'POST is read as GET',
    only: BOTH,
    fails: ['R1.post', 'R2.method'],
    wrapper: always(callsTo(REPORTS, ({ method }) => (method === 'POST' ? { method: 'GET', body: '' } : undefined))),
  },
  {
    does: 'parameters that are not known are ignored',
    only: BOTH,
    fails: ['R5.unknown'],
    wrapper: always(queries(REPORTS, (query) => query.delete('foo'))),
  },
  {
    does: 'metrics come in the order of the specification',
    only: BOTH,
    fails: ['R12.order'],
    wrapper: always(
      queries(
        REPORTS,
        (query) => query.get('metrics') === 'clicks,impressions' && query.set('metrics', 'impressions,clicks'),
      ),
    ),
  },
  {
    does: 'a week begins on Sunday',
    only: BOTH,
    fails: ['R19.edge', 'R19.monday'],
    wrapper: always(
      bodyOf(REPORTS, ({ data }, { query }) => {
        if (query.get('time_grain') !== 'week') return;
        eachRow(data, (row) => {
          if (row.period_start > `${query.get('from')}U`) row.period_start = shift(row.period_start, -DAY_MS);
          if (row.period_end <= `${query.get('to')}U`) row.period_end = shift(row.period_end, -DAY_MS);
        });
      }),
    ),
  },
  {
    does: 'a period ends a second before midnight',
    only: BOTH,
    fails: ['R10.one-day', 'R17.total', 'R57.hours'],
    wrapper: always(
      bodyOf(REPORTS, ({ data }) => eachRow(data, (row) => (row.period_end = shift(row.period_end, -SECOND_MS)))),
    ),
  },
  {
    does: 'a day begins at 23:00',
    only: BOTH,
    fails: ['R10.one-day'],
    wrapper: always(
      bodyOf(REPORTS, ({ data }, { query }) => {
        const isPlain = query.get('time_grain') === 'day' && query.get('sort_order') === 'asc';
        if (isPlain) eachRow(data, (row) => (row.period_start = row.period_start.replace('T00', 'T23')));
      }),
    ),
  },
  {
    does: 'a filter adds its column',
    only: BOTH,
    fails: ['R26.no-column'],
    wrapper: always(
      bodyOf(REPORTS, ({ data }, { query }) => {
        const type = query.get('page_types');
        if (type) eachRow(data, (row) => (row.page_type = type));
      }),
    ),
  },
  {
    does: 'rows come oldest first',
    only: BOTH,
    fails: ['R30.order'],
    wrapper: always(queries(REPORTS, (query) => query.get('sort_order') === 'desc' && query.set('sort_order', 'asc'))),
  },
  {
    does: 'an offset repeats a row',
    only: BOTH,
    fails: ['R35.pages'],
    wrapper: always(
      queries(REPORTS, (query) => {
        const offset = Number(query.get('offset'));
        if (offset > 1 && offset < 1_000) query.set('offset', String(offset - 1));
      }),
    ),
  },
  {
    does: 'the summary is that of the page',
    only: BOTH,
    fails: ['R35.pages'],
    wrapper: always(
      bodyOf(REPORTS, ({ data, summary, pagination }, { query }) => {
        if (query.get('limit') !== '2' || pagination.total === data.length) return;
        for (const name of Object.keys(summary))
          summary[name] = data.reduce((all: number, row: Json) => all + row[name], 0);
      }),
    ),
  },
  {
    does: 'a ratio of the summary is the mean of those of the rows',
    only: BOTH,
    fails: ['R38.ratio'],
    wrapper: always(
      bodyOf(REPORTS, ({ data, summary }, { query }) => {
        if (query.get('time_grain') !== 'day' || !('ctr' in summary)) return;
        summary.ctr = Number((data.reduce((all: number, row: Json) => all + row.ctr, 0) / data.length).toFixed(4));
      }),
    ),
  },
  {
    does: 'cents are rounded per cell',
    only: ['channel-report'],
    fails: ['R39.exact'],
    wrapper: always(async (call, send) => {
      const response = await send(call);
      const { query, path } = call;
      if (!path.startsWith('/adnet/') || query.has('metrics') || query.has('group_by') || query.has('time_grain'))
        return response;
      if (!response.ok) return response;
      const body = (await response.clone().json()) as Json;
      const names = ['channel_payout', 'revenue_with_email', 'revenue_without_email'];
      if (!(body.summary.channel_payout > 0)) return response;
      const sums = new Map(names.map((name) => [name, 0]));
      for (let offset = 0, isMore = true; isMore; offset += 250) {
        const cells = new URLSearchParams(query);
        for (const [name, value] of Object.entries({
          time_grain: 'day',
          group_by: 'publisher,page_type,widget_type',
          limit: '250',
          offset: `${offset}`,
        }))
          cells.set(name, value);
        const page = (await (await send({ ...call, query: cells })).json()) as Json;
        for (const row of page.data) for (const name of names) sums.set(name, (sums.get(name) ?? 0) + row[name]);
        isMore = page.pagination.has_more;
      }
      for (const [name, sum] of sums) body.summary[name] = Math.round(sum * 100) / 100;
      return Response.json(body, { headers: response.headers });
    }),
  },
  {
    does: 'totals of money lose what a day has',
    only: ['channel-report'],
    fails: ['R57.metrics'],
    wrapper: always(
      bodyOf(REPORTS, ({ summary }, { query }) => {
        if (query.get('time_grain') === 'day' && 'order_revenue_amount' in summary) summary.order_revenue_amount -= 5;
      }),
    ),
  },
  {
    does: 'cvr of publishers is another ratio',
    only: ['publisher-report'],
    fails: ['R42.cvr'],
    wrapper: always(
      bodyOf(REPORTS, ({ summary }, { query }) => {
        if (query.get('metrics')?.endsWith(',cvr')) summary.cvr += 0.01;
      }),
    ),
  },
  {
    does: 'a ratio has all its digits',
    only: BOTH,
    fails: ['R43.digits'],
    wrapper: always(bodyOf(REPORTS, ({ summary }) => void (summary.ctr && (summary.ctr += 0.000_000_001)))),
  },
  {
    does: 'all responses have one request_id',
    only: BOTH,
    fails: ['R53.meta'],
    wrapper: always(bodyOf(REPORTS, ({ meta }) => void (meta.request_id = 'one'))),
  },
  {
    does: 'an hour of each day is lost',
    only: BOTH,
    fails: ['R57.hours'],
    wrapper: always(
      bodyOf(REPORTS, (body, { query }) => {
        if (query.get('time_grain') === 'hour') body.data.splice(0, 1);
      }),
    ),
  },
];
