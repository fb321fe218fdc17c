import * as fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  AuthError,
  RateLimitError,
  type RecommendationsClient,
  UnreachableError,
  type EventReport,
  type RecommendationsClientOptions,
  type ReportableEvent,
} from '../../src/client.ts';
import { hashEmail } from '../../src/wire/hash.ts';
import {
  clicks,
  failureOf,
  hurried,
  INSERTION,
  KEY,
  openClient,
  REQUEST,
  SESSION,
  statusesOf,
  useHurry,
} from './clientWorld.ts';
import { openModelNetwork, type Fault, type ModelNetwork } from './modelNetwork.ts';

let network: ModelNetwork;
const open = (options?: Partial<RecommendationsClientOptions>): RecommendationsClient => openClient(network, options);
beforeEach(() => void (network = openModelNetwork()));
useHurry();

describe('recommend', () => {
  test('sends the hash of an email and never the address, with key and version', async () => {
    await open().recommend({ ...REQUEST, purchases: [{ quantity: 2 }], unknown: 1 } as typeof REQUEST);
    const [call] = network.calls;
    expect(call?.headers).toMatchObject({ 'x-api-key': KEY, version: '1.0.0', 'content-type': 'application/json' });
    expect(call?.body).toEqual({
      user_details: { email_hash: await hashEmail('jane.doe@example.com') },
      placement_details: REQUEST.placement_details,
      purchases: [{ quantity: '2' }],
    });
  });

  test.each([
    ['two identifiers', { user_details: { email: 'jane.doe@example.com', phone: '+491701234567' } }, /exactly one of/],
    ['no identifier', { user_details: { first_name: 'Jane' } }, /exactly one of/],
    ['an unknown view', { placement_details: { view: 'HOME', display_mode: 'INLINE' } }, /placement_details\.view/],
    ['a wrong amount', { order_details: { cost_details: { amount: '42,50 €' } } }, /cost_details\.amount/],
    ['a request that is none', undefined, /JSON object/],
  ])('does not send a request with %s', async (_, part, message) => {
    const request = part === undefined ? part : { ...REQUEST, ...part };
    const error = await failureOf(open().recommend(request as never));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/jane|4917/i);
    expect(network.calls).toEqual([]);
  });

  test('returns the offers in the order of their groups, with what to report of each', async () => {
    const { session_id, offers, groups, leftOut, report } = await open().recommend(REQUEST);
    expect(offers.map(({ insertion_id }) => insertion_id)).toEqual(['i-2', 'i-1']);
    expect(groups.map(({ id, offers: ofGroup }) => [id, ofGroup.length])).toEqual([['group_0', 2]]);
    expect(leftOut).toEqual([{ offer_id: 'unsafe', reason: expect.stringContaining('target_url') as string }]);
    const events = offers.flatMap((offer) => [offer.report.display, offer.report.click]);
    expect(statusesOf(await open().reportAll([report.load, report.display, ...events]))).toEqual({ stored: 6 });
    expect(network.stored.map(({ event_name, session_id: of }) => [event_name, of])).toEqual([
      ['WIDGET_LOAD', session_id],
      ['WIDGET_DISPLAY', session_id],
      ['BRAND_DISPLAY', session_id],
      ['BRAND_CLICK', session_id],
      ['BRAND_DISPLAY', session_id],
      ['BRAND_CLICK', session_id],
    ]);
    // An email that is opened twice was displayed once; a second click is a click.
    await open().reportAll([report.load, ...events]);
    expect(network.stored).toHaveLength(8);
  });

  test.each<[string, Fault, number, typeof ApiError]>([
    ['a 429', { status: 429, headers: { 'retry-after': '2' } }, 3, RateLimitError],
    ['a refused connection', { refused: true }, 3, UnreachableError],
    ['a 500: the session may have been opened', { status: 500 }, 1, ApiError],
    ['a lost response', { lost: true }, 1, UnreachableError],
    ['a refused key', { status: 401 }, 1, AuthError],
    ['a redirect', { status: 307, headers: { location: 'https://elsewhere.example' } }, 1, UnreachableError],
    ['a response without a session', { status: 200, body: { recommendations: {} } }, 1, ApiError],
    ['a response that is not JSON', { status: 200, body: 'hello' }, 1, ApiError],
  ])('after %s, it rejects when the safe attempts are used up', async (_, fault, attempts, kind) => {
    network.fault = () => fault;
    const error = await failureOf(open().recommend(REQUEST));
    expect(error.constructor).toBe(kind);
    expect(network.calls).toHaveLength(attempts);
    expect(error).toMatchObject({ status: 'status' in fault && fault.status !== 307 ? fault.status : 0 });
  });
});

