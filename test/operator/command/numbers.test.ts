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
  // Days of one week, dates that begin with a month, and those up to today are compared otherwise.
  const days = 7 + Math.floor(random() * 7);
  const back = (1 + Math.floor(random() * 11)) * DAY_MS;
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
test.each(['day', 'week', 'total', 'hour'] as const)(
  'today is compared up to the same hour, whatever the dates, by %s',
  async (grain) => {
    const dates = grain === 'hour' ? { from: today, to: today } : { from: today - 9 * DAY_MS, to: today };
    const days = (dates.to - dates.from) / DAY_MS + 1;
    const metrics = ['clicks', 'channel_payout', 'ctr', 'cvr', 'attributed_cpa'];
    const parts = ['clicks', 'impressions', 'conversions', 'channel_payout', 'attributed_ad_spend_amount'];
    const range = `--from ${dateOf(dates.from)} --to ${dateOf(dates.to)} --grain ${grain} --by page_type`;
    const ran = await world.run(`report ${range} --metrics ${metrics.join()} --compare previous --json`);
    expect(ran.code, ran.stderr).toBe(0);
    const report = JSON.parse(ran.stdout) as { data: Compared[]; totals: Compared; compared: { hours: number } };
    const { hours } = report.compared;
    expect(hours).toBeGreaterThan(0);
    // The same from hours of the raw API: three dates at a time.
    const facts: RawRow[] = [];
    for (let at = dates.from - days * DAY_MS; at < dates.from; at += DAY_MS) {
      const query = {
        from: dateOf(at),
        to: dateOf(at),
        time_grain: 'hour',
        metrics: parts.join(),
        group_by: 'page_type',
      };
      const { rows } = await readRaw(get, new URLSearchParams(query));
      facts.push(
        ...rows.filter((row) => Date.parse(String(row['period_start'])) < dates.from - DAY_MS + hours * 3_600_000),
      );
    }
    const sum = (rows: readonly RawRow[], name: string) => rows.reduce((all, row) => all + Number(row[name]), 0);
    const check = (counterpart: RawRow | null | undefined, rows: readonly RawRow[]): void => {
      const of = (name: string) => sum(rows, name);
      expect(counterpart?.['clicks'] ?? 0).toBe(of('clicks'));
      expect(Number(counterpart?.['channel_payout'] ?? 0)).toBeCloseTo(of('channel_payout'), 0);
      const share = (over: string, under: string) => (of(under) === 0 ? 0 : of(over) / of(under));
      expect(Number(counterpart?.['ctr'] ?? 0)).toBe(Number((share('clicks', 'impressions') + 1e-9).toFixed(4)));
      expect(Number(counterpart?.['cvr'] ?? 0)).toBe(Number((share('conversions', 'clicks') + 1e-9).toFixed(4)));
      const cost = String(counterpart?.['attributed_cpa'] ?? 0);
      expect(cost).toMatch(/^\d+(\.\d\d?)?$/);
      compared += 4;
    };
    check(report.totals.counterpart, facts);
    for (const page of new Set(facts.map((row) => row['page_type']))) {
      const rows = report.data.filter((row) => row['page_type'] === page);
      const counterparts = rows.map(({ counterpart }) => counterpart);
      expect(
        sum(
          counterparts.map((one) => one ?? { clicks: 0 }),
          'clicks',
        ),
      ).toBe(
        sum(
          facts.filter((row) => row['page_type'] === page),
          'clicks',
        ),
      );
      const last = counterparts
        .filter((one) => one !== null)
        .toSorted((a, b) => (String(a['period_start']) < String(b['period_start']) ? 1 : -1))[0];
      if (grain !== 'hour' && last) expect(last['period_end']).toMatch(/T00:00:00Z$/);
    }
  },
);
