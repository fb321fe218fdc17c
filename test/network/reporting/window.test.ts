import { expect, test } from 'vitest';
import type { Answer, Fact } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

const tooMany = (code: string, max_rows: number, total_rows: number) => [
  400,
  { code, message: expect.any(String) as unknown, max_rows, total_rows },
];

/** One click on each of so many dates up to the last. */
function clicksUpTo(last: string, dates: number): Fact[] {
  return Array.from({ length: dates }, (_, index) => ({
    hour: new Date(Date.parse(`${last}T08:00:00Z`) - index * 86_400_000).toISOString(),
    clicks: 1,
  }));
}

/** From, inclusive, and to, exclusive, of a report of one row, and its clicks. */
function span({ data }: Answer): unknown[] {
  return data.map((row) => [row.period_start.slice(0, 10), row.period_end.slice(0, 10), row['clicks']]);
}

onEachDatabase('the window of a report', (its) => {
  test("R9 today is the network's UTC date until its last second", async () => {
    const { office } = its;
    await office.facts({ hour: '2025-11-19T10:00:00Z', clicks: 1 });
    office.now = '2025-11-20T23:59:59Z';
    expect((await office.channelReport('from=2025-11-20&to=2025-11-21')).body).toHaveProperty('to');
    office.now = '2025-11-21T00:00:00Z';
    expect((await office.channelReport('from=2025-11-20&to=2025-11-21')).status).toBe(200);
  });

  test('R46 by default a report covers the latest 7 dates with data', async () => {
    const { office } = its;
    await office.facts(...clicksUpTo('2025-11-19', 20));
    const answer = await office.channelReport('metrics=clicks');
    expect(span(answer)).toEqual([['2025-11-13', '2025-11-20', 7]]);
    expect(answer.meta.data_through).toBe('2025-11-19T00:00:00Z');
    office.settings = { data_through: '2025-11-17T05:00:00Z' };
    expect(span(await office.channelReport('metrics=clicks'))).toEqual([['2025-11-11', '2025-11-18', 7]]);
  });

  test('R46 a history of 4 dates gives 4 dates', async () => {
    const { office } = its;
    await office.facts(...clicksUpTo('2025-11-20', 4));
    expect(span(await office.channelReport('metrics=clicks'))).toEqual([['2025-11-17', '2025-11-21', 4]]);
    office.settings = { history_from: '2025-11-19' };
    expect(span(await office.channelReport('metrics=clicks'))).toEqual([['2025-11-19', '2025-11-21', 2]]);
  });

  test('R46 by default an hourly report covers up to 3 dates of the hourly window', async () => {
    const { office } = its;
    await office.facts(...clicksUpTo('2025-11-20', 9));
    const dates = async (): Promise<unknown> =>
      (await office.channelReport('metrics=clicks&time_grain=hour')).data
        .map((row) => row.period_start.slice(8, 13))
        .join(' ');
    expect(await dates()).toBe('20T08 19T08 18T08');
    office.settings = { hourly_dates: 2 };
    expect(await dates()).toBe('20T08 19T08');
  });

  test('R46 settings that leave no dates still give a valid window', async () => {
    const { office } = its;
    await office.facts({ hour: '2025-11-01T08:00:00Z', clicks: 1 });
    for (const settings of [
      { hourly_dates: 3 },
      { history_from: '2025-11-10' },
      { history_from: '2025-12-01' },
      { data_through: '2025-12-01T00:00:00Z' },
    ]) {
      office.settings = settings;
      for (const grain of ['hour', 'total'])
        expect((await office.channelReport(`metrics=clicks&time_grain=${grain}`)).status).toBe(200);
    }
  });

  test('R46 activity in the coming hour does not move the latest date', async () => {
    const { office } = its;
    office.now = '2025-11-20T23:58:00Z';
    await office.facts({ hour: '2025-11-21T00:00:00Z', clicks: 1 });
    expect((await office.channelReport('metrics=clicks')).meta.data_through).toBeNull();
    await office.facts({ hour: '2025-11-20T23:00:00Z', clicks: 2 });
    const answer = await office.channelReport('metrics=clicks');
    expect([answer.meta.data_through, span(answer)]).toEqual([
      '2025-11-20T00:00:00Z',
      [['2025-11-20', '2025-11-21', 2]],
    ]);
  });

  test('R48 a range that starts before the history is refused with the available window', async () => {
    const { office } = its;
    await office.facts(...clicksUpTo('2025-11-19', 3));
    office.settings = { history_from: '2025-08-01', hourly_dates: 15 };
    const answer = await office.channelReport('from=2025-07-31&to=2025-08-02');
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
        message: expect.any(String) as unknown,
        available_window: { from: '2025-08-01', to: '2025-11-20' },
      },
    ]);
    expect((await office.channelReport('from=2025-08-01&to=2025-08-02')).status).toBe(200);
    const hourly = await office.channelReport('time_grain=hour&from=2025-11-01&to=2025-11-01');
    expect(hourly.body).toMatchObject({
      code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
      available_window: { from: '2025-11-06', to: '2025-11-20' },
    });
    expect((await office.channelReport('time_grain=hour&from=2025-11-06&to=2025-11-06')).status).toBe(200);
    expect((await office.channelReport('time_grain=day&from=2025-11-01&to=2025-11-01')).status).toBe(200);
  });

  test('R48 by default the history reaches back three years, or to the first activity', async () => {
    await its.office.facts({ hour: '2025-11-17T10:00:00Z', clicks: 1 });
    expect((await its.office.channelReport('from=2023-01-01&to=2023-01-01')).status).toBe(200);
    expect((await its.office.channelReport('from=2020-01-01&to=2025-01-01')).body['code']).toBe(
      'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW',
    );
    await its.office.facts({ hour: '2019-12-31T10:00:00Z', clicks: 1 });
    expect((await its.office.channelReport('from=2020-01-01&to=2025-01-01')).status).toBe(200);
  });

  test('R49 10,001 rows are too many, whatever the page, unless a setting allows as many', async () => {
    const { office } = its;
    const hour = '2025-11-19T10:00:00Z';
    await office.facts(...Array.from({ length: 10_001 }, (_, at) => ({ hour, clicks: 1, widget_id: `w${at}` })));
    for (const paging of ['limit=1', 'limit=1&offset=20000']) {
      const answer = await office.channelReport(`metrics=clicks&group_by=widget_id&${paging}`);
      expect([answer.status, answer.body]).toEqual(tooMany('REPORT_ROW_LIMIT_EXCEEDED', 10_000, 10_001));
    }
    expect((await office.channelReport('metrics=clicks')).status).toBe(200);
    office.settings = { report_row_limit: 10_001 };
    expect((await office.channelReport('metrics=clicks&group_by=widget_id')).status).toBe(200);
  });

  test('R50 source rows are hourly facts, counted before aggregation; a shorter range passes', async () => {
    const { office } = its;
    await office.facts(
      ...['18T10', '19T08', '19T09', '19T10'].map((hour) => ({ hour: `2025-11-${hour}:00:00Z`, clicks: 1 })),
    );
    office.settings = { source_row_limit: 3 };
    const answer = await office.channelReport('metrics=clicks&time_grain=day&from=2025-11-18&to=2025-11-19');
    expect([answer.status, answer.body]).toEqual(tooMany('REPORTING_SOURCE_ROW_LIMIT_EXCEEDED', 3, 4));
    expect((await office.channelReport('metrics=clicks&time_grain=day&from=2025-11-19&to=2025-11-19')).status).toBe(
      200,
    );
  });

  test('R51 without any data ever the report is unavailable, otherwise it may be empty', async () => {
    const { office } = its;
    for (const query of ['', 'from=2025-11-01&to=2025-11-02']) {
      for (const answer of [await office.channelReport(query), await office.publisherReport(query)]) {
        expect([answer.status, answer.body]).toEqual([
          400,
          { code: 'REPORTING_DATA_UNAVAILABLE', message: expect.any(String) as unknown },
        ]);
      }
    }
    await office.facts({ hour: '2025-11-19T10:00:00Z', clicks: 1, publisher: office.bolt, page_type: 'MODAL' });
    expect((await office.channelReport()).status).toBe(200);
    expect((await office.publisherReport('', office.keys.bolt)).status).toBe(200);
    expect((await office.publisherReport()).body['code']).toBe('REPORTING_DATA_UNAVAILABLE');
  });

  test('R53 data_through is the start of the latest available hour or day', async () => {
    const { office } = its;
    await office.facts({ hour: '2025-11-19T22:40:00Z', clicks: 1 });
    expect((await office.channelReport('time_grain=hour')).meta.data_through).toBe('2025-11-19T22:00:00Z');
    for (const grain of ['total', 'day', 'week', 'month'])
      expect((await office.channelReport(`time_grain=${grain}`)).meta.data_through).toBe('2025-11-19T00:00:00Z');
    office.settings = { data_through: '2025-11-18T05:00:00Z' };
    expect((await office.channelReport('time_grain=hour')).meta.data_through).toBe('2025-11-18T05:00:00Z');
  });
});
