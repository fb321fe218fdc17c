import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import {
  createDedupeMemory,
  openDedupeFile,
  readLedger,
  type DedupeFile,
  type Ledger,
  type LedgerRow,
} from '../../src/relay.ts';
import { cellLine, readAcceptedLog, segmentLine } from '../../src/relay/dedupe/readAcceptedLog.ts';
import { event, json, setUp, SESSION, type Bench } from './scriptedNetwork.ts';

let directory: string;
const opened: DedupeFile[] = [];
beforeEach(() => void (directory = makeFolder()));
afterEach(async () => {
  vi.useRealTimers();
  for (const store of opened.splice(0)) await store.close();
});

const ALL = { from: '2000-01-01', to: '2099-12-31' };

async function open(): Promise<DedupeFile> {
  const store = await openDedupeFile(directory, { onLog: () => undefined });
  opened.push(store);
  return store;
}

/** Ends a store as `kill -9` does: nothing more is written, and the next process takes over. */
async function kill(store: DedupeFile): Promise<void> {
  opened.splice(opened.indexOf(store), 1);
  const [log, days] = [await readFile(logFile()), await readDayFiles()];
  await store.close();
  await rm(join(directory, 'ledger'), { recursive: true, force: true });
  await writeFile(logFile(), log);
  const fs = await import('node:fs/promises');
  if (days.length > 0) await fs.mkdir(join(directory, 'ledger'));
  for (const [name, text] of days) await writeFile(join(directory, 'ledger', name), text);
}

const logFile = (): string => join(directory, 'accepted-events.log');

async function readDayFiles(): Promise<[string, string][]> {
  const names = await readdir(join(directory, 'ledger')).catch(() => []);
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      name,
      await readFile(join(directory, 'ledger', name), 'utf8'),
    ]),
  );
}

async function countsOf(name: string, from: { ledger: Pick<Ledger, 'read'> } | string = directory): Promise<number> {
  const { rows } = typeof from === 'string' ? await readLedger(from, ALL) : await from.ledger.read(ALL);
  return rows.filter((row) => row.name === name).reduce((sum, { count }) => sum + count, 0);
}

async function askFor(bench: Bench, placement: Record<string, unknown>): Promise<void> {
  await bench.post('/recommendations', {
    user_details: { external_guid: 'a' },
    placement_details: placement,
  });
}

