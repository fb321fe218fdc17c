import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkOptions } from '../../src/session/checkOptions.ts';
import { openPageConsent } from '../../src/session/consent.ts';
import type { LoadedOffers } from '../../src/session/findOffers.ts';
import { type Explanation, type Failure, openTrace, outcome, type Trace } from '../../src/session/openTrace.ts';
import { openOfferSession, type OfferSession, type Shown } from '../../src/session/offerSession.ts';
import { keyValueStorage } from '../../src/session/sessionStorage.ts';
import { device, startRelay, type Device, type TestRelay } from './sessionWorld.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

afterEach(() => void vi.restoreAllMocks());

const NONE = { find: () => [], isComing: () => false };
const OPTIONS = {
  relay: 'https://shop.example/offers',
  request: {
    user_details: { external_guid: '7' },
    placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' },
    order_details: { order_id: '1' },
  },
} as const;

const placement_details = { view: 'THANK_YOU', display_mode: 'INLINE' } as const;
const INLINE = { ...OPTIONS, request: { ...OPTIONS.request, placement_details } };

interface World {
  readonly session: OfferSession;
  readonly relay: TestRelay;
  readonly storage: Device;
  readonly codes: string[];
  /** The signals of every attempt to show offers. */
  readonly signals: AbortSignal[];
  /** What is shown now. */
  readonly shown: LoadedOffers[];
  /** Ends the attempt that waits. */
  finish(how: 'show' | 'fail' | 'throw'): void;
  explain(): Explanation;
}

/** Opens a session whose offers wait, as for a place on the page, until a test lets them go on. */
function open(more: object = {}, relay = startRelay(1), storage = device()): World {
  const options = { ...OPTIONS, fetch: relay.fetch, consent: 'required' as const, ...more };
  const trace = openTrace();
  const codes: string[] = [];
  const signals: AbortSignal[] = [];
  const shown: LoadedOffers[] = [];
  const gates: ((how: 'show' | 'fail' | 'throw') => void)[] = [];
  trace.subscribe((event) => event.type === 'outcome' && codes.push(event.code));
  const session = openOfferSession(checkOptions(options), {
    trace,
    storage: keyValueStorage(storage),
    async show({ find }, signal): Promise<Shown | Failure> {
      signals.push(signal);
      const found = await find(signal, NONE);
      if ('code' in found) return found;
      const offers = found.load();
      if ('code' in offers) return offers;
      trace.waitingFor = 'dialog';
      const how = await new Promise((resolve) => gates.push(resolve));
      if (how === 'throw') throw Error('no place');
      if (how === 'fail') return outcome('invalid_config', 'no place');
      shown.push(offers);
      return { offers, outcome: outcome('rendered', 'There is 1 offer') };
    },
  });
  return {
    session,
    relay,
    storage,
    codes,
    signals,
    shown,
    finish: (how) => gates.at(-1)?.(how),
    explain: () => session.explain(),
  };
}

/** Hanging relays leave a session in the state in which it waits for the relay. */
function hangingRelay(): TestRelay {
  const relay = startRelay(1);
  relay.offers = () => new Promise(() => {});
  return relay;
}

const settle = (): Promise<void> => letPass(20);

/** How to bring a session into each state, and what it then waits for and has said. */
const STATES = {
  undecided: { waitingFor: 'consent', codes: [], reach: async () => open() },
  denied: { waitingFor: undefined, codes: ['consent_denied'], reach: async () => open({ consent: false }) },
  requesting: { waitingFor: 'relay', codes: [], reach: async () => open({ consent: true }, hangingRelay()) },
  waiting: { waitingFor: 'dialog', codes: [], reach: async () => open({ consent: true }) },
  shown: { waitingFor: undefined, codes: ['rendered'], reach: async () => ended('show') },
  failed: { waitingFor: undefined, codes: ['invalid_config'], reach: async () => ended('fail') },
  broken: { waitingFor: undefined, codes: ['failed'], reach: async () => ended('throw') },
  dismissed: {
    waitingFor: undefined,
    codes: ['rendered'],
    async reach() {
      const world = await ended('show');
      world.session.dismiss('close');
      return world;
    },
  },
  invalid: { waitingFor: undefined, codes: ['invalid_config'], reach: async () => open({ relay: '' }) },
  destroyed: {
    waitingFor: undefined,
    codes: ['destroyed'],
    async reach() {
      const world = open();
      world.session.destroy();
      return world;
    },
  },
} as const;
type StateName = keyof typeof STATES;

