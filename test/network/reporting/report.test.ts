import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/network/database/database.ts';
import { DATABASE_KINDS, openTestDatabase } from '../databases.ts';
import { openOffice, type Office } from './office.ts';

describe.each(DATABASE_KINDS)('reports on %s', (kind) => {
  let db: Database;
  let close: () => Promise<void>;
  let office: Office;
  beforeAll(async () => {
    ({ db, close } = await openTestDatabase(kind));
  });
  afterAll(() => close());
  beforeEach(async () => {
    office = await openOffice(db);
  });

  test('a channel report of one day in one row, with the default metrics', async () => {
    await office.facts({
      hour: '2025-11-19T10:00:00Z',
      impressions: 32,
      clicks: 1,
      channel_payout: '1.005',
      feed_loads: 40,
    });
    const answer = await office.channelReport('from=2025-11-19&to=2025-11-19');
    expect(answer.body).toEqual({
      data: [
        {
          period_start: '2025-11-19T00:00:00Z',
          period_end: '2025-11-20T00:00:00Z',
          impressions: 32,
          clicks: 1,
          conversions: 0,
          channel_payout: 1.01,
          revenue_with_email: 0,
          revenue_without_email: 0,
          feed_loads: 40,
          widget_displays: 0,
          viewable_widget_displays: 0,
          order_revenue_amount: 0,
          attributed_ad_spend_amount: 0,
          billable_ad_spend_amount: 0,
          ctr: 0.0313,
          cvr: 0,
          rpl: 0.0251,
          attributed_cpa: 0,
        },
      ],
      summary: expect.objectContaining({ impressions: 32, ctr: 0.0313 }) as unknown,
      pagination: { offset: 0, limit: 50, total: 1, has_more: false },
      meta: {
        timezone: 'UTC',
        data_through: '2025-11-19T00:00:00Z',
        request_id: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      },
    });
  });

  test('days, newest first, by publisher and page type', async () => {
    await office.facts(
      { hour: '2025-11-18T10:00:00Z', impressions: 3 },
      { hour: '2025-11-19T10:00:00Z', impressions: 5, publisher: office.bolt },
      { hour: '2025-11-19T11:00:00Z', impressions: 7, page_type: 'CHECKOUT' },
    );
    const { data } = await office.channelReport('time_grain=day&metrics=impressions&group_by=publisher,page_type');
    expect(data.map((row) => [row.period_start, row['publisher_name'], row['page_type'], row['impressions']])).toEqual([
      ['2025-11-19T00:00:00Z', 'Acme', 'CHECKOUT', 7],
      ['2025-11-19T00:00:00Z', 'Bolt', 'THANK_YOU', 5],
      ['2025-11-18T00:00:00Z', 'Acme', 'THANK_YOU', 3],
    ]);
  });
});
