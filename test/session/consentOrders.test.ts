// Every order in which the page, a source, another mount, another tab and a remount decide on consent, with every option, with
// Global Privacy Control, and on a page that is prerendered: 27,072 orders, or an eighth of them. What is expected is written
// down once more, in other words.
import { expect, test, vi } from 'vitest';
import { IS_LONG, sample } from '../fixtures/effort.ts';
import type { SessionQueue } from '../../src/queue/openCore.ts';
import { checkOptions } from '../../src/session/checkOptions.ts';
import { type ConsentPlace, openPageConsent } from '../../src/session/consent.ts';
import { openOfferSession, type OfferSession } from '../../src/session/offerSession.ts';
import { openTrace, type Trace } from '../../src/session/openTrace.ts';
import type { SessionStorage } from '../../src/session/sessionStorage.ts';

const REQUEST = { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } } as const;
const BASE = { relay: 'https://shop.example/offers', request: REQUEST };
const PLACEMENT = checkOptions(BASE);

const OPTIONS = ['absent', 'true', 'false', 'required', 'source'] as const;
type Option = (typeof OPTIONS)[number];
type State = 'undecided' | 'given' | 'denied';

/** One page of an origin, with other tabs that only withdraw. */
function openWorld(option: Option, hasSibling: boolean, isPrerendered: boolean) {
  const queues = new Map<object, () => void>();
  const said = new Set<(isGiven: boolean) => void>();
  const place: ConsentPlace = {};
  let opened = 0;
  let activate = (): void => {};
  const active = isPrerendered ? new Promise<void>((resolve) => (activate = resolve)) : Promise.resolve();

  /** Every queue of the origin but one, and the page's channel, are told. */
  function clear(except?: object): void {
    for (const [queue, notify] of queues) if (queue !== except) notify();
    if (page.latest?.isGiven && page.latest.by !== 'default') page.withdraw();
  }

  const storage: SessionStorage = {
    openQueue({ onWithdrawn }) {
      opened++;
      const stop = (): boolean => queues.delete(queue);
      const withdraw = async (): Promise<void> => {
        stop();
        clear();
      };
      const queue = { rows: { withdraw: stop, known: new Map() }, close: stop, withdraw } as unknown as SessionQueue;
      queues.set(queue, () => stop() && onWithdrawn?.());
      return queue;
    },
    orders: () => undefined,
    clearOrders() {},
    withdraw: () => clear(),
    resume() {},
  };
  const page = openPageConsent();
  page.subscribe((now, before) => now?.isGiven === false && now !== before && now.scope === 'origin' && clear());

  function open(chosen: Option, at?: ConsentPlace): { session: OfferSession; trace: Trace; isShown(): boolean } {
    const trace = openTrace();
    let signal: AbortSignal | undefined;
    const consent = {
      absent: {},
      true: { consent: true },
      false: { consent: false },
      required: { consent: 'required' },
      source: {
        consent(decide: (isGiven: boolean) => void) {
          said.add(decide);
          return () => said.delete(decide);
        },
      },
    } as const;
    const session = openOfferSession(
      { ...PLACEMENT, options: { ...BASE, ...consent[chosen] } },
      {
        trace,
        storage,
        page,
        place: at,
        whenActive: () => active,
        show: async (_, given) => ((signal = given), new Promise(() => {})),
      },
    );
    return { session, trace, isShown: () => signal?.aborted === false };
  }

  const sibling = hasSibling ? open('true') : undefined;
  let mount: ReturnType<typeof open> | undefined;
  return {
    sibling,
    get mount() {
      return mount;
    },
    opened: () => opened,
    steps: {
      open: () => void (mount ??= open(option, place)),
      'page yes': () => page.set(true, 'consent()'),
      'page no': () => page.set(false, 'consent()'),
      'source yes': () => said.forEach((decide) => decide(true)),
      'source no': () => said.forEach((decide) => decide(false)),
      'sibling no': () => sibling?.session.consent(false),
      'tab no': () => clear(),
      remount() {
        if (!mount) return;
        mount.session.destroy();
        mount = open(option, place);
      },
      activate: () => activate(),
    },
  };
}

type Step = keyof ReturnType<typeof openWorld>['steps'];