async function ended(how: 'show' | 'fail' | 'throw'): Promise<World> {
  const world = open({ consent: true });
  await vi.waitFor(() => expect(world.explain().waitingFor).toBe('dialog'));
  world.finish(how);
  await vi.waitFor(() => expect(world.codes).toHaveLength(1));
  return world;
}

async function reach(name: StateName): Promise<World> {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const world = await STATES[name].reach();
  await vi.waitFor(() => expect(world.explain().waitingFor).toBe(STATES[name].waitingFor));
  await vi.waitFor(() => expect(world.codes).toEqual(STATES[name].codes));
  if (name === 'requesting') await vi.waitFor(() => expect(world.relay.asked).toHaveLength(1));
  return world;
}

const GIVE = {
  given: ({ session }: World) => session.consent(true),
  denied: ({ session }: World) => session.consent(false),
  undecided: ({ session }: World) => session.consent(undefined),
  dismiss: ({ session }: World) => session.dismiss('close'),
  destroy: ({ session }: World) => session.destroy(),
  // Without the option: by default, consent is given. Inline offers come back even if they were closed.
  again: ({ session, relay: { fetch } }: World) => session.again(checkOptions({ ...INLINE, fetch })),
} as const;

/** What each input adds: attempts to show offers, and outcomes. What is missing changes nothing. */
const ADDED: Record<StateName, Partial<Record<keyof typeof GIVE, { attempts?: number; codes?: string[] }>>> = {
  undecided: {
    given: { attempts: 1 },
    denied: { codes: ['consent_denied'] },
    destroy: { codes: ['destroyed'] },
    again: { attempts: 1 },
  },
  denied: { given: { attempts: 1 }, destroy: {}, again: { attempts: 1 } },
  requesting: { ...during(['destroyed']), dismiss: { codes: ['dismissed'] } },
  waiting: { ...during(['destroyed']), dismiss: { codes: ['dismissed'] } },
  shown: during([]),
  failed: during([]),
  broken: during([]),
  dismissed: during([]),
  invalid: {},
  destroyed: {},
};

function during(destroyed: string[]): (typeof ADDED)[StateName] {
  return {
    denied: { codes: ['consent_denied'] },
    undecided: { codes: ['consent_pending'] },
    destroy: { codes: destroyed },
    again: { attempts: 1 },
  };
}

describe.each(Object.keys(STATES) as StateName[])('%s', (name) => {
  test.each(Object.keys(GIVE) as (keyof typeof GIVE)[])('%s does what the table says, and no more', async (input) => {
    const world = await reach(name);
    const { signals, codes, relay } = world;
    const [attempts, said, requests] = [signals.length, codes.length, relay.asked.length];
    const latest = signals.at(-1);
    GIVE[input](world);
    const added = ADDED[name][input];
    const more = () => [signals.length - attempts, codes.slice(said)];
    await vi.waitFor(() => expect(more()).toEqual([added?.attempts ?? 0, added?.codes ?? []]));
    await settle();
    expect(more()).toEqual([added?.attempts ?? 0, added?.codes ?? []]);
    // Whatever is shown, or on its way there, leaves with everything that ends it: what has thrown, by itself.
    if (latest) expect(latest.aborted).toBe(name === 'broken' || (input !== 'given' && added !== undefined));
    // Nothing was requested that consent does not cover.
    if (!added?.attempts) expect(relay.asked).toHaveLength(requests);
    world.session.destroy();
  });

  test('after destroy() nothing happens any more', async () => {
    const world = await reach(name);
    world.session.destroy();
    const { length } = world.codes;
    const requests = world.relay.asked.length;
    for (const input of Object.values(GIVE)) input(world);
    world.finish('show');
    await settle();
    expect([world.codes.length, world.relay.asked.length]).toEqual([length, requests]);
  });

  test('what it waits for has a sentence that says what to do', async () => {
    const { session } = await reach(name);
    const { waitingFor, hint } = session.explain();
    expect(hint === undefined).toBe(waitingFor === undefined);
    session.destroy();
  });
});

