import { expect, test } from 'vitest';
import { barsOf, CHART_MS } from '../../demo/browser/chart.ts';
import type { Sample } from '../../demo/report/metrics.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const sample = (secondsAgo: number, Clicks: number): Sample => ({
  at: NOW - secondsAgo * 1_000,
  counts: { Loads: 0, Impressions: 0, Clicks, Conversions: 0 },
});
const clicks = (samples: Sample[]): number[] => barsOf(samples, NOW).map((bar) => bar.Clicks);

test('a bar shows what was added in its ten seconds', () => {
  const bars = clicks([sample(60, 0), sample(25, 2), sample(23, 3), sample(1, 7)]);
  expect(bars).toHaveLength(60);
  expect(bars.slice(-3)).toEqual([3, 0, 4]);
});

test('what existed at the start does not count as added', () => {
  expect(clicks([sample(30, 5)]).every((count) => count === 0)).toBe(true);
});

test('samples older than the chart are not shown', () => {
  const bars = clicks([sample(CHART_MS / 1_000 + 40, 0), sample(CHART_MS / 1_000 + 20, 9), sample(5, 10)]);
  expect(bars.reduce((sum, count) => sum + count, 0)).toBe(1);
});

test('a count that fell, after a reset, draws nothing below zero', () => {
  expect(Math.min(...clicks([sample(30, 8), sample(10, 0), sample(1, 1)]))).toBe(0);
});
