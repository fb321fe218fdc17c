import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { predictCluster } from '../bench/network/clusterModel.ts';

/** µs of CPU per event of all nodes, measured with 1, 2 and 3 workers on one machine: docs/operators/scale.md#costs. */
const MEASURED = [254, 277, 245] as const;

/** What one and two workers cost says what a statement costs, and what passing it on does: a half and two thirds are passed on. */
const passedOn = (MEASURED[1] - MEASURED[0]) / (2 / 3 - 1 / 2);
const costs = { worker: MEASURED[0] - passedOn / 2, passedOn };
const place = { lost: 0, coresPerNode: 8, latencyMs: 0.5 };

test('the model reproduces one and two workers, and three within a fifth', () => {
  const predicted = [1, 2, 3].map((nodes) => predictCluster(costs, { ...place, nodes }).databaseUs);
  expect(predicted[0]).toBeCloseTo(MEASURED[0]);
  expect(predicted[1]).toBeCloseTo(MEASURED[1]);
  expect(Math.abs((predicted[2] ?? 0) / MEASURED[2] - 1)).toBeLessThan(0.2);
});

test('the table of the page is what the model predicts', () => {
  const page = readFileSync(new URL('../../docs/operators/scale.md', import.meta.url), 'utf8');
  const rate = (value: number): string => (Math.round(value / 100) * 100).toLocaleString('en');
  for (const nodes of [1, 2, 4, 8, 16]) {
    const [all, one] = [0, 1].map((lost) => predictCluster(costs, { ...place, nodes, lost }));
    const share = `${((one?.unserved ?? 0) * 100).toFixed(0)} %`;
    const cells = [nodes, rate(all?.eventsPerSecond ?? 0), rate(one?.eventsPerSecond ?? 0), share];
    expect(page).toContain(`| ${cells.join(' | ')} | ${all?.batchMs.toFixed(1)} ms |`);
  }
});