describe('reportAll', () => {
  test('sends events in groups of 20, each with an id and a time that every attempt keeps', async () => {
    const events = clicks(45).map((event) => ({ ...event, event_id: undefined }));
    network.fault = (call) => (call % 2 === 1 ? { lost: true } : {});
    const reports = await hurried(open().reportAll(events));
    expect(network.sizes()).toEqual([20, 20, 20, 20, 5, 5]);
    expect(statusesOf(reports)).toEqual({ stored: 45 });
    expect(network.stored).toHaveLength(45);
    expect(new Set(reports.map(({ event_id }) => event_id)).size).toBe(45);
    expect(network.calls[0]?.body).toEqual(network.calls[1]?.body);
  });

  test('sends only the failures of a 207 again, and what it does not mention', async () => {
    network.fault = (call) => (call === 1 ? { fails: [1, 3], omits: [5] } : {});
    const reports = await hurried(open().reportAll(clicks(6)));
    expect(statusesOf(reports)).toEqual({ stored: 6 });
    expect(network.idsOf(1)).toEqual(['event-1', 'event-3', 'event-5']);
    expect(network.stored).toHaveLength(6);
  });

  test('sends the failures of a 502 again, except those that are final', async () => {
    network.fault = (call) => (call === 1 ? { fails: [0, 1, 2], finally: [1] } : {});
    const reports = await hurried(open().reportAll(clicks(3)));
    expect(network.calls[1] && network.idsOf(1)).toEqual(['event-0', 'event-2']);
    expect(reports.map(({ status }) => status)).toEqual(['stored', 'refused', 'stored']);
    expect(reports[1]).toMatchObject({ code: 'NO', message: 'It is not wanted.', retryable: false });
  });

  test('an event that is refused every time is refused in the end, and holds no other up', async () => {
    network.fault = () => ({ failsIds: ['event-7'] });
    const reports = await hurried(open({ maxRetries: 15 }).reportAll(clicks(30)));
    expect(statusesOf(reports)).toEqual({ stored: 29, refused: 1 });
    expect(reports[7]).toMatchObject({ event_id: 'event-7', status: 'refused', retryable: true });
    expect(network.sizes()).toEqual([20, 1, 1, 10]);
  });

  test('one event that makes the network refuse a whole batch is isolated', async () => {
    network.fault = (_, events) => (events.some(({ event_id }) => event_id === 'event-9') ? { status: 400 } : {});
    const reports = await hurried(open().reportAll(clicks(20)));
    expect(statusesOf(reports)).toEqual({ stored: 19, refused: 1 });
    expect(reports[9]).toMatchObject({ status: 'refused', code: 'HTTP_400' });
    expect(network.calls.length).toBeLessThanOrEqual(11);
  });

  test('a malformed event is refused without being sent', async () => {
    const [click] = clicks(1);
    const conversion = { ...click, event_name: 'CONVERSION' };
    const odd = [
      { event_name: 'brand_click' },
      null,
      { ...click, session_id: '' },
      { ...conversion, session_id: 7n, conversion_properties: { conversion_id: 's-1' } },
      { ...conversion, conversion_properties: { conversion_id: 's-1', amount: 9, currency_code: null } },
    ] as ReportableEvent[];
    const reports = await open().reportAll([...odd, ...clicks(1)]);
    expect(statusesOf(reports)).toEqual({ refused: odd.length, stored: 1 });
    for (const report of reports.slice(0, -1))
      expect(report).toMatchObject({ code: 'INVALID_EVENT', retryable: false });
    expect(reports[4]).toMatchObject({ event_id: 'event-0', message: expect.stringContaining('together') as string });
    expect(network.sizes()).toEqual([1]);
  });

  test('the same event given twice, or reported before, is a duplicate', async () => {
    const client = open();
    expect((await client.reportAll([...clicks(2), ...clicks(1)])).map(({ status }) => status)).toEqual([
      'stored',
      'stored',
      'duplicate',
    ]);
    const [event] = clicks(1);
    expect(event && (await client.report(event))).toEqual({ event_id: 'event-0', status: 'duplicate' });
    expect(network.calls).toHaveLength(1);
  });

  test.each<Fault>([{ status: 503 }, { fails: [0] }])('waits as long as Retry-After says, after %j', async (fault) => {
    network.fault = (call) => (call === 1 ? { ...fault, headers: { 'retry-after': '7' } } : {});
    const begin = Date.now();
    let done = 0;
    const work = open()
      .reportAll(clicks(1))
      .finally(() => (done = Date.now() - begin));
    await vi.advanceTimersByTimeAsync(6_900);
    expect(network.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(statusesOf(await work)).toEqual({ stored: 1 });
    expect(done).toBeGreaterThanOrEqual(7_000);
  });

  test('in an outage the events are unknown, and only two groups are tried', async () => {
    network.fault = (call) => (call <= 1 ? {} : { status: 500 });
    const reports = await hurried(open({ maxRetries: 1 }).reportAll(clicks(100)));
    expect(statusesOf(reports)).toEqual({ stored: 20, unknown: 80 });
    expect(network.calls).toHaveLength(1 + 2 * 2);
    expect(reports[99]).toMatchObject({ event_id: 'event-99', error: { status: 500 } });
    network.fault = () => ({});
    await open().reportAll(clicks(100));
    expect(network.stored).toHaveLength(100);
  });

  test.each(['signal', 'deadline'] as const)('what is not settled when the %s ends is unknown', async (by) => {
    vi.useRealTimers();
    const cancel = new AbortController();
    // The test says when the time is over: a busy machine may need more for the first group.
    if (by === 'deadline') vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(cancel.signal);
    const told: EventReport[] = [];
    network.fault = (call) => (call === 1 ? {} : { hangs: true });
    const reports = await open().reportAll(clicks(50), {
      ...(by === 'signal' ? { signal: cancel.signal } : { deadline: 200 }),
      onReport: (report) => {
        told.push(report);
        if (told.length === 20) queueMicrotask(() => cancel.abort(new Error('Ctrl-C')));
        throw new Error('An error of the hook');
      },
    });
    expect(statusesOf(reports)).toEqual({ stored: 20, unknown: 30 });
    expect(statusesOf(told)).toEqual({ stored: 20, unknown: 30 });
    expect(network.calls.length).toBeLessThanOrEqual(2);
  });

  test('a time that no timer can wait is as long as possible', async () => {
    const fetch: ModelNetwork['fetch'] = async (...call) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return network.fetch(...call);
    };
    for (const ms of [Infinity, 2 ** 31]) {
      const work = open({ fetch, timeout: ms }).reportAll(clicks(1), { deadline: ms });
      expect(statusesOf(await hurried(work))).toEqual({ stored: 1 });
    }
    await expect(open().reportAll(clicks(1), { deadline: -1 })).rejects.toThrow('deadline must be a number');
  });

  test('what a hook throws, or rejects with, is ignored', async () => {
    const throws = (): never => {
      throw new Error('hook');
    };
    const rejects = async (): Promise<void> => throws();
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    for (const hook of [throws, rejects as () => void]) {
      const client = open({ onRequest: hook, onResponse: hook });
      expect(statusesOf(await client.reportAll(clicks(1), { onReport: hook }))).toEqual({ stored: 1 });
    }
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test.each<[string, Fault]>([
    ['a refused key', { status: 401 }],
    ['a wrong URL', { status: 404 }],
    ['a captive portal', { status: 200, body: '<html>Welcome</html>' }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example' } }],
    ['a refusal of every single event', { status: 413 }],
  ])('%s ends it with an error, after a report of each event', async (_, fault) => {
    network.fault = (call) => (call === 1 ? {} : fault);
    const told: EventReport[] = [];
    const error = await failureOf(open().reportAll(clicks(50), { onReport: (report) => told.push(report) }));
    expect(error).toBeInstanceOf(ApiError);
    expect(statusesOf(told)).toEqual({ stored: 20, unknown: 30 });
    expect(told[49]).toMatchObject({ event_id: 'event-49', error });
    // A batch of 20 in halves, down to its single events.
    expect(network.calls).toHaveLength(fault.status === 413 ? 1 + 39 : 2);
  });

  test('every event is stored exactly once by a network that fails at random', async () => {
    const fault = fc.oneof(
      { weight: 4, arbitrary: fc.constant<Fault>({}) },
      fc.constantFrom<Fault>({ lost: true }, { refused: true }, { status: 500 }, { status: 429 }, { status: 503 }),
      fc.record({ fails: fc.uniqueArray(fc.nat(19)), omits: fc.uniqueArray(fc.nat(19)), doubles: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fault, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 70 }),
        async (faults, count) => {
          network = openModelNetwork();
          network.fault = (call) => faults[call - 1] ?? {};
          const client = open({ fetch: network.fetch });
          const settled = new Map<string, EventReport['status']>();
          let left = clicks(count);
          for (let run = 0; left.length > 0 && run < 60; run++) {
            for (const { event_id, status } of await hurried(client.reportAll(left))) settled.set(event_id, status);
            left = left.filter(({ event_id = '' }) => settled.get(event_id) !== 'stored');
          }
          expect(statusesOf([...settled.values()].map((status) => ({ status })))).toEqual({ stored: count });
          expect(network.stored).toHaveLength(count);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('report', () => {
  test('sends one event to /events', async () => {
    const [event] = clicks(1);
    if (event) expect(await open().report(event)).toEqual({ event_id: 'event-0', status: 'stored' });
    expect(network.calls.map(({ path }) => path)).toEqual(['/events']);
  });

  test('says the code of a refusal', async () => {
    const message = 'UNKNOWN_SESSION: session_id is not a session of this publisher';
    network.fault = () => ({ status: 400, body: { message: 'The event was refused.', errors: [{ message }] } });
    const [event] = clicks(1);
    expect(event && (await open().report(event))).toEqual({
      event_id: 'event-0',
      status: 'refused',
      code: 'UNKNOWN_SESSION',
      message: 'session_id is not a session of this publisher',
      retryable: false,
    });
  });
});

describe('reportConversion', () => {
  const conversion = {
    session_id: SESSION,
    insertion: INSERTION,
    conversion_id: 'sale-1',
    amount: '39.90',
    currency_code: 'EUR',
  };

  test('counts once for each conversion_id, in this process and in the next', async () => {
    const client = open();
    const reports = [await client.reportConversion(conversion), await client.reportConversion(conversion)];
    reports.push(await open().reportConversion({ ...conversion, session_id: SESSION.toUpperCase() }));
    expect(reports.map(({ status }) => status)).toEqual(['stored', 'duplicate', 'stored']);
    expect(new Set(reports.map(({ event_id }) => event_id)).size).toBe(1);
    await client.reportConversion({ ...conversion, conversion_id: 'sale-2' });
    expect(network.stored.map(({ conversion_properties }) => conversion_properties)).toEqual([
      { conversion_id: 'sale-1', amount: '39.90', currency_code: 'EUR' },
      { conversion_id: 'sale-2', amount: '39.90', currency_code: 'EUR' },
    ]);
  });

  test.each([
    ['amount', { amount: -1 }],
    ['amount', { amount: Number.NaN }],
    ['amount', { amount: '39,90' }],
    ['amount', { amount: undefined }],
    ['amount', { amount: null }],
    ['currency_code', { currency_code: '€' }],
    ['currency_code', { currency_code: undefined }],
    ['currency_code', { currency_code: null }],
    ['conversion_id', { conversion_id: '' }],
    ['session_id', { session_id: undefined }],
    ['insertion_id', { insertion: { offer_id: 'o-1', advertiser_id: 'a-1' } }],
    ['insertion_id', { insertion: undefined }],
    ['event_datetime', { event_datetime: 'yesterday' }],
  ])('a conversion whose %s is not valid is a TypeError: %j', async (field, part) => {
    const error = await failureOf(open().reportConversion({ ...conversion, ...part } as never));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain(field);
    expect(network.calls).toEqual([]);
  });
});
