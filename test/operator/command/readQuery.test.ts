import { expect, test } from 'vitest';
import { readSettings } from '../../../src/cli/command.ts';
import { readQuery, REPORT_OPTIONS, type RequestedReport } from '../../../src/operator/command/readQuery.ts';

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
  expect(query(...argv).dates).toEqual({ from, to });
});

test('without dates the network chooses', () => {
  expect(query().dates).toBeUndefined();
});

test.each([
  [['--to', '2026-11-02'], '--to requires --from'],
  [['--from', '2026-11-03', '--to', '2026-11-02'], '--from is after --to'],
  [['--from', '2026-12-01'], '--from is in the future'],
  [['--from', '2026-11-01', '--period', 'today'], 'Use either --from and --to, or --period'],
  [['--filter', 'page_type=thank_you'], 'Did you mean THANK_YOU?'],
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