test('showing offers again never gives consent: not past a denial of the page, nor a browser that sends Global Privacy Control', async () => {
  vi.stubGlobal('navigator', { globalPrivacyControl: true });
  const { consent: _, ...noConsent } = { ...OPTIONS, consent: undefined };
  const asked: unknown[] = [];
  for (const page of [undefined, openPageConsent()]) {
    const relay = startRelay(1);
    const trace = openTrace();
    const options = { ...noConsent, fetch: relay.fetch };
    page?.set(false, 'consent()');
    const session = openOfferSession(checkOptions(options), {
      trace,
      storage: keyValueStorage(device()),
      page,
      show: async ({ find }, signal) => (await find(signal, NONE)) as Failure,
    });
    await vi.waitFor(() => expect(trace.outcome?.code).toBe('consent_denied'));
    session.again(checkOptions(options));
    await settle();
    asked.push(...relay.asked);
    session.destroy();
  }
  expect(asked).toEqual([]);
});

test.each([OPTIONS.request, { ...OPTIONS.request, order_details: {} }])(
  'offers that were closed do not come back with consent, whether their order has a number or not: %#',
  async (request) => {
    for (const isShown of [true, false]) {
      const relay = isShown ? startRelay(1) : hangingRelay();
      const { session, codes, finish, explain } = open({ consent: true, request }, relay);
      await vi.waitFor(() => expect(explain().waitingFor).toBe(isShown ? 'dialog' : 'relay'));
      finish('show');
      if (isShown) await vi.waitFor(() => expect(codes).toEqual(['rendered']));
      session.dismiss('close');
      session.consent('required');
      session.consent(true);
      await vi.waitFor(() => expect(codes).toContain('already_shown'));
      session.consent('required');
      const another = { ...request, order_details: { order_id: '2' } };
      session.again(checkOptions({ ...OPTIONS, fetch: relay.fetch, consent: true, request: another }));
      session.consent(true);
      await vi.waitFor(() => expect(explain().waitingFor).toBe(isShown ? 'dialog' : 'relay'));
      session.destroy();
    }
  },
);

test.each([false, true])(
  'undecided consent removes the offers and sends nothing; what waited goes on when it is given again, unless it was denied: %s',
  async (isDenied) => {
    const { session, relay, storage, codes, shown, explain } = await reach('shown');
    await vi.waitFor(() => expect(relay.names()).toEqual(['WIDGET_LOAD']));
    relay.batch = () => new Response(null, { status: 503 });
    const [offers] = shown;
    offers?.reporter.seen('display', offers.groups[0]?.offers[0]);
    session.consent(undefined);
    expect(codes.at(-1)).toBe('consent_pending');
    await letPass(400);
    expect(relay.names()).toEqual(['WIDGET_LOAD']);
    await vi.waitFor(() => expect([...storage.values.values()].join()).toContain('BRAND_DISPLAY'));
    const queue = { waiting: 2, delivered: 1, dropped: 0, dead: 0 };
    expect(explain().queue).toEqual(queue);
    if (isDenied) session.consent(false);
    relay.batch = () => new Response(null, { status: 202 });
    session.consent(true);
    expect(explain().queue).toEqual(isDenied ? { ...queue, waiting: 0, dropped: 2 } : queue);
    if (!isDenied) await vi.waitFor(() => expect(relay.names()).toContain('BRAND_DISPLAY'));
    session.destroy();
  },
);

