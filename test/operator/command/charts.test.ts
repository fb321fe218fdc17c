import { expect, test } from 'vitest';
import {
  barChart,
  horizontalBar,
  niceCeiling,
  sparkline,
  uprightBar,
  columnChart,
} from '../../../src/operator/command/drawChart.ts';
import { measureChange, type Row } from '../../../src/operator/reports/comparison.ts';
import type { ChartData } from '../../../src/operator/reports/series.ts';

const CANVAS = { width: 60, hasColor: false, hasUnicode: true };

test('bars are an eighth of a cell exact, and something is never drawn as nothing', () => {
  expect(uprightBar(0.5, 2, { fill: 'solid', hasUnicode: true })).toEqual(['█', ' ']);
  expect(uprightBar(0.5625, 2, { fill: 'solid', hasUnicode: true })).toEqual(['█', '▁']);
  expect(uprightBar(0.0001, 2, { fill: 'solid', hasUnicode: true })).toEqual(['▁', ' ']);
  expect(uprightBar(0, 2, { fill: 'solid', hasUnicode: true })).toEqual([' ', ' ']);
  expect(horizontalBar(0.0001, 4, true)).toBe('▏   ');
  expect(horizontalBar(1, 4, false)).toBe('####');
  expect(sparkline([0, 1, 8, null], 8, true)).toBe('▁▂█ ');
});

test.each([
  [7, true, 8],
  [15, true, 16],
  [101, true, 120],
  [0, true, 2],
  [0.034, false, 0.04],
  [980, true, 1000],
])('the axis for %d ends at a round number', (value, isWhole, top) => {
  expect(niceCeiling(value, isWhole)).toBe(top);
});

const dataOf = (values: (number | null)[], before?: number[]): ChartData => ({
  starts: values.map(() => Date.parse('2026-11-20T00:00:00Z')),
  series: [{ name: '', values }],
  before,
  beforeStarts: [],
  open: -1,
});

test('a column chart has an axis, and none below periods without data', () => {
  const lines = columnChart({ metric: 'clicks', data: dataOf([8, 0, null]), grain: 'day' }, CANVAS);
  expect(lines[0]).toBe('8 ┤████████');
  expect(lines[8]).toBe('0 ┼──────────────────');
  expect(lines[9]?.trim()).toMatch(/^20 Nov +20 Nov +20 Nov$/);
});

test('a column chart is never wider than its canvas, and names what it leaves out', () => {
  for (const count of [1, 7, 30, 58, 90, 400])
    for (const hasBefore of [false, true]) {
      const values = Array.from({ length: count }, (_, index) => index);
      const data = dataOf(values, hasBefore ? values.map((value) => value / 2) : undefined);
      const lines = columnChart({ metric: 'clicks', data, grain: 'day' }, CANVAS);
      const drawn = lines.filter((line) => !line.startsWith('The first'));
      for (const line of drawn) expect([...line].length).toBeLessThanOrEqual(CANVAS.width);
      expect(lines.length > drawn.length).toBe(count > 55);
    }
});

test('without room beside a bar, the compared value is printed behind it', () => {
  const data = dataOf(
    Array.from({ length: 50 }, () => 4),
    Array.from({ length: 50 }, () => 8),
  );
  const lines = columnChart({ metric: 'clicks', data, grain: 'day' }, CANVAS);
  expect(lines[0]).toContain('▒'.repeat(50));
  expect(lines[7]).toContain('█'.repeat(50));
});

const rowOf = (clicks: number, before: number | null): Row =>
  ({
    period_start: '2026-11-20T00:00:00Z',
    period_end: '2026-11-21T00:00:00Z',
    clicks,
    counterpart: before === null ? null : { clicks: before },
    change: { clicks: measureChange({ name: 'clicks', value: clicks, before }) },
  }) as unknown as Row;

test('a bar chart marks what each bar is compared with', () => {
  const rows = [
    { label: 'Acme', row: rowOf(10, 20) },
    { label: 'Bolt \u001B[31m', row: rowOf(5, null) },
  ];
  const lines = barChart({ metric: 'clicks', rows, hasBefore: true }, CANVAS);
  expect(lines[0]).toMatch(/^Acme {7}█+▌ +┃ {2}10 {2}-50\.0%$/);
  expect(lines[1]).toMatch(/^Bolt \[31m {2}█+. +5 {5}new$/);
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(CANVAS.width);
});
