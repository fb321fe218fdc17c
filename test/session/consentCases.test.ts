// Orders of decisions that a simpler rule than ours decided wrongly: promises that outlive their mount, sources that say more
// while they are called, what is said again, and places where mounts follow one another.
import { expect, test } from 'vitest';
import type { SessionQueue } from '../../src/queue/openCore.ts';
import { checkOptions } from '../../src/session/checkOptions.ts';
import { type Consent, type ConsentPlace, type ConsentSource, openPageConsent } from '../../src/session/consent.ts';
import { openOfferSession } from '../../src/session/offerSession.ts';
import { openTrace } from '../../src/session/openTrace.ts';
import type { SessionStorage } from '../../src/session/sessionStorage.ts';

const BASE = {
  relay: 'https://shop.example/offers',
  request: { placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } },
} as const;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

type Decide = (decision?: unknown) => void;

/** A mount, with what it clears of what is stored. */
function mount(option: object = {}, { page, place }: { page?: Consent | undefined; place?: ConsentPlace } = {}) {
  const cleared: string[] = [];
  const trace = openTrace();
  let withdrawElsewhere = (): void => {};
  let signal: AbortSignal | undefined;
  const storage: SessionStorage = {
    openQueue({ onWithdrawn }) {
      withdrawElsewhere = () => onWithdrawn?.();
      return {
        rows: { withdraw: () => cleared.push('rows'), known: new Map() },
        sender: { stop() {} },
        close: async () => {},
        withdraw: async () => void cleared.push('queue'),
      } as unknown as SessionQueue;
    },
    orders: () => undefined,
    clearOrders() {},
    withdraw: () => void cleared.push('storage'),
    resume() {},
  };
  const options = { ...BASE, ...option };
  const session = openOfferSession(checkOptions(options), {
    trace,
    storage,
    page,
    place,
    show: async (_, given) => ((signal = given), new Promise(() => {})),
  });
  return {
    ...session,
    cleared,
    trace,
    elsewhere: () => withdrawElsewhere(),
    force(consent: boolean) {
      const forced = { ...options, consent };
      session.again(checkOptions(forced));
    },
    get state() {
      const isGiven = session.explain().consent?.isGiven;
      return isGiven === undefined ? 'undecided' : isGiven ? 'given' : 'denied';
    },
    isShown: () => signal?.aborted === false,
  };
}

function promise(): [Promise<never>, (isGiven: boolean) => void] {
  let settle: (isGiven: never) => void = () => {};
  return [new Promise((resolve) => (settle = resolve)), settle as (isGiven: boolean) => void];
}

function source(): [ConsentSource, Decide] {
  let decide: Decide = () => {};
  return [(given) => void (decide = given as Decide), (decision) => decide(decision)];
}

test.each([undefined, true, false])(
  'a source that destroys its mount while it is called, having said %s, shows and clears nothing',
  async (said) => {
    for (const page of [undefined, openPageConsent()]) {
      const one = mount(
        {
          consent(decide: Decide) {
            decide(said);
            one.destroy();
            decide(true);
          },
        },
        { page },
      );
      await turn();
      expect([one.isShown(), one.trace.outcome?.code]).toEqual([false, 'destroyed']);
    }
  },
);

test.each([{}, { consent: true }, { consent: 'required' }])(
  'with %j a promise that was passed to an earlier mount gives nothing after the page has denied',
  async (option) => {
    const [page, place, [passed, settle]] = [openPageConsent(), {}, promise()];
    const first = mount(option, { page, place });
    await turn();
    first.consent(passed);
    first.destroy();
    page.set(false, 'consent()');
    const second = mount(option, { page, place });
    settle(true);
    await turn();
    expect([second.state, second.isShown()]).toEqual(['denied', false]);
  },
);

test('what the source of the page says again counts after what a mount has said', async () => {
  for (const isGiven of [true, false]) {
    const page = openPageConsent();
    const [said, say] = source();
    page.set(said, 'consent()');
    const one = mount({ consent: 'required' }, { page });
    await turn();
    say(isGiven);
    one.consent(!isGiven);
    say(isGiven);
    expect(one.state).toBe(isGiven ? 'given' : 'denied');
  }
});

test('a source that gave, took back and denies clears what was stored, whatever the page has given', async () => {
  const page = openPageConsent();
  page.set(true, 'consent()');
  const [consent, say] = source();
  const one = mount({ consent }, { page });
  await turn();
  for (const decision of [true, 'required', false]) {
    say(decision);
    await turn();
  }
  expect([one.state, one.cleared]).toEqual(['denied', ['queue']]);
});

test.each([{}, { consent: true }, { consent: (decide: Decide) => decide(true) }])(
  'with %o consent that was given after a withdrawal in another tab holds for the next mount',
  async (option) => {
    const place = {};
    const first = mount(option, { place });
    await turn();
    first.elsewhere();
    expect(first.state).toBe('denied');
    first.consent(true);
    first.destroy();
    const second = mount(option, { place });
    await turn();
    expect(second.state).toBe('given');
  },
);

test('a source that denies, and then has no decision, has denied', async () => {
  const consent = (decide: Decide): void => ['denied', undefined].forEach(decide);
  const one = mount({ consent });
  await turn();
  expect([one.state, one.cleared]).toEqual(['denied', ['storage']]);
});

test('a source that has its mount deny while it is called denies, for the next mount too', async () => {
  const place = {};
  let asked = 0;
  const option = { consent: () => void (asked++ || one.consent(false)) };
  const one = mount(option, { place });
  await turn();
  expect([one.state, one.cleared]).toEqual(['denied', ['storage']]);
  one.destroy();
  const next = mount(option, { place });
  await turn();
  expect(next.state).toBe('denied');
});

test.each([true, false])(
  'consent that is forced to be %s is not overtaken by the promise of the option',
  async (isGiven) => {
    const [consent, settle] = promise();
    const one = mount({ consent });
    await turn();
    one.force(isGiven);
    settle(!isGiven);
    await turn();
    expect(one.state).toBe(isGiven ? 'given' : 'denied');
  },
);
