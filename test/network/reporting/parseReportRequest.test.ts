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
  test('R5 a long query is read in one pass, and its refusal stays short', () => {
    const all = vi.spyOn(URLSearchParams.prototype, 'getAll');
    expect(refused(`${'a&'.repeat(9_000)}__proto__=1`)).toEqual(['a', '__proto__']);
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

  test('R25 a filter accepts 250 values, counted before duplicates are dropped', () => {
    const many = (count: number): string => Array.from({ length: count }, (_, index) => `T${index}`).join();
    expect(accepted(`page_types=${many(250)}`).filters.page_types).toHaveLength(250);
    expect(refused(`page_types=${many(251)}`)).toEqual(['page_types']);
    expect(accepted(`widget_types=${'A,'.repeat(249)}A`).filters.widget_types).toEqual(['A']);
    expect(refused(`widget_types=${'A,'.repeat(250)}A`)).toEqual(['widget_types']);
    expect(refused(`page_types=${many(200)}&page_types=${many(51)}`)).toEqual(['page_types']);
  });

  test('R28 page and widget types are any text of up to 64 characters', () => {
    expect(refused(`page_types=${encodeURIComponent('🦊'.repeat(64))}`)).toEqual([]);
    expect(refused('widget_types=%C2%85')).toEqual(['widget_types']);
  });

  test('R36 offset and limit are whole numbers in their range', () => {
    expect(accepted('')).toMatchObject({ offset: 0, limit: 50 });
    expect(accepted('offset=120&limit=250')).toMatchObject({ offset: 120, limit: 250 });
    expect(accepted('limit=10000', { variant: PUBLISHER_REPORT }).limit).toBe(10_000);
    for (const limit of ['%2B5', '0x10', '١']) expect(refused(`limit=${limit}`)).toEqual(['limit']);
  });

  test('R2 all parameters are parsed before dates are compared', () => {
    expect(refused('from=2025-11-06&to=2025-11-05&limit=0')).toEqual(['limit']);
    expect(refused('foo=1&metrics=x&limit=0&from=2025-11-06')).toEqual(['foo', 'to', 'metrics', 'limit']);
  });
});
