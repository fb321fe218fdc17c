import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, asyncProperty, constant, constantFrom, integer, oneof, record } from 'fast-check';
import { expect, test } from 'vitest';
import { useOperatorWorld } from '../operatorWorld.ts';
import type { RawRow } from '../rawReport.ts';

// Random rules on the demo history with accidents in it, against a second reading of the raw API that shares no code.

const world = useOperatorWorld();
const DAY = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const before = (day: string, days: number): string => dayOf(Date.parse(day) - days * DAY);

interface Chosen {
  readonly kind: 'change' | 'silent' | 'range';
  readonly by: 'channel' | 'publisher' | 'page_type' | 'widget_type';
  readonly metric: string;
  readonly minimum: number;
  readonly limit: number;
  readonly days: number;
}

const rules = oneof(
  record({
    kind: constant('change' as const),
    by: constantFrom('channel' as const, 'publisher' as const, 'page_type' as const, 'widget_type' as const),
    metric: constantFrom('clicks', 'impressions', 'channel_payout', 'feed_loads'),
    minimum: constantFrom(1, 5, 20, 100, 1_000),
    limit: integer({ min: -95, max: -5 }),
    days: integer({ min: 1, max: 5 }),
  }),
  record({
    kind: constant('silent' as const),
    by: constantFrom('publisher' as const, 'page_type' as const),
    metric: constantFrom('clicks', 'impressions', 'conversions'),
    minimum: constantFrom(1, 5, 20),
    limit: constant(0),
    days: integer({ min: 1, max: 4 }),
  }),
  record({
    kind: constant('range' as const),
    by: constantFrom('channel' as const, 'publisher' as const, 'widget_type' as const),
    metric: constantFrom('ctr', 'cvr'),
    minimum: constantFrom(1, 50, 500),
    limit: integer({ min: 1, max: 15 }),
    days: integer({ min: 1, max: 10 }),
  }),
);

/** Rules of each kind that find something in any history: random ones alone once found too little. */
const TALKATIVE: readonly Chosen[] = [
  { kind: 'change', by: 'page_type', metric: 'clicks', minimum: 1, limit: -5, days: 1 },
  { kind: 'silent', by: 'page_type', metric: 'clicks', minimum: 1, limit: 0, days: 1 },
  { kind: 'range', by: 'publisher', metric: 'ctr', minimum: 1, limit: 5, days: 1 },
];

function fileOf(rule: Chosen): string {
  const { kind, by, metric, minimum, limit, days } = rule;
  const own =
    kind === 'change'
      ? `below: ${limit}%\n    weeks: ${days}`
      : kind === 'silent'
        ? `days: ${days}`
        : `to: ${limit}%\n    days: ${days}`;
  return `rules:\n  one:\n    kind: ${kind}\n    by: ${by}\n    metric: ${metric}\n    minimum: ${minimum}\n    ${own}\n`;
}

/** What the rule says about each day, written a second time on the rows of the API. */
function expected(rule: Chosen, rows: readonly RawRow[], days: readonly string[]): string[] {
  const idOf = (row: RawRow): string =>
    rule.by === 'channel' ? 'channel' : String(row[rule.by === 'publisher' ? 'publisher_id' : rule.by] ?? '');
  const table: Record<string, Record<string, RawRow>> = {};
  for (const row of rows) (table[idOf(row)] ??= {})[String(row['period_start']).slice(0, 10)] = row;
  const said: string[] = [];
  for (const [id, its] of Object.entries(table)) {
    const at = (day: string, metric = rule.metric): number => Number(its[day]?.[metric] ?? 0);
    const total = (last: string, count: number, metric = rule.metric): number => {
      let sum = 0;
      for (let day = 0; day < count; day++) sum += at(before(last, day), metric);
      return sum;
    };
    let isOpen = false;
    let unjudged = 0;
    for (const day of days) {
      let isBad: boolean | undefined;
      if (rule.kind === 'change') {
        const same = Array.from({ length: rule.days }, (_, week) => at(before(day, 7 * week + 7))).sort(
          (a, b) => a - b,
        );
        const middle = same.length / 2;
        const median =
          same.length % 2 === 1
            ? Number(same[Math.floor(middle)])
            : (Number(same[middle - 1]) + Number(same[middle])) / 2;
        if (median >= rule.minimum) isBad = (at(day) - median) / median < (rule.limit / 100) * (isOpen ? 0.5 : 1);
      } else if (rule.kind === 'silent') {
        if (total(day, rule.days) > 0) isBad = false;
        else if (isOpen || total(before(day, rule.days), 28) / 28 >= rule.minimum) isBad = true;
      } else {
        const [over, under] = rule.metric === 'ctr' ? ['clicks', 'impressions'] : ['conversions', 'clicks'];
        const most = total(day, rule.days, under);
        if (most >= rule.minimum)
          isBad = Math.round((total(day, rule.days, over) / most) * 10_000) / 10_000 > rule.limit / 100;
      }
      unjudged = isBad === undefined ? unjudged + 1 : 0;
      if (isBad === true && !isOpen) said.push(`${day} began ${id}`);
      if (isBad === false && isOpen) said.push(`${day} recovered ${id}`);
      if (isOpen && unjudged >= 14) said.push(`${day} ended ${id}`);
      isOpen = isBad ?? (isOpen && unjudged < 14);
    }
  }
  return said.sort();
}

test('what a backtest says is what the raw reports say, for random rules', async () => {
  const today = dayOf(Date.now());
  // Peaks and new page types, so that there is something to find; silence comes after them by itself.
  await world.activity(
    Array.from({ length: 60 }, (_, index) => ({
      day: before(today, 2 + ((index * 7) % 41)),
      page_type: index % 3 === 0 ? 'KIOSK' : 'THANK_YOU',
      clicks: 20 + index * 13,
      impressions: 400 + index * 90,
      conversions: index % 5,
    })),
  );
  const days = Array.from({ length: 40 }, (_, index) => before(today, 40 - index));
  const from = before(today, 120);
  let said = 0;
  await assert(
    asyncProperty(rules, async (rule) => {
      const metrics = rule.kind === 'range' ? 'clicks,impressions,conversions' : rule.metric;
      const group = rule.by === 'channel' ? {} : { group_by: rule.by };
      const rows = await world.raw({ from, to: today, time_grain: 'day', metrics, ...group });
      const file = join(world.folder, 'random.yaml');
      writeFileSync(file, fileOf(rule));
      const ran = await world.run(`watch --rules ${file} --backtest 40 --json`);
      expect(ran.code, ran.stderr).toBe(0);
      const { events } = JSON.parse(ran.stdout) as { events: { day: string; event: string; id: string }[] };
      const wanted = expected(rule, rows, days);
      said += wanted.length;
      expect(events.map(({ day, event, id }) => `${day} ${event} ${id}`).sort(), fileOf(rule)).toEqual(wanted);
    }),
    { numRuns: 25, includeErrorInReport: true, examples: TALKATIVE.map((rule) => [rule]) },
  );
  // A test in which nothing is ever said would prove nothing.
  expect(said).toBeGreaterThan(50);
});
