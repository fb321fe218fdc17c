import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { addPublisher, openReportingFixture, type Answer } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

const HOUR = '2025-11-19T10:00:00Z';

function column({ data }: Answer, name: string): unknown[] {
  return data.map((row) => row[name]);
}

onEachDatabase('the rows of a report', (its) => {
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