test('what a request that hangs has held is sent as soon as consent is given again', async () => {
  const { session, relay, shown } = await reach('shown');
  await vi.waitFor(() => expect(relay.names()).toEqual(['WIDGET_LOAD']));
  relay.batch = () => new Promise(() => {});
  const [offers] = shown;
  offers?.reporter.seen('display', offers.groups[0]?.offers[0]);
  await letPass(400);
  session.consent(undefined);
  relay.batch = () => new Response(null, { status: 202 });
  session.consent(true);
  await letPass(2_000);
  expect(relay.names()).toContain('BRAND_DISPLAY');
  session.destroy();
});

/** Opens a session that looks for offers with what the server has prefetched, if anything. */
function find(relay: TestRelay, prefetched = NONE): { session: OfferSession; trace: Trace } {
  const trace = openTrace();
  const options = { ...OPTIONS, fetch: relay.fetch, consent: true };
  const session = openOfferSession(checkOptions(options), {
    trace,
    storage: keyValueStorage(device()),
    show: async ({ find }, signal) => (await Promise.resolve(), (await find(signal, prefetched)) as Failure),
  });
  return { session, trace };
}

test('a page that never ends its HTML ends with the failure of its request', async () => {
  const relay = Object.assign(startRelay(), { offers: () => new Response('', { status: 502 }) });
  const { session, trace } = find(relay, { ...NONE, isComing: () => true });
  await letPass(9_000);
  expect(trace.outcome?.code).toBe('network_error');
  session.destroy();
});

test('a denial before the walk has asked opens no queue', async () => {
  const { session } = find(startRelay());
  session.consent(false);
  await settle();
  expect(session.queue).toBeUndefined();
});

test('storage that hangs delays no decision', async () => {
  const world = open();
  const { session, codes, signals, storage } = world;
  await Promise.resolve();
  storage.getItem = storage.setItem = storage.removeItem = () => new Promise<never>(() => {});
  for (const isGiven of [true, false, true, false]) {
    session.consent(isGiven);
    expect(signals.at(-1)?.aborted).toBe(!isGiven);
  }
  expect(codes).toEqual(['consent_denied', 'consent_denied']);
  session.consent(true);
  await vi.waitFor(() => expect(world.explain().waitingFor).toBe('dialog'));
  session.destroy();
});

test('one mount’s no clears what earlier pages stored, but nothing that the page was allowed to store', async () => {
  for (const page of [undefined, openPageConsent()]) {
    page?.set(true, 'consent()');
    const options = { ...OPTIONS, consent: false };
    const trace = openTrace();
    const storage = { ...keyValueStorage(device()), withdraw: vi.fn(), clearOrders: vi.fn() };
    const show = (): Promise<never> => new Promise(() => {});
    openOfferSession(checkOptions(options), { trace, storage, page, show });
    await vi.waitFor(() => expect(trace.outcome?.code).toBe('consent_denied'));
    for (const clear of [storage.withdraw, storage.clearOrders]) expect(clear).toHaveBeenCalledTimes(page ? 0 : 1);
  }
});

test('an aborted signal destroys it, before it has begun as well', async () => {
  const early = new AbortController();
  early.abort();
  const first = open({ consent: true, signal: early.signal });
  await vi.waitFor(() => expect(first.codes).toEqual(['destroyed']));
  expect(first.signals).toEqual([]);
  const late = new AbortController();
  const second = open({ consent: true, signal: late.signal });
  await vi.waitFor(() => expect(second.signals).toHaveLength(1));
  late.abort();
  expect([second.signals[0]?.aborted, second.codes]).toEqual([true, ['destroyed']]);
});