describe('the ledger in files', () => {
  test('counts accepted events by hour, name and the placement of their session', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'under the fold, größer \\ 1' });
    const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await bench.post('/events/batch', {
      events: [
        event(),
        event({ event_name: 'BRAND_CLICK', event_datetime: at }),
        event({ session_id: 'b2d9a7a2-2f49-4b7c-8a9d-9f5df0b1c001' }),
      ],
    });
    const { rows } = await store.ledger.read(ALL);
    const place = { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'under the fold, größer \\ 1' };
    const none = { view: null, display_mode: null, widget_id: null };
    const hour = (time: string): string => `${time.slice(0, 13)}:00:00Z`;
    const now = hour(new Date().toISOString());
    expect(rows).toEqual([
      { hour: hour(at), name: 'BRAND_CLICK', ...place, count: 1 },
      { hour: now, name: 'BRAND_DISPLAY', ...none, count: 1 },
      { hour: now, name: 'BRAND_DISPLAY', ...place, count: 1 },
      { hour: now, name: 'offers_empty', ...none, count: 1 },
      { hour: now, name: 'offers_requested', ...none, count: 1 },
    ] satisfies LedgerRow[]);
  });

  test('counts a duplicate and a repeated batch once, even after a restart', async () => {
    const events = [event(), event()];
    for (let run = 0; run < 3; run++) {
      const store = await open();
      const bench = setUp({ dedupe: store });
      await bench.post('/events/batch', { events: [...events, events[0]] });
      await bench.post('/events', events[1]);
      await kill(store);
      expect(await countsOf('BRAND_DISPLAY')).toBe(2);
    }
  });

  test('knows an event exactly when it counts it, wherever the file is cut off', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const begin = (await readFile(logFile())).length;
    const events = [event(), event({ event_name: 'BRAND_CLICK' }), event()];
    await bench.post('/events/batch', { events });
    await kill(store);
    const whole = await readFile(logFile());
    for (let length = begin; length <= whole.length; length += 7) {
      await rm(join(directory, 'ledger'), { recursive: true, force: true });
      await writeFile(logFile(), whole.subarray(0, length));
      const again = await open();
      const known = again.size();
      await setUp({ dedupe: again }).post(
        '/events',
        event({ event_name: 'WIDGET_LOAD', brand_properties: undefined, initiating_target: undefined }),
      );
      await kill(again);
      const counted = (await countsOf('BRAND_DISPLAY')) + (await countsOf('BRAND_CLICK'));
      expect([length, counted, await countsOf('WIDGET_LOAD')]).toEqual([length, known, 1]);
    }
  });

  test('moves its counts to the files of the days, once, wherever that is interrupted', async () => {
    const store = await open();
    const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString();
    await setUp({ dedupe: store }).post('/events/batch', { events: [event(), event({ event_datetime: yesterday })] });
    const unmoved = await readFile(logFile());
    await store.close();
    opened.length = 0;
    const days = await readDayFiles();
    expect(days.map(([name]) => name).toSorted()).toEqual(
      [yesterday, new Date().toISOString()].map((time) => `${time.slice(0, 10)}.jsonl`),
    );
    // The log does not know yet that they were moved, and one file has half of its line.
    await writeFile(logFile(), unmoved);
    const [name = '', text = ''] = days[1] ?? [];
    await writeFile(join(directory, 'ledger', name), text.slice(0, text.length / 2));
    expect(await countsOf('BRAND_DISPLAY')).toBe(2);
    await (await openDedupeFile(directory)).close();
    const { rows, problems } = await readLedger(directory, ALL);
    expect(rows.map(({ count }) => count)).toEqual([1, 1]);
    expect(problems).toEqual([expect.stringMatching(/line 1 is incomplete or damaged and was skipped/)]);
  });

  test('is not read as empty when its folder cannot be read', async () => {
    await writeFile(join(directory, 'ledger'), '');
    await expect(readLedger(directory, ALL)).rejects.toThrow(/ENOTDIR/);
  });

  test('counts no line of the log that was cut off', () => {
    const log = `offerlet accepted events 1 salt 00000000\n${segmentLine('a')}${cellLine(0, 'cell')}`;
    const sumOf = (line: string): number | undefined =>
      [...readAcceptedLog(`${log}${line}\n`, {}).counts.values()].map((cells) => cells.get('cell'))[0];
    expect(['count 0 1z', 'count 0 1~', 'count 0 zzzzzzzzzzzzzz'].map(sumOf)).toEqual([71, undefined, undefined]);
  });

  test('reports a last line that was cut off', async () => {
    const store = await open();
    await setUp({ dedupe: store }).post('/events', event());
    await store.close();
    opened.length = 0;
    const name = (await readDayFiles())[0]?.[0] ?? '';
    await appendFile(join(directory, 'ledger', name), '{"segment":"abc","counts":[{"ho');
    const { rows, problems } = await readLedger(directory, ALL);
    expect(rows.map(({ count }) => count)).toEqual([1]);
    expect(problems).toEqual([expect.stringMatching(/\.jsonl: the last line is incomplete or damaged/)]);
  });

  test('has one line of JSON for an hour in the file of its day, without ids of sessions or events', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE' });
    const sent = event();
    await bench.post('/events/batch', { events: [sent, event({ event_name: 'BRAND_CLICK' })] });
    await store.close();
    opened.length = 0;
    const text = (await readDayFiles())[0]?.[1] ?? '';
    const hour = new Date().getUTCHours();
    expect(JSON.parse(text)).toEqual({
      segment: expect.stringMatching(/^[0-9a-f]{12}$/) as unknown,
      counts: [
        { hour, view: 'THANK_YOU', display_mode: 'INLINE', BRAND_CLICK: 1, BRAND_DISPLAY: 1 },
        { hour, offers_empty: 1, offers_requested: 1 },
      ],
    });
    const files = text + (await readFile(logFile(), 'latin1'));
    for (const id of [SESSION, String(sent['event_id'])]) expect(files).not.toContain(id);
  });

  test('keeps its counts when the file of accepted events is compacted', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    await bench.post('/events', event());
    let time = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => time);
    // A session that is opened again and again is one session, and many lines.
    for (let at = 0; at < 10_050; at++) await store.ledger.openSession('0'.repeat(32), 'THANK_YOU INLINE ');
    time += 1;
    await bench.post('/events', event());
    vi.restoreAllMocks();
    // A slow disk holds up no response for long.
    await vi.waitFor(async () => expect((await readFile(logFile())).length).toBeLessThan(1_000));
    await bench.post('/events', event());
    expect(await countsOf('BRAND_DISPLAY')).toBe(3);
    await kill(store);
    expect(await countsOf('BRAND_DISPLAY')).toBe(3);
    const again = await open();
    expect(await again.ledger.placementsOf(['0'.repeat(32)])).toEqual(['THANK_YOU INLINE ']);
  });

  test('deletes a day after 400 days', async () => {
    await (await openDedupeFile(directory)).close();
    const old = new Date(Date.now() - 401 * 86_400_000).toISOString().slice(0, 10);
    const kept = new Date(Date.now() - 400 * 86_400_000).toISOString().slice(0, 10);
    const fs = await import('node:fs/promises');
    await fs.mkdir(join(directory, 'ledger'));
    for (const day of [old, kept]) await writeFile(join(directory, 'ledger', `${day}.jsonl`), '');
    await (await openDedupeFile(directory)).close();
    expect(await readdir(join(directory, 'ledger'))).toEqual([`${kept}.jsonl`]);
  });
});

