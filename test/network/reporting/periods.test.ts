import { expect, test } from 'vitest';
import type { Answer } from './reportingFixture.ts';
import { onEachDatabase } from './onEachDatabase.ts';

/** The periods of the rows, and the clicks of each. */
function rows({ data }: Answer): unknown[] {
  return data.map((row) => [row.period_start, row.period_end, row['clicks']]);
}

onEachDatabase('the periods of a report', (its) => {
  test('R10 both dates are inclusive, to the last millisecond', async () => {
    await its.office.facts(
      { hour: '2025-11-04T23:59:59.999Z', clicks: 100 },
      { hour: '2025-11-05T00:00:00.000Z', clicks: 1 },
      { hour: '2025-11-05T23:59:59.999Z', clicks: 2 },
      { hour: '2025-11-06T00:00:00.000Z', clicks: 400 },
    );
    expect(rows(await its.office.channelReport('from=2025-11-05&to=2025-11-05'))).toEqual([
      ['2025-11-05T00:00:00Z', '2025-11-06T00:00:00Z', 3],
    ]);
  });

  test('R18 a day has 24 hours, even when clocks change', async () => {
    for (const day of ['2025-03-30', '2025-10-26']) {
      const hours = Array.from({ length: 24 }, (_, hour) => `${day}T${String(hour).padStart(2, '0')}:00:00Z`);
      await its.office.facts(...hours.map((hour, index) => ({ hour, clicks: index + 1 })));
      const { data } = await its.office.channelReport(`time_grain=hour&sort_order=asc&from=${day}&to=${day}`);
      expect(data.map((row) => row.period_start)).toEqual(hours);
      expect(data.map((row) => Date.parse(row.period_end) - Date.parse(row.period_start))).toEqual(
        hours.map(() => 3_600_000),
      );
      expect(rows(await its.office.channelReport(`time_grain=day&from=${day}&to=${day}`))).toEqual([
        [`${day}T00:00:00Z`, new Date(Date.parse(day) + 86_400_000).toISOString().replace('.000', ''), 300],
      ]);
    }
  });
});
