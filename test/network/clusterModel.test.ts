import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { predictCluster } from '../bench/network/clusterModel.ts';

/** µs of CPU per event of all nodes, measured with 1, 2 and 3 workers on one machine: docs/operators/scale.md#costs. */
const MEASURED = [125, 167, 160] as const;

const eventUs = (MEASURED[0] + MEASURED[1]) / 2;
const place = { eventUs, lost: 0, coresPerNode: 8, latencyMs: 0.5 };

test('what one and two workers cost predicts three within a fifth', () => {
  const { databaseUs } = predictCluster({ ...place, nodes: 3 });
  expect(Math.abs(databaseUs / MEASURED[2] - 1)).toBeLessThan(0.2);
  const page = readFileSync(new URL('../../docs/operators/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(`${MEASURED[0]} µs with one worker, ${MEASURED[1]} with two, ${MEASURED[2]} with three`);
  expect(page).toContain(`predicted ${Math.round(databaseUs)} µs`);
});

test('the table of the page is what the model predicts', () => {
  const page = readFileSync(new URL('../../docs/operators/scale.md', import.meta.url), 'utf8');
  const rate = (value: number): string => (Math.round(value / 100) * 100).toLocaleString('en');
  for (const nodes of [1, 2, 4, 8, 16]) {
    const [all, one] = [0, 1].map((lost) => predictCluster({ ...place, nodes, lost }));
    const share = `${((one?.unserved ?? 0) * 100).toFixed(0)} %`;
    const cells = [nodes, rate(all?.eventsPerSecond ?? 0), rate(one?.eventsPerSecond ?? 0), share];
    expect(page).toContain(`| ${cells.join(' | ')} | ${all?.batchMs.toFixed(1)} ms |`);
  }
});
