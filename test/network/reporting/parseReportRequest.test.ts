import { describe, expect, test, vi } from 'vitest';
import {
  parseReportRequest,
  type ReportRequest,
  CHANNEL_REPORT,
  PUBLISHER_REPORT,
  type Variant,
} from '../../../src/network/reporting/parseReportRequest.ts';

const TODAY = '2025-11-20';

function parse(query: string, { variant = CHANNEL_REPORT, today = TODAY }: { variant?: Variant; today?: string } = {}) {
  return parseReportRequest(new URL(`http://network.test/?${query}`), { variant, enabled: variant.metrics, today });
}

/** The names of the parameters that are refused. */
function refused(query: string, options?: { variant?: Variant; today?: string }): readonly string[] {
  const parsed = parse(query, options);
  if (parsed.ok) return [];
  for (const messages of Object.values(parsed.errors))
    expect(messages.every((message) => /^.{8,}\.$/s.test(message))).toBe(true);
  return Object.keys(parsed.errors);
}

function accepted(query: string, options?: { variant?: Variant; today?: string }): ReportRequest {
  const parsed = parse(query, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.query;
}

describe('parsing a report request', () => {
  test('R5 an unknown parameter is refused by name', () => {
    expect(refused('foo=1')).toEqual(['foo']);
    expect(refused('channel_id=1')).toEqual(['channel_id']);
    expect(refused('FROM=2025-11-01&to=2025-11-02')).toContain('FROM');
    expect(refused('__proto__=1')).toEqual(['__proto__']);
    for (const name of ['publisher_ids', 'sort_by', 'sort_direction']) {
      expect(refused(`${name}=asc`, { variant: PUBLISHER_REPORT })).toEqual([name]);
    }
  });

  test('R5 a long query is read in one pass, and its refusal stays short', () => {
    const all = vi.spyOn(URLSearchParams.prototype, 'getAll');
    expect(refused('a&'.repeat(9_000))).toEqual(['a']);
    expect(all).not.toHaveBeenCalled();
    const names = Array.from({ length: 4_000 }, (_, index) => index.toString(36));
    for (const query of [names.join('&'), `metrics=${names.join()}`, `group_by=${names.join()}`])
      expect(JSON.stringify(parse(query)).length).toBeLessThan(10_000);
  });

  test('R6 a repeated scalar is refused, a repeated filter is one list', () => {
    const scalars = 'from to time_grain sort_order sort_by sort_direction offset limit metrics group_by';
    for (const name of scalars.split(' ')) expect(refused(`${name}=clicks&${name}=clicks`)).toContain(name);
    expect(accepted('page_types=A,B&page_types=C').filters.page_types).toEqual(['A', 'B', 'C']);
    expect(accepted('widget_types=A&widget_types=B').filters.widget_types).toEqual(['A', 'B']);
  });

  test('R6 spaces around list values are trimmed, an empty value is refused', () => {
    expect(accepted('metrics=clicks,%20impressions+').metrics).toEqual(['clicks', 'impressions']);
    for (const name of ['metrics', 'group_by', 'page_types', 'widget_types', 'publisher_ids']) {
      for (const list of ['a,,b', 'a,', ',', '', '+', 'a,+,b']) expect(refused(`${name}=${list}`)).toContain(name);
    }
    expect(refused('page_types=A&page_types=')).toEqual(['page_types']);
  });

  test('R7 from and to are given together or not at all', () => {
    expect(refused('from=2025-11-01')).toEqual(['to']);
    expect(refused('to=2025-11-01')).toEqual(['from']);
    expect(accepted('').range).toBeUndefined();
  });

  test('R8 dates are real calendar dates in one format', () => {
    const wrong =
      '2025-2-1,20250201,2025-02-30,2025-02-29,2025-02-01T00:00Z,,+2025-02-01,2025-13-01,2025-00-10,٢٠٢٥-٠٢-٠١';
    for (const date of wrong.split(',')) {
      expect(refused(`from=${encodeURIComponent(date)}&to=2025-11-01`)).toEqual(['from']);
      expect(refused(`from=2025-01-01&to=${encodeURIComponent(date)}`)).toEqual(['to']);
    }
    expect(accepted('from=2024-02-29&to=2024-02-29').range).toEqual({ from: '2024-02-29', to: '2024-02-29' });
  });

  test('R9 from is not after to, and to is not after today', () => {
    expect(refused('from=2025-11-06&to=2025-11-05')).toEqual(['from']);
    expect(refused('from=2025-11-20&to=2025-11-20')).toEqual([]);
    expect(refused('from=2025-11-20&to=2025-11-21')).toEqual(['to']);
    expect(refused('from=2025-11-20&to=2025-11-21', { today: '2025-11-21' })).toEqual([]);
  });

  test("R12 metrics keep their order; unknown, repeated, empty and other reports' ones are refused", () => {
    expect(accepted('metrics=clicks,impressions').metrics).toEqual(['clicks', 'impressions']);
    for (const list of 'clicks,clicks nonsense  Clicks widget_loads clicks,publisher_payout toString'.split(' ')) {
      expect(refused(`metrics=${list}`)).toEqual(['metrics']);
    }
    expect(refused('metrics=channel_payout', { variant: PUBLISHER_REPORT })).toEqual(['metrics']);
    expect(refused('metrics=widget_loads', { variant: PUBLISHER_REPORT })).toEqual([]);
  });

  test('R16 the grain is one of five values in lower case, total by default', () => {
    expect(accepted('').grain).toBe('total');
    for (const grain of ['total', 'day', 'week', 'month', 'hour'])
      expect(accepted(`time_grain=${grain}`).grain).toBe(grain);
    for (const grain of ['Day', 'year', '', 'day+']) expect(refused(`time_grain=${grain}`)).toEqual(['time_grain']);
  });

  test('R24 there are up to three distinct known groupings', () => {
    expect(accepted('group_by=widget_id,publisher,page_type').groupBy).toEqual(['widget_id', 'publisher', 'page_type']);
    for (const list of [
      'publisher,page_type,widget_type,widget_id',
      'page_type,page_type',
      'country',
      '',
      'publisher_id',
    ]) {
      expect(refused(`group_by=${list}`)).toEqual(['group_by']);
    }
    expect(refused('group_by=publisher', { variant: PUBLISHER_REPORT })).toEqual(['group_by']);
  });

  test('R25 a filter accepts 250 values, counted before duplicates are dropped', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `T${index}`).join();
    expect(accepted(`page_types=${many(250)}`).filters.page_types).toHaveLength(250);
    expect(refused(`page_types=${many(251)}`)).toEqual(['page_types']);
    expect(accepted(`widget_types=${'A,'.repeat(249)}A`).filters.widget_types).toEqual(['A']);
    expect(refused(`widget_types=${'A,'.repeat(250)}A`)).toEqual(['widget_types']);
    expect(refused(`page_types=${many(200)}&page_types=${many(51)}`)).toEqual(['page_types']);
  });

  test('R27 publisher_ids are UUIDs in either case', () => {
    const id = '7B3D1F0A-9F58-4C43-8E7D-0B6A54A1C2D3';
    expect(accepted(`publisher_ids=${id}`).filters.publisher_ids).toEqual([id.toLowerCase()]);
    for (const wrong of ['1', `${id}0`, id.replaceAll('-', ''), `{${id}}`])
      expect(refused(`publisher_ids=${wrong}`)).toEqual(['publisher_ids']);
  });

  test('R28 page and widget types are any text of up to 64 characters without control characters', () => {
    expect(refused(`page_types=${'x'.repeat(64)}`)).toEqual([]);
    expect(refused(`page_types=${encodeURIComponent('🦊'.repeat(64))}`)).toEqual([]);
    expect(refused(`page_types=${'x'.repeat(65)}`)).toEqual(['page_types']);
    for (const control of ['%00', '%0A', '%7F', '%C2%85', 'A%09'])
      expect(refused(`widget_types=${control}`)).toEqual(['widget_types']);
  });

  test('R31 a report can be sorted by its own columns only', () => {
    for (const query of [
      'sort_by=period_start',
      'metrics=ctr&sort_by=ctr',
      'sort_by=clicks',
      'group_by=publisher&sort_by=publisher_name',
      'group_by=widget_id&sort_by=widget_id',
    ]) {
      expect(refused(query)).toEqual([]);
    }
    for (const query of [
      'metrics=ctr&sort_by=clicks',
      'group_by=publisher&sort_by=page_type',
      'sort_by=publisher_name',
      'group_by=publisher&sort_by=publisher',
      'group_by=publisher&sort_by=publisher_id',
      'sort_by=',
      'sort_by=period_end',
    ]) {
      expect(refused(query)).toEqual(['sort_by']);
    }
  });

  test('R32 sort_direction defaults to sort_order, which defaults to desc', () => {
    expect(accepted('sort_by=clicks')).toMatchObject({ sortDirection: 'desc', sortOrder: 'desc' });
    expect(accepted('sort_by=clicks&sort_order=asc')).toMatchObject({ sortDirection: 'asc', sortOrder: 'asc' });
    expect(accepted('sort_by=clicks&sort_order=asc&sort_direction=desc')).toMatchObject({
      sortDirection: 'desc',
      sortOrder: 'asc',
    });
    expect(accepted('sort_direction=asc')).toMatchObject({ sortBy: 'period_start', sortDirection: 'asc' });
    expect(refused('sort_order=ASC')).toEqual(['sort_order']);
    expect(refused('sort_direction=up')).toEqual(['sort_direction']);
  });

  test('R36 offset and limit are whole numbers in their range', () => {
    expect(accepted('')).toMatchObject({ offset: 0, limit: 50 });
    expect(accepted('offset=120&limit=250')).toMatchObject({ offset: 120, limit: 250 });
    expect(accepted('limit=10000', { variant: PUBLISHER_REPORT }).limit).toBe(10_000);
    for (const limit of ['0', '251', '-1', '1.5', 'abc', '', '1e2', '%2B5', '0x10', '١'])
      expect(refused(`limit=${limit}`)).toEqual(['limit']);
    expect(refused('limit=10001', { variant: PUBLISHER_REPORT })).toEqual(['limit']);
    for (const offset of ['-1', '1.5', 'abc', '', '1e2', '9'.repeat(20)])
      expect(refused(`offset=${offset}`)).toEqual(['offset']);
  });

  test('R47 an hourly report covers up to three dates', () => {
    expect(refused('time_grain=hour&from=2025-11-17&to=2025-11-19')).toEqual([]);
    expect(refused('time_grain=hour&from=2025-11-16&to=2025-11-19')).toEqual(['to']);
  });

  test('R2 all parameters are parsed before dates are compared', () => {
    expect(refused('from=2025-11-06&to=2025-11-05&limit=0')).toEqual(['limit']);
    expect(refused('foo=1&metrics=x&limit=0&from=2025-11-06')).toEqual(['foo', 'to', 'metrics', 'limit']);
  });
});
