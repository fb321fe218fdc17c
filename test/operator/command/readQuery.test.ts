import { array, assert, constantFrom, property, record, subarray } from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings } from '../../../src/program/command.ts';
import { datesOf } from '../../../src/operator/reports/period.ts';
import { readQuery, REPORT_OPTIONS, type RequestedReport } from '../../../src/operator/command/readQuery.ts';

import { PERIODS } from '../../../src/operator/reports/period.ts';
import { METRICS } from '../../../src/operator/reports/reportQuery.ts';
import { queryOfSpec } from '../../../src/operator/reports/reportSpec.ts';
import { commandOf, fitted } from '../../../src/operator/reports/reportState.ts';
import { TIME_GRAINS } from '../../../src/wire/reporting.ts';

const NOW = new Date('2026-11-22T10:00Z');

function query(...argv: readonly string[]): RequestedReport {
  return readQuery(readSettings(REPORT_OPTIONS, { argv, env: {} }), NOW);
}

test.each<[argv: string[], from: string, to: string]>([
  [['--period', '7d'], '2026-11-16', '2026-11-22'],
  [['--period', '1d'], '2026-11-22', '2026-11-22'],
  [['--period', 'last-month'], '2026-10-01', '2026-10-31'],
  [['--period', 'Month_To_Date'], '2026-11-01', '2026-11-22'],
  [['--from', '2026-11-01'], '2026-11-01', '2026-11-22'],
  [['--from', '2026-11-01', '--to', '2026-11-02'], '2026-11-01', '2026-11-02'],
])('%j is from %s to %s', (argv, from, to) => {
  const { period } = query(...argv);
  expect(period && datesOf(period, NOW)).toEqual({ from, to });
});

test('without dates the network chooses', () => {
  expect(query().period).toBeUndefined();
});

test.each([
  [['--to', '2026-11-02'], '--to requires --from'],
  [['--from', '2026-11-03', '--to', '2026-11-02'], '--from is after --to'],
  [['--from', '2026-12-01'], '--from is in the future'],
  [['--from', '2026-11-01', '--period', 'today'], 'Use either --from and --to, or --period'],
  [['--filter', 'page_type=thank_you'], 'Did you mean THANK_YOU?'],
  [['--filter', 'page_type=THANKYOU'], '--filter page_type is not known: "THANKYOU". Did you mean THANK_YOU?'],
  [['--filter', 'widget_type=INLNE'], 'Did you mean INLINE?'],
  [['--period', '0d'], '--period is not a number of days'],
  [['--from', '2026-1-1'], '--from is not a date'],
  [['--metrics', 'clicks,clicks'], '--metrics has "clicks" twice'],
  [['--metrics', ''], '--metrics is not known: ""'],
  [['--metrics', 'widget_loads'], 'in the publisher report only. Use --variant publisher'],
  [['--variant', 'publisher', '--by', 'publisher'], 'in the channel report only'],
  [['--by', 'publisher,page_type,widget_type,widget_id'], 'at most 3'],
  [['--filter', 'page_type='], 'has no value'],
  [['--filter', 'page=X'], '--filter is not known: "page"'],
  [['--limit', '0'], '--limit is not a number of rows'],
  [['--sort', 'publisher'], 'Add it to --metrics or --by'],
  [['--funnel', '--by', 'publisher'], '--funnel is one total, without --by'],
])('%j is refused: %s', (argv, message) => {
  expect(() => query(...argv)).toThrow(message);
});

test('--sort takes columns, with a hyphen from the largest', () => {
  expect(query('--sort', '-clicks').sort).toBe('-clicks');
  expect(query('--sort=-clicks').sort).toBe('-clicks');
  expect(query('--by', 'publisher', '--sort', 'publisher').sort).toBe('publisher_name');
  expect(query('--compare', 'year', '--sort', 'clicks_change').sort).toBe('clicks_change');
});

test('filters can be repeated and listed', () => {
  expect(query('--filter', 'page_type=A,B', '--filter', 'page_types=C', '--filter', 'publisher_id=x').filters).toEqual({
    publisher: ['x'],
    page_type: ['A', 'B', 'C'],
    widget_type: [],
  });
});

test('the command that a page shows asks the question of the page', () => {
  const value = array(constantFrom('a', 'É', ' ', "'", '"', '$', '`', '\\', ';', '&', '*', '-', '=', '🙂'), {
    minLength: 1,
  })
    .map((letters) => letters.join('').trim())
    .filter((text) => text !== '');
  const metrics = METRICS['channel'];
  const state = record({
    variant: constantFrom('channel' as const),
    period: constantFrom(...PERIODS, '3d' as const, '14d' as const, { from: '2026-11-02', to: '2026-11-15' }),
    grain: constantFrom(...TIME_GRAINS),
    by: subarray(['publisher', 'page_type', 'widget_id']),
    metrics: subarray([...metrics], { minLength: 1 }),
    filters: record({ publisher: array(value), page_type: array(value), widget_type: array(value) }),
    sort: constantFrom('', '-clicks', 'publisher_name', 'period_start'),
    compare: constantFrom('previous' as const, 'year' as const, undefined),
    chart: constantFrom('clicks'),
  }).map(fitted);
  assert(
    property(state, (asked) => {
      const line = commandOf(asked, { network_url: 'https://channel.example', currency: null }, { now: NOW.getTime() });
      const words = [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
        word.replaceAll(/'([^']*)'|\\(')/g, (_, text: string | undefined, quote: string) => text ?? quote),
      );
      const at = words.indexOf('--network');
      const read = query(...words.slice(2, at), ...words.slice(at + 2));
      expect(queryOfSpec(read, NOW.getTime())).toEqual(queryOfSpec(asked, NOW.getTime()));
      expect(read.sort).toBe(asked.sort);
    }),
    { numRuns: 500 },
  );
});
