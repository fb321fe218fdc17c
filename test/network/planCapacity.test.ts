import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { connectionsFor, planCapacity } from '../../src/network.ts';
import { planCommand } from '../../src/sandbox/databaseCommands.ts';

const plan = (sessions: number, { keepMonths = 2, conversionsPerThousand = 10, reports = 1e5 } = {}) =>
  planCapacity({ sessions, eventsPerSession: 10, conversionsPerThousand, reports, keepMonths }, connectionsFor);

test('a billion sessions of ten events need what the arithmetic of the page says', () => {
  const { perSecondAtPeak, ...needs } = plan(1e9);
  // 1e9 / 2,592,000 s, three times that at the peak
  expect(perSecondAtPeak.sessions).toBeCloseTo(1157.4, 1);
  expect(perSecondAtPeak.events).toBeCloseTo(11_574, 0);
  expect(perSecondAtPeak.conversions).toBeCloseTo(11.574, 3);
  // 1e5 / 2,592,000 s, three times that
  expect(perSecondAtPeak.reports).toBeCloseTo(0.1157, 4);
  expect(needs).toEqual({
    database: 'citus',
    // (1157.4 × 1,200 + 11,574 × 100 + 11.6 × 4,000) µs / 0.6;
    // (1157.4 × 1,200 + 11,574 × 170 + 11.6 × (4,800 + 21 × 1,100) + 0.12 × 100,000) µs / 0.6
    cores: { processes: 5, database: 7 },
    // 4 + 4.8 + 21 × 1.1; 5 + 100
    cpuMs: { conversion: expect.closeTo(31.9, 6), report: 105 },
    oneBudgetPerSecond: 70,
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
  expect(plan(1e7, { keepMonths: 13 }).diskTerabytes).toBeGreaterThan(plan(1e7, { keepMonths: 2 }).diskTerabytes);
});

test('conversions and reports need cores, and a conversion more of them the more nodes have its budget', () => {
  const { database } = plan(1e9).cores;
  expect(plan(1e9, { conversionsPerThousand: 100 }).cores.database).toBeGreaterThan(database);
  expect(plan(1e9, { reports: 1e8 }).cores.database).toBeGreaterThan(database);
  expect(plan(1e6, { reports: 1e8 }).cores.database).toBeGreaterThan(plan(1e6).cores.database);
  expect(plan(1e10).cpuMs.conversion).toBeGreaterThan(plan(1e9).cpuMs.conversion);
  // 5,000 conversions per second × 1,100 µs are 5.5 cores of each node, and 4.8 may be used.
  const many = { conversionsPerThousand: 5_000 / 1.1574 };
  expect(plan(1e9, many).nodes).toBe(Number.POSITIVE_INFINITY);
});

async function print(...argv: readonly string[]): Promise<string> {
  let printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    await planCommand.run({ argv, env: {} });
    return printed;
  } finally {
    vi.restoreAllMocks();
  }
}

test('a few sessions take little, which is not printed as nothing', async () => {
  const printed = await print('--sessions', '1e5');
  // 1e5 / 2,592,000 s, three times that; 1e6 × 620 bytes for three months and 3,450 × 1e5 for twelve
  expect(printed).toContain(' 0.12 sessions and 1.2 events per second\n');
  expect(printed).toContain(' 0.006 TB after a year, with 2mo of events; then 0.00034 TB more a month\n');
});

test('the page shows what the command prints', async () => {
  const printed = await print('--sessions', '1e9');
  const page = readFileSync(new URL('../../docs/operators/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`text\n${printed.trim()}\n`);
  const tooMany = planCommand.run({ argv: ['--sessions', '1e12', '--conversions', '1000'], env: {} });
  await expect(tooMany).rejects.toThrow('No cluster takes 1,157,407 conversions per second');
  await expect(planCommand.run({ argv: [], env: {} })).rejects.toThrow('--sessions is missing');
  await expect(planCommand.run({ argv: ['--sessions', 'many'], env: {} })).rejects.toThrow(
    '--sessions is not a number',
  );
  for (const absurd of ['0', '-1', 'NaN', '1e30', 'Infinity', '']) {
    const planning = planCommand.run({ argv: [`--sessions=${absurd}`], env: {} });
    await expect(planning, absurd).rejects.toThrow(`--sessions is not a number above 0: "${absurd}"`);
    if (Number(absurd) > 1) await expect(planning).rejects.toThrow('At most 1e12 can be planned.');
  }
});
