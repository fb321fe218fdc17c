import { afterEach, describe, expect, test, vi } from 'vitest';
import { checkOptions } from '../../src/session/checkOptions.ts';
import { outcome, openTrace, type Trace } from '../../src/session/openTrace.ts';
import {
  openOfferSession,
  TRANSITIONS,
  type Input,
  type OfferSession,
  type State,
  type StateName,
} from '../../src/session/offerSession.ts';
import { keyValueStorage } from '../../src/session/sessionStorage.ts';
import { device, startRelay, type Device, type TestRelay } from './sessionWorld.ts';

afterEach(() => void vi.restoreAllMocks());

const STATES = Object.keys(TRANSITIONS) as StateName[];
const INPUTS = ['given', 'denied', 'undecided', 'next', 'fail', 'dismiss', 'restart', 'destroy'] as const;

interface World {
  readonly session: OfferSession<'offers'>;
  readonly trace: Trace<'offers'>;
  readonly relay: TestRelay;
  readonly storage: Device;
  /** The states so far, the current one last. */
  readonly states: State<'offers'>[];
  readonly codes: string[];
}

const request = {
  external_guid: '7',
};
const OPTIONS = {
  relay: 'https://shop.example/offers',
  request: {
    user_details: request,
    placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' },
    order_details: { order_id: '1' },
  },
} as const;

/** Opens a session that stops in each state until a test lets it go on. */
function open(more: object = {}, relay = startRelay(1), storage = device()): World {
  const options = { ...OPTIONS, fetch: relay.fetch, consent: 'required' as const, ...more };
  const trace = openTrace<'offers'>();
  const codes: string[] = [];
  trace.subscribe((event) => event.type === 'outcome' && codes.push(event.code));
  const session = openOfferSession<'offers'>(
    { options, placement: checkOptions(options) },
    { trace, storage: keyValueStorage(storage) },
  );
  const states: State<'offers'>[] = [session.state];
  session.subscribe((state) => states.push(state));
  return { session, trace, relay, storage, states, codes };
}

const rendered = outcome('offers', 'There is 1 offer');

/** Brings a new session into a state. */
async function reach(name: StateName): Promise<World> {
  const hanging = name === 'requesting' ? startRelay(1) : undefined;
  if (hanging) hanging.offers = () => new Promise(() => {});
  const world = open(name === 'invalid' ? { relay: '' } : {}, hanging);
  const { session } = world;
  await vi.waitFor(() => expect(session.state.name).toBe(name === 'invalid' ? 'invalid' : 'undecided'));
  if (name === 'invalid' || name === 'undecided') return world;
  await Promise.resolve();
  if (name === 'destroyed') session.destroy();
  session.consent(name !== 'denied');
  for (let step = 0; step < 6 && session.state.name !== name; step++) {
    const { state } = session;
    if (state.name === 'preparing') state.next();
    else if (state.name === 'requesting') await vi.waitFor(() => expect(session.state.name).toBe('received'));
    else if (state.name === 'received' && name === 'failed') state.fail(outcome('no_offers', 'none'));
    else if (state.name === 'received') state.next();
    else if (state.name === 'presenting') state.next(rendered);
    else if (state.name === 'shown') session.dismiss('close');
  }
  expect(session.state.name).toBe(name);
  return world;
}

/** Gives a session an input, from whatever it has offered so far. */
function give({ session, states }: World, input: Input): void {
  const current = states.at(-1);
  switch (input) {
    case 'given':
      return session.consent(true);
    case 'denied':
      return session.consent(false);
    case 'undecided':
      return session.consent('required');
    case 'next':
      // Steps of earlier states are tried as well: they come too late.
      for (const state of states)
        if (state.name === 'presenting') state.next(rendered);
        else if ((state.name === 'received' || state.name === 'preparing') && state === current) state.next();
      return undefined;
    case 'fail':
      for (const state of states) if ('fail' in state && state === current) state.fail(outcome('no_offers', 'none'));
      return undefined;
    case 'dismiss':
      return session.dismiss('close');
    case 'restart':
      return session.restart({ options: OPTIONS, placement: checkOptions(OPTIONS) });
    case 'destroy':
      return session.destroy();
    case 'invalid':
      throw Error('An input of the session itself');
  }
}