describe('the ledger', () => {
  test('counts requests for offers by what became of them', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const place = { view: 'THANK_YOU', display_mode: 'INLINE' };
    await askFor(bench, place);
    bench.network.respondWith(() => json(200, { session_id: 's', recommendations: { a: {} } }));
    await askFor(bench, place);
    bench.network.respondWith(() => json(500, {}));
    await askFor(bench, place);
    const names = ['requested', 'answered', 'empty', 'failed'];
    expect(await Promise.all(names.map((name) => countsOf(`offers_${name}`, store)))).toEqual([3, 1, 1, 1]);
  });

  test('counts events that were refused for good by code, and those that wait until they are settled', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const [one, two] = [event(), event()];
    const error = { code: 'UNKNOWN_SESSION', message: 'no', retryable: false };
    bench.network.respondWith(() =>
      json(207, {
        results: [
          { index: 0, success: false, error },
          { index: 1, success: false },
        ],
      }),
    );
    await bench.post('/events/batch', { events: [one, two] });
    await bench.post('/events/batch', { events: [two, event({ event_name: 'CONVERSION' }), two] });
    expect(await countsOf('refused:UNKNOWN_SESSION', store)).toBe(2);
    expect(await countsOf('refused:conversion_from_page', store)).toBe(1);
    expect([await countsOf('waiting', store), await countsOf('waiting_settled', store)]).toEqual([1, 1]);
  });

  test('counts an event whose response was lost once, and says when it is settled', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const sent = event();
    bench.network.respondWith(() => Promise.reject(new TypeError('lost')));
    await bench.post('/events', sent);
    await bench.post('/events', sent);
    expect([await countsOf('answers_lost', store), await countsOf('answers_lost_settled', store)]).toEqual([1, 0]);
    bench.network.respondWith(() => new Response(null, { status: 201 }));
    await bench.post('/events', sent);
    expect([await countsOf('answers_lost_settled', store), await countsOf('BRAND_DISPLAY', store)]).toEqual([1, 1]);
  });

  test('counts an event without an id each time the network accepts it', async () => {
    const store = await open();
    const bench = setUp({ dedupe: store });
    const sent = event({ event_id: undefined });
    for (let at = 0; at < 2; at++) await bench.post('/events', sent);
    expect(await countsOf('BRAND_DISPLAY', store)).toBe(2);
  });

  test('counts what the store failed to write as soon as it works again', async () => {
    const store = await open();
    let isFull = true;
    const bench = setUp({
      dedupe: {
        ...store,
        async accept(...given) {
          if (isFull) throw new Error('disk full');
          return store.accept(...given);
        },
      },
    });
    await bench.post('/events', event());
    isFull = false;
    await bench.post('/events', event());
    await expect.poll(() => countsOf('BRAND_DISPLAY', store)).toBe(2);
  });

  test('counts an event of the far future in the hour in which it arrived', async () => {
    const store = await open();
    await setUp({ dedupe: store }).post('/events', event({ event_datetime: '2098-01-01T00:00:00Z' }));
    const { rows } = await store.ledger.read(ALL);
    expect(rows.map(({ hour }) => hour.slice(0, 4))).toEqual([new Date().toISOString().slice(0, 4)]);
  });

  test('may be a custom one, and its failure fails no request', async () => {
    const counts: string[] = [];
    const fail = (): never => {
      throw new Error('ledger failed');
    };
    const memory = createDedupeMemory();
    const bench = setUp({
      dedupe: {
        ...memory,
        accept(keys, sender, cells = []) {
          counts.push(...cells);
          memory.accept(keys, sender);
        },
        ledger: { add: fail, openSession: fail, placementsOf: fail, read: fail },
      },
    });
    await askFor(bench, { view: 'THANK_YOU', display_mode: 'INLINE' });
    const at = '2026-11-21T09:59:59.999+01:00';
    vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z'), toFake: ['Date'] });
    expect((await bench.post('/events', event({ event_datetime: at }))).status).toBe(201);
    expect(counts).toEqual(['2026-11-21T08 BRAND_DISPLAY THANK_YOU INLINE ']);
  });

  test('that lacks a method stops the start', () => {
    const ledger = { add: () => undefined } as unknown as Ledger;
    expect(() => setUp({ dedupe: { ...createDedupeMemory(), ledger } })).toThrow(/has a ledger without/);
  });
});
