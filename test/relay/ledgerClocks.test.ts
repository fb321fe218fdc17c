// The ledger while the clock of the relay's own machine is set back and ahead, across midnight and `kill -9`.
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { openDedupeRedis } from '../../src/relay-redis.ts';
import { openDedupeFile, type DedupeStore, type Ledger } from '../../src/relay.ts';
import { freePort } from '../fixtures/serve.ts';
import { seeded } from '../fixtures/random.ts';
import { event, setUp, type Bench } from './scriptedNetwork.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');
const ALL = { from: '2026-11-01', to: '2026-12-10' };
const hourOf = (datetime: unknown): string => `${String(datetime).slice(0, 13)}:00:00Z`;

/** The true time, and by how much the clock of the relay's machine is off. */
let now = 0;
let offset = 0;
let root = '';
/** What a relay writes to; Redis serves several, so one that was killed leaves everything there. */
type Store = DedupeStore & { readonly ledger: Ledger; close(): Promise<void> };
const STORES = process.env['OFFERLET_TEST_REDIS'] === '1' ? ['files', 'Redis'] : ['files'];
let kind = 'files';
let redisUrl = '';
let redis: ChildProcess | undefined;
let store: Store;
let bench: Bench;
let starts = 0;
/** What reached the network, through every relay that was started. */
let arrived: Record<string, unknown>[] = [];
const killed: Store[] = [];

beforeAll(async () => {
  if (!STORES.includes('Redis')) return;
  const port = await freePort();
  redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
  redisUrl = `redis://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    try {
      await (await openDedupeRedis({ url: redisUrl })).close();
      return;
    } catch (error) {
      if (tries > 40) throw error;
      await sleep(100);
    }
  }
});
afterAll(() => void redis?.kill());

async function setUpClocks(): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'] });
  root = makeFolder();
  [starts, arrived] = [0, []];
  set(MIDNIGHT - 140 * MINUTE, 0);
  await start();
}

afterEach(async () => {
  vi.useRealTimers();
  for (const one of [store, ...killed.splice(0)]) await one.close();
});

function set(time: number, off: number): void {
  [now, offset] = [time, off];
  vi.setSystemTime(now + offset);
}

async function start(): Promise<void> {
  store =
    kind === 'Redis'
      ? await openDedupeRedis({ url: redisUrl, prefix: `${basename(root)}:` })
      : await openDedupeFile(join(root, String(starts)), { onLog: () => undefined });
  bench = setUp({ dedupe: store, rateLimit: false, forwardEventIds: true });
}

/** The next relay finds what a killed one had written until then, and nothing else. */
async function killAndStart(): Promise<void> {
  arrived.push(...bench.network.events());
  killed.push(store);
  if (kind === 'Redis') return start();
  const before = join(root, String(starts++));
  const isData = (path: string): boolean => /^(\d+|accepted-events\.log)$/.test(basename(path));
  await cp(before, join(root, String(starts)), { recursive: true, filter: isData });
  await start();
}

/** How many events the ledger has, and how many these are, in each hour. */
async function ledgerHours(): Promise<Record<string, number>> {
  const { rows, problems } = await store.ledger.read(ALL);
  expect(problems).toEqual([]);
  return Object.fromEntries(
    rows.filter(({ name }) => name === 'BRAND_DISPLAY').map(({ hour, count }) => [hour, count]),
  );
}

function hoursOf(datetimes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const datetime of datetimes) counts[hourOf(datetime)] = (counts[hourOf(datetime)] ?? 0) + 1;
  return counts;
}

describe.each(STORES)('with %s', (name) => {
  beforeEach(async () => {
    kind = name;
    await setUpClocks();
  });

  test.each([...Array(10).keys()])(
    'midnight, kills and a clock that is set back and ahead: every event in its true hour, once (run %i)',
    async (run) => {
      const random = seeded(run + 1);
      const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
      const sent: Record<string, unknown>[] = [];
      for (let step = 0; step < 60; step++) {
        if (step === 40) set(Math.max(now, MIDNIGHT + 90 * MINUTE), offset);
        const what = pick(['send', 'send', 'send', 'again', 'wait', 'clock', 'kill']);
        if (what === 'send') {
          const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
            event({ event_datetime: new Date(now - Math.floor(random() * 90) * MINUTE).toISOString() }),
          );
          sent.push(...batch);
          expect((await bench.post('/events/batch', { events: batch })).status).toBe(202);
        }
        if (what === 'again' && sent[0]) await bench.post('/events/batch', { events: [pick(sent), pick(sent)] });
        if (what === 'wait') set(now + Math.floor(random() * 40) * MINUTE, offset);
        if (what === 'clock') set(now, pick([0, -HOUR, -3 * HOUR, -20 * HOUR, 2 * HOUR, 30 * HOUR]));
        if (what === 'kill') await killAndStart();
      }
      await killAndStart();
      const truth = hoursOf(sent.map(({ event_datetime }) => event_datetime));
      expect(new Set(Object.keys(truth).map((hour) => hour.slice(0, 10))).size).toBe(2);
      expect(await ledgerHours()).toEqual(truth);
      expect(hoursOf(arrived.map(({ event_datetime }) => event_datetime))).toEqual(truth);
    },
  );

  test('a relay whose own clock is wrong moves what pages send; it counts that where it says it to the network', async () => {
    const send = async (deviceOff: number): Promise<void> => {
      const device = now + deviceOff;
      const sent = event({ event_datetime: new Date(device).toISOString() });
      for (let tries = 0; tries < 2; tries++) await bench.post(`/events/batch?sent=${device}`, { events: [sent] });
    };
    for (const off of [0, -2 * HOUR, 0]) {
      for (const minutes of [-10, 10]) {
        set(MIDNIGHT + minutes * MINUTE, off);
        for (const deviceOff of [0, 72 * HOUR, -72 * HOUR]) await send(deviceOff);
        await killAndStart();
      }
    }
    const hours = {
      '2026-11-21T21:00:00Z': 3,
      '2026-11-21T22:00:00Z': 3,
      '2026-11-21T23:00:00Z': 6,
      '2026-11-22T00:00:00Z': 6,
    };
    expect(await ledgerHours()).toEqual(hours);
    expect(hoursOf(arrived.map(({ event_datetime }) => event_datetime))).toEqual(hours);
  });
});