describe.each(STATES)('%s', (name) => {
  test.each(INPUTS)('%s leads to the state of the table, or changes nothing', async (input) => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const world = await reach(name);
    const { session, states, codes, relay } = world;
    const count = states.length;
    const requests = relay.asked.length;
    give(world, input);
    const to = TRANSITIONS[name][input];
    // A request that is under way has its own steps.
    const isOwnStep = name === 'requesting' && (input === 'next' || input === 'fail');
    if (to && !isOwnStep) expect(states[count]?.name).toBe(to);
    else if (input !== 'restart') expect(states).toHaveLength(count);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (input === 'denied' && name !== 'invalid' && name !== 'destroyed') {
      expect(session.state.name).toBe('denied');
      expect(codes.at(-1)).toBe('consent_denied');
    }
    if (input === 'destroy' || name === 'destroyed') expect(session.state.name).toBe('destroyed');
    // Nothing was requested that consent does not cover.
    if (['denied', 'undecided', 'destroy'].includes(input)) expect(relay.asked).toHaveLength(requests);
    session.destroy();
  });

  test('every later step of an attempt that has ended does nothing', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const world = await reach(name);
    const { session, states } = world;
    session.destroy();
    const count = states.length;
    for (const state of states) {
      if ('fail' in state) state.fail(outcome('no_offers', 'none'));
      if (state.name === 'presenting') state.next(rendered);
      else if ('next' in state) state.next();
    }
    session.consent(true);
    session.consent(false);
    session.dismiss('close');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(states).toHaveLength(count);
  });
});

test('the first outcome stays the promise’s; each later one is an event', async () => {
  const world = await reach('shown');
  const { session, trace, codes } = world;
  session.consent(false);
  session.consent(true);
  expect(codes).toEqual(['offers', 'consent_denied']);
  expect(await trace.first).toMatchObject({ code: 'offers' });
  expect(trace.outcome).toBeUndefined();
  expect(session.explain()).toMatchObject({ waitingFor: 'page' });
  session.destroy();
  expect(codes).toEqual(['offers', 'consent_denied', 'no_offers']);
});

test('what it waits for has a sentence that says what to do', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const waits: Record<string, string | undefined> = {};
  for (const name of STATES) {
    const { session } = await reach(name);
    const { waitingFor, hint } = session.explain();
    waits[name] = waitingFor;
    expect(hint === undefined).toBe(waitingFor === undefined);
    session.destroy();
  }
  expect(waits).toMatchObject({
    undecided: 'consent',
    preparing: 'page',
    requesting: 'relay',
    received: undefined,
    presenting: 'dialog',
    shown: undefined,
    denied: undefined,
    failed: undefined,
    invalid: undefined,
    dismissed: undefined,
    destroyed: undefined,
  });
});

test('undecided consent removes the offers and sends nothing; given again, it goes on where it was', async () => {
  const world = await reach('shown');
  const { session, relay, storage, codes } = world;
  await vi.waitFor(() => expect(relay.names()).toEqual(['WIDGET_LOAD']));
  const shown = session.state;
  relay.batch = () => new Response(null, { status: 503 });
  if (shown.name === 'shown') shown.offers.reporter.seen('display', shown.offers.groups[0]?.offers[0]);
  session.consent(undefined);
  expect([session.state.name, codes.at(-1)]).toEqual(['undecided', 'consent_denied']);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(relay.names()).toEqual(['WIDGET_LOAD']);
  expect([...storage.values.values()].join()).toContain('BRAND_DISPLAY');
  relay.batch = () => new Response(null, { status: 202 });
  session.consent(true);
  const { state } = session;
  if (state.name === 'preparing') state.next();
  await vi.waitFor(() => expect(relay.names()).toContain('BRAND_DISPLAY'), 4_000);
  session.destroy();
});

test('storage that hangs delays no decision', async () => {
  const storage = device();
  const world = open({}, startRelay(1), storage);
  const { session, codes } = world;
  await Promise.resolve();
  storage.getItem = storage.setItem = storage.removeItem = () => new Promise<never>(() => {});
  for (const isGiven of [true, false, true, false]) {
    session.consent(isGiven);
    expect(session.state.name).toBe(isGiven ? 'preparing' : 'denied');
  }
  expect(codes).toEqual(['consent_denied', 'consent_denied']);
  session.consent(true);
  const { state } = session;
  if (state.name === 'preparing') state.next();
  await vi.waitFor(() => expect(session.state.name).toBe('received'), 5_000);
  session.destroy();
});

test('an aborted signal destroys it, before it has begun as well', async () => {
  const early = new AbortController();
  early.abort();
  const first = open({ consent: true, signal: early.signal });
  await vi.waitFor(() => expect(first.session.state.name).toBe('destroyed'));
  expect(first.codes).toEqual(['no_offers']);
  const late = new AbortController();
  const second = open({ consent: true, signal: late.signal });
  await vi.waitFor(() => expect(second.session.state.name).toBe('preparing'));
  late.abort();
  expect(second.session.state.name).toBe('destroyed');
});
