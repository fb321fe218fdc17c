import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { connectionsFor, planCapacity } from '../../src/network.ts';
import { planCommand } from '../../src/sandbox/planCommand.ts';

const plan = (sessions: number, keepMonths = 2) =>
  planCapacity({ sessions, eventsPerSession: 10, keepMonths }, connectionsFor);

test('a billion sessions of ten events need what the arithmetic of the page says', () => {
  const { perSecondAtPeak, ...needs } = plan(1e9);
  // 1e9 / 2,592,000 s, three times that at the peak
  expect(perSecondAtPeak.sessions).toBeCloseTo(1157.4, 1);
  expect(perSecondAtPeak.events).toBeCloseTo(11_574, 0);
  expect(needs).toEqual({
    database: 'citus',
    // (1157.4 × 1,200 + 11,574 × 100) µs / 0.6; (1157.4 × 1,300 + 11,574 × 185) µs / 0.6
    cores: { processes: 5, database: 7 },
    nodes: 21,
    // 1e10 × 620 bytes for three months; (2,050 + 1,400) bytes a session for twelve
    diskTerabytes: expect.closeTo(60, 6),
    growthTerabytesAMonth: expect.closeTo(3.45, 6),
    // 1157.4 × 9,650 bytes, twice
    walMegabytesPerSecondAtPeak: expect.closeTo(22.34, 2),
    connectionsPerNode: 5 * 2 * 21,
  });
});

test('a million sessions fit one server', () => {
  expect(plan(1e6)).toMatchObject({
    database: 'plain',
    cores: { processes: 1, database: 1 },
    nodes: 1,
    connectionsPerNode: 8,
  });
});

test('more sessions never need less, and keeping events longer needs more disk', () => {
  let before = plan(1e4);
  for (const sessions of [1e5, 1e6, 1e7, 1e8, 1e9, 1e10]) {
    const next = plan(sessions);
    expect(next.nodes).toBeGreaterThanOrEqual(before.nodes);
    expect(next.cores.processes).toBeGreaterThanOrEqual(before.cores.processes);
    expect(next.diskTerabytes).toBeGreaterThan(before.diskTerabytes);
    before = next;
  }
  expect(plan(1e7, 13).diskTerabytes).toBeGreaterThan(plan(1e7, 2).diskTerabytes);
});

test('the page shows what the command prints', async () => {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    await planCommand.run({ argv: ['--sessions', '1e9'], env: {} });
  } finally {
    vi.restoreAllMocks();
  }
  const page = readFileSync(new URL('../../docs/operators/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`text\n${printed.trim()}\n`);
  await expect(planCommand.run({ argv: [], env: {} })).rejects.toThrow('--sessions is missing');
  await expect(planCommand.run({ argv: ['--sessions', 'many'], env: {} })).rejects.toThrow(
    '--sessions is not a number',
  );
});
