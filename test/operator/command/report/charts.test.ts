import { expect, test } from 'vitest';
import { barChart } from '../../../../src/operator/command/report/chart/barChart.ts';
import { lyingBar, niceCeiling, sparkline, uprightBar } from '../../../../src/operator/command/report/chart/blocks.ts';
import { columnChart } from '../../../../src/operator/command/report/chart/columnChart.ts';
import { seriesOf, type Point } from '../../../../src/operator/command/report/chart/series.ts';

const CANVAS = { width: 60, hasColor: false, hasUnicode: true };

test('bars are an eighth of a cell exact, and something is never drawn as nothing', () => {
  expect(uprightBar(0.5, 2, { fill: 'solid', hasUnicode: true })).toEqual(['█', ' ']);
  expect(uprightBar(0.5625, 2, { fill: 'solid', hasUnicode: true })).toEqual(['█', '▁']);
  expect(uprightBar(0.0001, 2, { fill: 'solid', hasUnicode: true })).toEqual(['▁', ' ']);
  expect(uprightBar(0, 2, { fill: 'solid', hasUnicode: true })).toEqual([' ', ' ']);
  expect(lyingBar(0.0001, 4, true)).toBe('▏   ');
  expect(lyingBar(1, 4, false)).toBe('####');
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

test('every period is drawn: zero without activity, nothing without data yet', () => {
  const rows = [{ period_start: '2026-11-20T00:00:00Z', clicks: 4 }];
  const points = seriesOf({
    rows,
    metric: 'clicks',
    dates: { from: '2026-11-19', to: '2026-11-22' },
    grain: 'day',
    dataThrough: '2026-11-21T00:00:00Z',
    now: new Date('2026-11-21T10:00Z'),
  });
  expect(points.map(({ value, isOpen }) => [value, isOpen])).toEqual([
    [0, false],
    [4, false],
    [0, true],
    [null, false],
  ]);
});

const pointOf = (value: number | null, before: number | null = null): Point => ({
  start: '2026-11-20T00:00:00Z',
  value,
  before,
  isOpen: false,
});

test('a column chart has an axis, and none below periods without data', () => {
  const chart = {
    metric: 'clicks',
    points: [pointOf(8), pointOf(0), pointOf(null)],
    grain: 'day',
    hasBefore: false,
  } as const;
  const lines = columnChart(chart, CANVAS);
  expect(lines[0]).toBe('8 ┤████████');
  expect(lines[8]).toBe('0 ┼──────────────────');
  expect(lines[9]?.trim()).toMatch(/^20 Nov +20 Nov +20 Nov$/);
});

test('a column chart is never wider than its canvas, and names what it leaves out', () => {
  for (const count of [1, 7, 30, 58, 90, 400])
    for (const hasBefore of [false, true]) {
      const points = Array.from({ length: count }, (_, index) => pointOf(index, index / 2));
      const lines = columnChart({ metric: 'clicks', points, grain: 'day', hasBefore }, CANVAS);
      const drawn = lines.filter((line) => !line.startsWith('The first'));
      for (const line of drawn) expect([...line].length).toBeLessThanOrEqual(CANVAS.width);
      expect(lines.length > drawn.length).toBe(count > 55);
    }
});

test('without room beside a bar, the compared value is printed behind it', () => {
  const points = Array.from({ length: 50 }, () => pointOf(4, 8));
  const lines = columnChart({ metric: 'clicks', points, grain: 'day', hasBefore: true }, CANVAS);
  expect(lines[0]).toContain('▒'.repeat(50));
  expect(lines[7]).toContain('█'.repeat(50));
});

test('a bar chart marks what each bar is compared with', () => {
  const rows = [
    { label: 'Acme', row: { clicks: 10, clicks_before: 20, clicks_change_percent: -50 } },
    { label: 'Bolt \u001B[31m', row: { clicks: 5, clicks_before: null, clicks_change_percent: null } },
  ];
  const lines = barChart({ metric: 'clicks', rows, hasBefore: true }, CANVAS);
  expect(lines[0]).toMatch(/^Acme {7}█+▌ +┃ {2}10 {2}-50\.0%$/);
  expect(lines[1]).toMatch(/^Bolt \[31m {2}█+. +5 {5}new$/);
  for (const line of lines) expect([...line].length).toBeLessThanOrEqual(CANVAS.width);
});
