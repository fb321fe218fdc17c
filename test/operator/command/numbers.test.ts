import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHANNEL_GROUPINGS, CHANNEL_METRICS } from '../../../src/wire/reporting.ts';
import { pick, seeded } from '../../fixtures/random.ts';
import { activityOf, DAY_MS, dateOf, keyOf, readRaw, type RawRow, YEAR_DAYS } from '../rawReport.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// Random compared reports of the command against the raw API, read here with nothing of ours but the names of the metrics.

const world = useOperatorWorld();
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const get = (path: string): Promise<Response> => fetch(world.url + path, { headers: { 'x-api-key': world.key } });
let compared = 0;
afterAll(() => {
  process.stdout.write(`compared ${compared} values of reports with the raw API\n`);
});

interface Compared {
  readonly [column: string]: unknown;
  readonly counterpart: RawRow | null;
  readonly change: Readonly<Record<string, { readonly difference: number }>>;
}

beforeAll(async () => {
  // The demo's history is shorter than a year.
  await world.control('PUT', 'settings', { history_from: dateOf(today - 400 * DAY_MS) });
  const random = seeded(99);
  const days = [...Array(40).keys()].filter(() => random() < 0.8);
  const rows = days.flatMap((day) => activityOf(today - (YEAR_DAYS + day) * DAY_MS, world.publisher, random));
  await world.control('POST', 'activity', { rows });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('what the command compares is what the raw API says: seed %i', async (seed) => {
  const random = seeded(seed);
  // Days of one week, and dates that begin with a month, are compared otherwise, whatever day it is today.
  const days = 7 + Math.floor(random() * 7);
  const back = Math.floor(random() * 12) * DAY_MS;
  const to = today - (dateOf(today - back - (days - 1) * DAY_MS).endsWith('-01') ? back + DAY_MS : back);
  const from = to - (days - 1) * DAY_MS;
  const by = pick(
    random,
    CHANNEL_GROUPINGS.filter((name) => name !== 'widget_id'),
    Math.floor(random() * 3),
  );
  const metrics = [...new Set(['clicks', ...pick(random, CHANNEL_METRICS, 1 + Math.floor(random() * 5))])];
  const grain = random() < 0.5 ? 'day' : 'total';
  const compare = seed % 2 === 0 ? 'year' : 'previous';
  const shift = (compare === 'year' ? YEAR_DAYS : days) * DAY_MS;
  const isFiltered = random() < 0.3;
  const dated = (back: number): URLSearchParams =>
    new URLSearchParams({
      time_grain: grain,
      metrics: metrics.join(),
      from: dateOf(from - back),
      to: dateOf(to - back),
      ...(by.length > 0 && { group_by: by.join() }),
      ...(isFiltered && { page_types: 'THANK_YOU' }),
    });
  const [now, before] = [await readRaw(get, dated(0)), await readRaw(get, dated(shift))];
  // There is something to compare with, a year ago as well.
  expect(Number(before.summary['clicks'])).toBeGreaterThan(0);
  const words = [
    `report --from ${dateOf(from)} --to ${dateOf(to)} --grain ${grain} --metrics ${metrics.join()}`,
    `--compare ${compare} --sort -clicks_change --json`,
    ...(by.length > 0 ? [`--by ${by.join()}`] : []),
    ...(isFiltered ? ['--filter page_type=THANK_YOU'] : []),
  ];
  const ran = await world.run(words.join(' '));
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const report = JSON.parse(ran.stdout) as { data: Compared[]; totals: Compared; compared: object };
  expect(report.compared).toEqual({ from: dateOf(from - shift), to: dateOf(to - shift) });
  const [nows, befores] = [
    new Map(now.rows.map((row) => [keyOf(row, from, by), row])),
    new Map(before.rows.map((row) => [keyOf(row, from - shift, by), row])),
  ];
  const keys = new Set([...nows.keys(), ...befores.keys()]);
  const shown = new Map(report.data.map((row) => [keyOf(row as unknown as RawRow, from, by), row]));
  expect([...shown.keys()].toSorted()).toEqual([...keys].toSorted());
  const check = (row: Compared | undefined, value: number, { metric, was }: { metric: string; was: number }): void => {
    expect(row?.[metric], metric).toBe(value);
    expect(Number(row?.counterpart?.[metric] ?? 0), `${metric} before`).toBe(was);
    expect(row?.change[metric]?.difference, `${metric} change`).toBeCloseTo(value - was, 3);
    compared += 3;
  };
  for (const metric of metrics) {
    for (const one of keys)
      check(shown.get(one), Number(nows.get(one)?.[metric] ?? 0), {
        metric,
        was: Number(befores.get(one)?.[metric] ?? 0),
      });
    check(report.totals, Number(now.summary[metric]), { metric, was: Number(before.summary[metric]) });
  }
  const order = report.data.map((row) => row.change['clicks']?.difference ?? 0);
  expect(order).toEqual(order.toSorted((a, b) => b - a));
});