/** What must be so, in plain words: a second opinion on the rule, which shares nothing with it. */
function openModel(option: Option, hasSibling: boolean, hasSignal: boolean, isPrerendered: boolean) {
  let page: State | 'unasked' | 'elsewhere' = 'unasked';
  let isActive = !isPrerendered;
  let isDeniedHere = false;
  /** Only the mount has a source, and whoever follows the page does not call it. */
  let hearsSource = false;
  let hadConsent = false;
  const state: { mount: State | undefined; sibling: State | undefined } = {
    mount: undefined,
    sibling: hasSibling ? 'given' : undefined,
  };
  const isOpen = option === 'absent' || option === 'required';

  function set(name: 'mount' | 'sibling', to: State): void {
    state[name] = to;
    if (name === 'mount' && to === 'given') hadConsent = true;
  }

  function begin(): void {
    hadConsent = false;
    hearsSource = false;
    const byOption: Record<Option, State> = {
      absent: hasSignal ? 'denied' : 'given',
      true: 'given',
      false: 'denied',
      required: 'undecided',
      source: 'undecided',
    };
    // An explicit no clears what earlier pages have stored, unless the page has a yes or somebody has cleared it.
    if (page === 'denied') return set('mount', 'denied');
    if (page === 'given' && isOpen) return set('mount', 'given');
    hearsSource = option === 'source';
    if (isDeniedHere || page === 'elsewhere') return set('mount', 'denied');
    if (option === 'false' && page !== 'given') {
      set('mount', 'denied');
      return withdrawn('mount');
    }
    set('mount', byOption[option]);
  }

  /** What the origin stored is cleared: whoever has used consent hears of it. */
  function withdrawn(by?: 'mount' | 'sibling' | 'page'): void {
    let isHeard = page === 'given';
    for (const name of ['mount', 'sibling'] as const) {
      if (name === by || state[name] !== 'given' || (!isActive && page !== 'given')) continue;
      set(name, 'denied');
      isHeard = true;
    }
    if (by === 'page' || !isHeard) return;
    page = 'elsewhere';
    isDeniedHere = false;
    for (const name of ['mount', 'sibling'] as const) if (state[name] === 'given') set(name, 'denied');
  }

  const rules: Record<Step, () => unknown> = {
    open: () => state.mount ?? begin(),
    remount: () => state.mount && begin(),
    activate: () => void (isActive = true),
    'page yes'() {
      page = 'given';
      isDeniedHere = false;
      for (const name of ['mount', 'sibling'] as const) if (state[name]) set(name, 'given');
    },
    'page no'() {
      page = 'denied';
      isDeniedHere = false;
      for (const name of ['mount', 'sibling'] as const) if (state[name]) set(name, 'denied');
    },
    'source yes'() {
      if (hearsSource && state.mount) {
        set('mount', 'given');
        isDeniedHere = false;
      }
    },
    'source no'() {
      if (!hearsSource || state.mount === 'denied') return;
      const isOfOrigin = page !== 'given' || hadConsent;
      set('mount', 'denied');
      if (isOfOrigin) withdrawn('mount');
    },
    'sibling no'() {
      if (!hasSibling) return;
      set('sibling', 'denied');
      withdrawn('sibling');
    },
    'tab no': () => withdrawn(),
  };
  return { state, rules, isActive: () => isActive };
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** The steps of a page with one mount, and with two. Only the option `source` has a source. */
function stepsOf(option: Option): Step[][] {
  const sources: Step[][] = option === 'source' ? [['source yes'], ['source no']] : [[]];
  return (['page yes', 'page no'] as const).flatMap((page) =>
    sources.flatMap((source): Step[][] => {
      const one: Step[] = ['open', page, ...source, 'tab no', 'remount'];
      return [one, [...one, 'sibling no']];
    }),
  );
}

/** What differs between a page and what must be so. */
function differences(world: ReturnType<typeof openWorld>, model: ReturnType<typeof openModel>): string[] {
  const wrong: string[] = [];
  if (!model.isActive() && world.opened() > 0) wrong.push('stored before anybody sees it');
  for (const name of ['mount', 'sibling'] as const) {
    const state = model.state[name];
    const { session, trace, isShown } = world[name] ?? {};
    if (!state || !session) continue;
    if (isShown?.() !== (state === 'given' && model.isActive()))
      wrong.push(`${name} is ${state}, shown: ${isShown?.()}`);
    const { consent, waitingFor } = session.explain();
    const isGiven = consent?.isGiven;
    if (isGiven !== { given: true, denied: false, undecided: undefined }[state])
      wrong.push(`${name} is ${state}, not ${isGiven}`);
    if (state === 'denied' && (trace?.outcome?.code !== 'consent_denied' || waitingFor))
      wrong.push(`${name}: ${trace?.outcome?.code}, waits for ${waitingFor}`);
  }
  return wrong;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
};

test.each(OPTIONS)(
  'option %s: after every step of every order, offers are shown and data is stored by consent alone',
  async (option) => {
    let orders = 0;
    const failed: string[] = [];
    for (const steps of stepsOf(option))
      for (const hasSignal of [false, true]) {
        vi.stubGlobal('navigator', { globalPrivacyControl: hasSignal });
        for (const activatedAfter of [0, 2, steps.length])
          for (const order of sample(ordersOf(steps), 8)) {
            orders++;
            const hasSibling = steps.includes('sibling no');
            const isPrerendered = activatedAfter > 0;
            const world = openWorld(option, hasSibling, isPrerendered);
            const model = openModel(option, hasSibling, hasSignal, isPrerendered);
            await settled();
            for (const step of isPrerendered ? order.toSpliced(activatedAfter, 0, 'activate') : order) {
              world.steps[step]();
              model.rules[step]();
              await settled();
              const wrong = differences(world, model);
              if (wrong[0])
                failed.push(
                  `${hasSignal ? 'GPC, ' : ''}${order.join(', ')}, active after ${activatedAfter}: ${step}: ${wrong.join()}`,
                );
            }
            world.mount?.session.destroy();
            world.sibling?.session.destroy();
          }
      }
    expect(failed.slice(0, 3)).toEqual([]);
    const all = option === 'source' ? 4 * 6 * (120 + 720) : 2 * 6 * (24 + 120);
    expect(orders).toBe(IS_LONG ? all : all / 8);
  },
);
