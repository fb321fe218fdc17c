import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import { createOperatorConsole } from '../../../src/operator.ts';
import type { ConsoleReport } from '../../../src/operator/console/protocol.ts';
import { CHANNEL_GROUPINGS, CHANNEL_METRICS } from '../../../src/wire/reporting.ts';
import { pick, seeded } from '../../fixtures/random.ts';
import { activityOf, DAY_MS, dateOf, keyOf, readRaw, type RawRow, YEAR_DAYS } from '../rawReport.ts';

// Random reports of the console against the raw API, which is read here with nothing of ours but the names of the metrics.

const URL_BASE = 'http://127.0.0.1:4600';
let compared = 0;
let network: Network;
let show: (path: string) => Promise<ConsoleReport>;

beforeAll(async () => {
  network = await createNetwork({ memory: true, seed: 'demo', log: () => undefined });
  const handler = createOperatorConsole({
    networkUrl: URL_BASE,
    apiKey: network.describe().keys['management'] ?? '',
    fetch: (url, init) => network.fetch(new Request(url, init), { ip: '127.0.0.1' }),
  });
  show = async (path) => {
    const response = await handler(new Request(`http://127.0.0.1:4602/api/${path}`), { ip: '127.0.0.1' });
    expect(response.status, path).toBe(200);
    return (await response.json()) as ConsoleReport;
  };
  // The demo's history is shorter than a year.
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await control('PUT', 'settings', { history_from: dateOf(today - 400 * DAY_MS) });
  const random = seeded(99);
  const { publisher_remote_id } = network.describe().publisher;
  const days = [...Array(30).keys()];
  const rows = days.flatMap((day) => activityOf(today - (YEAR_DAYS + day) * DAY_MS, publisher_remote_id, random));
  await control('POST', 'activity', { rows });
}, 120_000);
afterAll(async () => {
  process.stdout.write(`compared ${compared} values of the console's reports with the raw API\n`);
  await network.close();
});

async function control(method: string, path: string, body: unknown): Promise<void> {
  const request = new Request(`${URL_BASE}/sandbox/${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const response = await network.fetch(request, { ip: '127.0.0.1' });
  if (!response.ok) throw new Error(await response.text());
}

function get(path: string): Promise<Response> {
  const headers = { 'x-api-key': network.describe().keys['management'] ?? '' };
  return network.fetch(new Request(URL_BASE + path, { headers }), { ip: '127.0.0.1' });
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'random reports of seed %i have the numbers of the raw API',
  async (seed) => {
    const random = seeded(seed);
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const days = 2 + Math.floor(random() * 12);
    const to = today - Math.floor(random() * 12) * DAY_MS;
    const from = to - (days - 1) * DAY_MS;
    const by = pick(random, CHANNEL_GROUPINGS, Math.floor(random() * 3));
    const metrics = pick(random, CHANNEL_METRICS, 1 + Math.floor(random() * 6));
    const grain = pick(random, ['total', 'day'], 1)[0] ?? 'day';
    const params = new URLSearchParams({ time_grain: grain, metrics: metrics.join() });
    if (by.length > 0) params.set('group_by', by.join());
    if (random() < 0.3) params.set('page_types', 'THANK_YOU');
    const dated = (shift: number): URLSearchParams =>
      new URLSearchParams([...params, ['from', dateOf(from - shift)], ['to', dateOf(to - shift)]]);
    const compare = seed % 2 === 0 ? 'year' : 'previous';
    const shift = (compare === 'year' ? YEAR_DAYS : days) * DAY_MS;
    const [now, before] = [await readRaw(get, dated(0)), await readRaw(get, dated(shift))];

    // There is something to compare with, a year ago as well.
    expect(before.rows.length).toBeGreaterThan(0);

    // All windows of the console's report, in its own order.
    const asked = new URLSearchParams([...dated(0), ['compare', compare], ['sort', `-${metrics[0]}_change`]]);
    const first = await show(`report?${asked}`);
    const rows = [...first.rows];
    while (rows.length < first.count) {
      const more = await show(`report?${asked}&known=${first.id}&offset=${rows.length}`);
      expect(more.id).toBe(first.id);
      rows.push(...more.rows);
    }
    const earlier = new Map(before.rows.map((row) => [keyOf(row, from - shift, by), row]));
    const shown = new Map(rows.map((row) => [keyOf(row as unknown as RawRow, from, by), row]));
    for (const raw of now.rows) {
      const key = keyOf(raw, from, by);
      const row = shown.get(key);
      for (const metric of metrics) {
        const [value, was] = [Number(raw[metric]), Number(earlier.get(key)?.[metric] ?? 0)];
        expect(row?.[metric], `${key} ${metric}`).toBe(value);
        expect(Number(row?.counterpart?.[metric] ?? 0), `${key} ${metric} before`).toBe(was);
        expect(row?.change?.[metric]?.difference, `${key} ${metric} change`).toBeCloseTo(value - was, 3);
        compared += 3;
      }
      shown.delete(key);
      earlier.delete(key);
    }
    // What is left had activity before only.
    expect([...shown.keys()].toSorted()).toEqual([...earlier.keys()].toSorted());
    for (const [key, row] of shown)
      for (const metric of metrics) {
        expect(Number(row.counterpart?.[metric]), `${key} ${metric} before`).toBe(Number(earlier.get(key)?.[metric]));
        compared += 1;
      }
    for (const metric of metrics) {
      expect(first.totals[metric]).toBe(now.summary[metric]);
      expect(first.totals.counterpart?.[metric]).toBe(before.summary[metric]);
    }
    // In the requested order.
    const order = rows.map((row) => row.change?.[metrics[0] ?? '']?.difference ?? 0);
    expect(order).toEqual(order.toSorted((a, b) => b - a));
  },
);
