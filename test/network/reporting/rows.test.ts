import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addPublisher, openReportingFixture, type Answer } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

const HOUR = '2025-11-19T10:00:00Z';

function column({ data }: Answer, name: string): unknown[] {
  return data.map((row) => row[name]);
}

onEachDatabase('the rows of a report', (its) => {
  test('R24 three groupings give one row for each observed combination', async () => {
    await its.office.facts(
      { hour: HOUR, clicks: 1, widget_id: 'a' },
      { hour: HOUR, clicks: 2, widget_id: 'b' },
      { hour: HOUR, clicks: 4, page_type: 'CHECKOUT' },
    );
    const { data } = await its.office.channelReport('metrics=clicks&group_by=page_type,widget_type,widget_id');
    expect(data.map((row) => [row['page_type'], row['widget_type'], row['widget_id'], row['clicks']])).toEqual([
      ['CHECKOUT', 'OVERLAY', null, 4],
      ['THANK_YOU', 'OVERLAY', 'a', 1],
      ['THANK_YOU', 'OVERLAY', 'b', 2],
    ]);
  });

  test('R25 values of one filter are alternatives, and several filters must all match', async () => {
    await its.office.facts(
      { hour: HOUR, clicks: 1, page_type: 'CHECKOUT', widget_type: 'INLINE' },
      { hour: HOUR, clicks: 2, page_type: 'THANK_YOU', widget_type: 'INLINE' },
      { hour: HOUR, clicks: 4, page_type: 'SUPPORT_CENTER', widget_type: 'INLINE' },
      { hour: HOUR, clicks: 8, page_type: 'CHECKOUT', widget_type: 'OVERLAY' },
    );
    const clicks = async (query: string): Promise<unknown> =>
      (await its.office.channelReport(`metrics=clicks&${query}`)).summary['clicks'];
    expect(await clicks('page_types=CHECKOUT,THANK_YOU')).toBe(11);
    expect(await clicks('page_types=CHECKOUT&page_types=THANK_YOU&widget_types=INLINE')).toBe(3);
    expect(await clicks(`publisher_ids=${its.office.bolt}&page_types=CHECKOUT`)).toBe(0);
    expect(await clicks('page_types=CHECKOUT,CHECKOUT')).toBe(9);
  });

  test('R26 a filter adds no column; with a grouping it narrows the rows', async () => {
    await its.office.facts({ hour: HOUR, clicks: 1, page_type: 'CHECKOUT' }, { hour: HOUR, clicks: 2 });
    const { data } = await its.office.channelReport('metrics=clicks&page_types=CHECKOUT');
    expect(data.map((row) => Object.keys(row))).toEqual([['period_start', 'period_end', 'clicks']]);
    expect(
      column(await its.office.channelReport('metrics=clicks&page_types=CHECKOUT&group_by=page_type'), 'page_type'),
    ).toEqual(['CHECKOUT']);
  });

  test('R27 an unknown publisher and one of another channel both give an empty report', async () => {
    const other = await openReportingFixture(its.db);
    await other.facts({ hour: HOUR, clicks: 1 });
    await its.office.facts({ hour: HOUR, clicks: 1 });
    for (const id of [randomUUID(), other.acme]) {
      const { status, data, summary } = await its.office.channelReport(`metrics=clicks&publisher_ids=${id}`);
      expect([status, data, summary]).toEqual([200, [], { clicks: 0 }]);
    }
    expect(
      (await its.office.channelReport(`metrics=clicks&publisher_ids=${its.office.acme.toUpperCase()}`)).summary,
    ).toEqual({ clicks: 1 });
  });

  test('R28 an unknown page or widget type gives an empty report', async () => {
    await its.office.facts({ hour: HOUR, clicks: 1 });
    for (const query of ["page_types=TOMORROW'S", 'widget_types=%25', 'page_types=thank_you']) {
      const { status, data } = await its.office.channelReport(query);
      expect([status, data]).toEqual([200, []]);
    }
  });

  test('R29 no report includes MODAL, and no publisher report ORDER_TRACKING', async () => {
    await its.office.facts(
      { hour: HOUR, clicks: 1, page_type: 'MODAL' },
      { hour: HOUR, clicks: 2, page_type: 'ORDER_TRACKING' },
      { hour: HOUR, clicks: 4 },
      { hour: HOUR, clicks: 8, page_type: 'CHECKOUT', widget_type: 'MODAL' },
    );
    expect((await its.office.channelReport('metrics=clicks')).summary).toEqual({ clicks: 14 });
    expect((await its.office.publisherReport('metrics=clicks')).summary).toEqual({ clicks: 12 });
    for (const answer of [
      await its.office.channelReport('metrics=clicks&page_types=MODAL&group_by=page_type'),
      await its.office.publisherReport('metrics=clicks&page_types=MODAL,ORDER_TRACKING&group_by=page_type'),
    ]) {
      expect([answer.status, answer.data, answer.summary]).toEqual([200, [], { clicks: 0 }]);
    }
  });

  test('R30 newest first, groupings ascending; sort_order reverses only the periods', async () => {
    await its.office.facts(
      ...['2025-11-18T10:00:00Z', HOUR].flatMap((hour) =>
        ['B', 'A'].map((page_type) => ({ hour, page_type, clicks: 1 })),
      ),
    );
    const order = async (query: string): Promise<unknown> => {
      const { data } = await its.office.channelReport(`metrics=clicks&group_by=page_type&${query}`);
      return data.map((row) => `${row.period_start.slice(8, 10)}${String(row['page_type'])}`).join(' ');
    };
    expect(await order('time_grain=day')).toBe('19A 19B 18A 18B');
    expect(await order('time_grain=day&sort_order=asc')).toBe('18A 18B 19A 19B');
    expect(await order('time_grain=day&sort_direction=asc')).toBe('18A 18B 19A 19B');
    expect(await order('sort_order=asc')).toBe(await order('sort_order=desc'));
  });

  test('R31 a channel report is sorted by a metric, a grouping or the name of the publisher', async () => {
    await its.office.facts(
      { hour: HOUR, clicks: 9, impressions: 90 },
      { hour: HOUR, clicks: 10, impressions: 200, publisher: its.office.bolt },
    );
    const names = async (sort: string): Promise<unknown[]> =>
      column(await its.office.channelReport(`metrics=clicks,ctr&group_by=publisher&${sort}`), 'publisher_name');
    expect(await names('sort_by=clicks')).toEqual(['Bolt', 'Acme']);
    expect(await names('sort_by=ctr')).toEqual(['Acme', 'Bolt']);
    expect(await names('sort_by=publisher_name')).toEqual(['Bolt', 'Acme']);
    expect(await names('sort_by=publisher_name&sort_direction=asc')).toEqual(['Acme', 'Bolt']);
  });

  test('R32 sort_direction applies to the column of sort_by, sort_order to the periods after it', async () => {
    await its.office.facts(
      { hour: '2025-11-17T10:00:00Z', clicks: 1 },
      { hour: '2025-11-18T10:00:00Z', clicks: 2 },
      { hour: HOUR, clicks: 1 },
    );
    const days = async (query: string): Promise<string> =>
      (await its.office.channelReport(`time_grain=day&metrics=clicks&sort_by=clicks&${query}`)).data
        .map((row) => row.period_start.slice(8, 10))
        .join(' ');
    expect(await days('')).toBe('18 19 17');
    expect(await days('sort_direction=asc')).toBe('19 17 18');
    expect(await days('sort_order=asc')).toBe('17 19 18');
    expect(await days('sort_order=asc&sort_direction=desc')).toBe('18 17 19');
  });

  test('R33 equal rounded values are ordered by period, groupings and id', async () => {
    const twin = randomUUID();
    await addPublisher(its.db, { channel: its.office.channel, id: twin, name: 'Acme' });
    const ids = [its.office.acme, twin].toSorted();
    // 1/30000 and 1/29999 are both shown as 0, 0.004 and 0.001 of money both as 0.
    await its.office.facts(
      { hour: HOUR, publisher: ids[1], clicks: 1, impressions: 29_999, channel_payout: '0.004' },
      { hour: HOUR, publisher: ids[0], clicks: 1, impressions: 30_000, channel_payout: '0.001' },
    );
    for (const sort of ['ctr', 'channel_payout', 'publisher_name']) {
      expect(
        column(
          await its.office.channelReport(`metrics=ctr,channel_payout&group_by=publisher&sort_by=${sort}`),
          'publisher_id',
        ),
      ).toEqual(ids);
    }
  });

  test('R34 text is sorted by code point, null last in both directions', async () => {
    const ids = ['a', 'B', 'ä', 'Z', '', '\u{1F98A}', '\uFFFD', '10', '9'];
    await its.office.facts(...ids.map((widget_id) => ({ hour: HOUR, clicks: 1, widget_id })));
    const sorted = ['10', '9', 'B', 'Z', 'a', 'ä', '\uFFFD', '\u{1F98A}'];
    const query = 'metrics=clicks&group_by=widget_id';
    expect(column(await its.office.channelReport(query), 'widget_id')).toEqual([...sorted, null]);
    expect(column(await its.office.publisherReport(query), 'widget_id')).toEqual([...sorted, null]);
    expect(column(await its.office.channelReport(`${query}&sort_by=widget_id`), 'widget_id')).toEqual([
      ...sorted.toReversed(),
      null,
    ]);
  });

  test('R37 offset and limit are echoed, has_more is exact, and a page past the end is empty', async () => {
    await its.office.facts(...[10, 11, 12].map((hour) => ({ hour: `2025-11-19T${hour}:00:00Z`, clicks: hour })));
    const page = (query: string): Promise<Answer> =>
      its.office.channelReport(`time_grain=hour&metrics=clicks&from=2025-11-19&to=2025-11-19&${query}`);
    expect(column(await page('limit=2'), 'clicks')).toEqual([12, 11]);
    expect((await page('limit=2')).pagination).toEqual({ offset: 0, limit: 2, total: 3, has_more: true });
    expect((await page('limit=2&offset=1')).pagination).toEqual({ offset: 1, limit: 2, total: 3, has_more: false });
    const past = await page('offset=3');
    expect([past.status, past.data, past.summary, past.pagination]).toEqual([
      200,
      [],
      { clicks: 33 },
      { offset: 3, limit: 50, total: 3, has_more: false },
    ]);
    expect((await page('offset=9007199254740991')).pagination.total).toBe(3);
  });

  test('R40 without matching activity there are no rows, and the summary is all zeros', async () => {
    await its.office.facts({ hour: HOUR, clicks: 1 });
    const { status, data, summary, pagination } = await its.office.channelReport(
      'from=2025-11-01&to=2025-11-02&metrics=clicks,ctr,channel_payout',
    );
    expect([status, data, summary, pagination.total]).toEqual([200, [], { clicks: 0, ctr: 0, channel_payout: 0 }, 0]);
  });

  test('R55 a removed publisher stays in the history, in one row with its current name', async () => {
    await its.office.facts({ hour: '2025-11-18T10:00:00Z', clicks: 1 }, { hour: HOUR, clicks: 2 });
    await its.db.query("UPDATE publishers SET brand_name = 'Apex', removed_at = now() WHERE publisher_remote_id = $1", [
      its.office.acme,
    ]);
    expect((await its.office.channelReport('metrics=clicks&group_by=publisher')).data).toEqual([
      expect.objectContaining({ publisher_id: its.office.acme, publisher_name: 'Apex', clicks: 3 }),
    ]);
  });

  test('R55 activity belongs to the channel in which it happened', async () => {
    const later = await openReportingFixture(its.db);
    await its.office.facts({ hour: HOUR, clicks: 1 });
    await its.db.query('UPDATE publishers SET channel_id = $2 WHERE publisher_remote_id = $1', [
      its.office.acme,
      later.channel,
    ]);
    await its.office.facts({ hour: HOUR, clicks: 2, channel: later.channel });
    expect((await its.office.channelReport('metrics=clicks')).summary).toEqual({ clicks: 1 });
    expect((await later.channelReport('metrics=clicks&group_by=publisher')).data).toMatchObject([
      { publisher_name: 'Acme', clicks: 2 },
    ]);
    expect((await its.office.publisherReport('metrics=clicks')).summary).toEqual({ clicks: 3 });
  });

  test('R60 activity that arrives between two pages changes the total and summary of the second', async () => {
    await its.office.facts({ hour: '2025-11-18T10:00:00Z', clicks: 1 }, { hour: HOUR, clicks: 2 });
    const page = (offset: number): Promise<Answer> =>
      its.office.channelReport(`time_grain=day&metrics=clicks&limit=1&offset=${offset}`);
    const first = await page(0);
    await its.office.facts({ hour: '2025-11-20T08:00:00Z', clicks: 4 });
    const second = await page(1);
    expect([first.pagination.total, first.summary, second.pagination.total, second.summary]).toEqual([
      2,
      { clicks: 3 },
      3,
      { clicks: 7 },
    ]);
  });
});
