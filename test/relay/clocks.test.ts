import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { openDedupeFile } from '../../src/relay.ts';
import { dateOf } from '../../src/wire/utcDates.ts';
import { keys } from './dedupe/keys.ts';
import { accept, ask, event, json, setUp } from './scriptedNetwork.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
afterEach(() => void vi.useRealTimers());

/** Sets the machine's clock. What measures durations goes on. */
function setClock(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

function useClocks(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
}

test('a clock that is set back while the circuit is open does not keep it open', async () => {
  useClocks();
  const { network, relay } = setUp();
  network.respondWith(() => json(500, { message: 'Oops' }));
  for (let index = 0; index < 5; index++) await ask(relay, { ip: `192.0.2.${index}` });
  expect((await ask(relay, { ip: '192.0.2.9' })).headers.get('retry-after')).toBe('10');
  setClock(-HOUR);
  vi.advanceTimersByTime(10_001);
  network.respondWith(accept);
  expect((await ask(relay, { ip: '192.0.2.9' })).status).toBe(200);
});

test('a clock that is set back does not stop the refilling of a rate limit, one that is ahead does not speed it up', async () => {
  useClocks();
  const { counted, relay } = setUp({ rateLimit: { perAddress: { burst: 1, perSecond: 1 } } });
  const from = { ip: '192.0.2.1' };
  expect((await ask(relay, from)).status).toBe(200);
  setClock(HOUR);
  const refused = await ask(relay, from);
  expect([refused.status, refused.headers.get('retry-after'), counted('rate_limited')]).toEqual([429, '1', 1]);
  setClock(-2 * HOUR);
  vi.advanceTimersByTime(1_001);
  expect((await ask(relay, from)).status).toBe(200);
});

test('accepted events are remembered while the clock jumps, and forgotten after eight days', async () => {
  useClocks();
  const bench = setUp();
  const [first, second, meanwhile] = [event(), event(), event()];
  await bench.post('/events', first);
  setClock(400 * DAY);
  await bench.post('/events', second);
  await bench.post('/events', first);
  setClock(-800 * DAY);
  await bench.post('/events', meanwhile);
  setClock(400 * DAY);
  vi.advanceTimersByTime(7 * DAY);
  for (const sent of [first, meanwhile]) expect((await bench.post('/events', sent)).status).toBe(201);
  expect(bench.network.events()).toHaveLength(3);
  vi.advanceTimersByTime(DAY);
  await bench.post('/events', meanwhile);
  expect(bench.network.events()).toHaveLength(4);
});

test('a clock that is ahead for a moment, or was at the start, makes no event too old', async () => {
  useClocks();
  const sent = (): Record<string, unknown> => event();
  const ahead = setUp();
  const batch = [sent(), sent()];
  setClock(40 * DAY);
  expect((await ahead.post('/events/batch', { events: batch })).status).toBe(202);
  const started = setUp();
  setClock(-40 * DAY);
  expect((await started.post('/events/batch', { events: batch })).status).toBe(202);
});

describe('the file of accepted events', () => {
  let directory: string;
  beforeEach(() => void (directory = makeFolder()));
  const open = (): ReturnType<typeof openDedupeFile> => openDedupeFile(directory, { onLog: () => undefined });

  test.each([
    ['set back by a year', -365 * DAY],
    ['ahead by two years', 730 * DAY],
    ['at the beginning of 1970', -Date.now()],
  ])('keeps what it knows when the clock is %s at a start, and right again at the next', async (_, jump) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const first = await open();
    const today = dateOf(Date.now());
    await first.accept(keys('a'), '', [`${today}T00 BRAND_CLICK - - `]);
    await first.close();
    setClock(jump);
    const second = await open();
    expect(await second.claim(keys('a'))).toEqual(['known']);
    await second.accept(keys('b'));
    await second.close();
    setClock(-jump);
    const third = await open();
    expect(await third.claim(keys('a', 'b', 'c'))).toEqual(['known', 'known', 'new']);
    await third.accept(keys('c'));
    await third.close();
    const fourth = await open();
    expect(await fourth.claim(keys('a', 'b', 'c'))).toEqual(['known', 'known', 'known']);
    expect((await fourth.ledger.read({ from: today, to: today })).rows).toHaveLength(1);
    await fourth.close();
  });

  test('counts each stop as a day, so that it forgets in the end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const file = await open();
    await file.accept(keys('a'));
    await file.close();
    for (let stop = 1; stop <= 8; stop++) {
      setClock(30 * DAY);
      const again = await open();
      expect(await again.claim(keys('a')), `after ${stop} stops`).toEqual([stop < 8 ? 'known' : 'new']);
      await again.close();
    }
  });
});
