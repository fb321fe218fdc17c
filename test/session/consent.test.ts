import { describe, expect, test, vi } from 'vitest';
import {
  openConsent,
  openPageConsent,
  type Consent,
  type ConsentPlace,
  isConsentOption,
  type ConsentSource,
} from '../../src/session/consent.ts';

type State = 'given' | 'denied' | 'undecided';
const stateOf = ({ latest }: Pick<Consent, 'latest'>): State =>
  latest?.isGiven === undefined ? 'undecided' : latest.isGiven ? 'given' : 'denied';

/** What each report leads to. What another tab withdraws was never given where there is no decision; a denial holds. */
const TRANSITIONS = {
  undecided: { yes: 'given', no: 'denied', unclear: 'undecided', withdrawn: 'undecided' },
  given: { yes: 'given', no: 'denied', unclear: 'undecided', withdrawn: 'denied' },
  denied: { yes: 'given', no: 'denied', unclear: 'denied', withdrawn: 'denied' },
} as const satisfies Record<State, Record<string, State>>;
type Input = keyof (typeof TRANSITIONS)['given'];

/** Everything that is not a decision, however much it looks like one. */
const UNCLEAR = [undefined, null, 'required', 'false', 'true', 'yes', '', 0, 1, {}, [], Number.NaN];

/** Returns a consent in a state, and what it has reported since. */
function consentIn(state: State): { consent: Consent; heard: State[] } {
  const consent = openConsent();
  if (state !== 'undecided') consent.set(state === 'given', 'test');
  const heard: State[] = [];
  consent.subscribe((now, before) => now !== before && heard.push(stateOf({ latest: now })));
  return { consent, heard };
}

describe.each(Object.keys(TRANSITIONS) as State[])('%s', (state) => {
  test.each(Object.keys(TRANSITIONS.given) as Input[])('%s leads to the state of the table', (input) => {
    const ways: Record<Input, ((consent: Consent) => void)[]> = {
      yes: [
        (consent) => consent.set(true, 'b'),
        (consent) => consent.set('granted', 'b'),
        (consent) => consent.set((decide: (yes: boolean) => void) => decide(true), 'b'),
        (consent) => consent.set((decide: (yes: 'granted') => void) => decide('granted'), 'b'),
      ],
      no: [
        (consent) => consent.set(false, 'b'),
        (consent) => consent.set('denied', 'b'),
        (consent) => consent.set((decide: (yes: boolean) => void) => decide(false), 'b'),
        (consent) => consent.set((decide: (yes: 'denied') => void) => decide('denied'), 'b'),
        (consent) =>
          consent.set(() => {
            throw Error('mine');
          }, 'b'),
      ],
      unclear: [
        ...UNCLEAR.map((value) => (consent: Consent) => consent.set(value, 'b')),
        ...UNCLEAR.map(
          (value) => (consent: Consent) => consent.set((decide: (yes: never) => void) => decide(value as never), 'b'),
        ),
        (consent) => consent.set(() => {}, 'b'),
        (consent) => consent.set(new Promise(() => {}), 'b'),
      ],
      withdrawn: [(consent) => consent.withdraw()],
    };
    const expected = TRANSITIONS[state][input];
    for (const way of ways[input]) {
      const { consent, heard } = consentIn(state);
      way(consent);
      expect(stateOf(consent)).toBe(expected);
      expect(heard).toEqual(expected === state ? [] : [expected]);
    }
  });

  test('a promise decides when it settles, unless something newer has', async () => {
    for (const [decide, isGiven] of [
      [() => Promise.resolve(true), true],
      [() => Promise.resolve(false), false],
      [() => Promise.resolve('granted'), true],
      [() => Promise.resolve('yes'), false],
      [() => Promise.reject(Error('mine')), false],
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a rejection never gives consent
      [() => Promise.reject(true), false],
    ] as const) {
      const { consent } = consentIn(state);
      consent.set(decide(), 'b');
      expect(stateOf(consent)).toBe(TRANSITIONS[state].unclear);
      await new Promise((resolve) => setTimeout(resolve));
      expect(stateOf(consent)).toBe(isGiven ? 'given' : 'denied');
    }
    const { consent } = consentIn(state);
    consent.set(Promise.resolve(true), 'b');
    consent.set(false, 'c');
    await new Promise((resolve) => setTimeout(resolve));
    expect(stateOf(consent)).toBe('denied');
  });

  test('once it is closed, nothing is reported', () => {
    const { consent, heard } = consentIn(state);
    let decide: (isGiven: boolean) => void = () => {};
    consent.set((given: typeof decide) => void (decide = given), 'b');
    heard.length = 0;
    const before = stateOf(consent);
    consent.close();
    decide(true);
    decide(false);
    consent.set(true, 'b');
    consent.set(false, 'b');
    consent.withdraw();
    expect([stateOf(consent), heard]).toEqual([before, []]);
  });

  test('a source that fails later, as an asynchronous function does, denies consent', async () => {
    const { consent } = consentIn(state);
    consent.set(async () => {
      throw Error('mine');
    }, 'b');
    await new Promise((resolve) => setTimeout(resolve));
    expect(stateOf(consent)).toBe('denied');
  });
});

test('a promise that was passed earlier does not decide for whatever was passed after it', async () => {
  for (const later of ['required', null, {}, () => {}, new Promise(() => {})]) {
    const consent = openConsent();
    consent.set(Promise.resolve(true), 'a');
    consent.set(later, 'b');
    await new Promise((resolve) => setTimeout(resolve));
    expect(stateOf(consent)).toBe('undecided');
  }
  const consent = openConsent();
  let decide: (isGiven: boolean) => void = () => {};
  consent.set(Promise.resolve(true), 'a');
  consent.set(new Promise((resolve) => (decide = resolve)), 'b');
  await new Promise((resolve) => setTimeout(resolve));
  decide(false);
  await new Promise((resolve) => setTimeout(resolve));
  expect(stateOf(consent)).toBe('denied');
});

test('a promise decides even if an earlier source has no decision meanwhile', async () => {
  const consent = openConsent();
  let decide: (isGiven?: boolean) => void = () => {};
  consent.set((given: typeof decide) => void (decide = given), 'a');
  consent.set(Promise.resolve(true), 'b');
  decide(undefined);
  await new Promise((resolve) => setTimeout(resolve));
  expect(stateOf(consent)).toBe('given');
});

test('a source that closes its mount while that begins is ended, and the mount follows its page no longer', () => {
  const [page, consent] = [openPageConsent(), openConsent()];
  const [unfollow, stop] = [vi.fn(), vi.fn()];
  vi.spyOn(page, 'subscribe').mockReturnValue(unfollow);
  consent.begin({ consent: () => (consent.close(), stop) }, { page });
  expect(stop).toHaveBeenCalledOnce();
  expect(unfollow).toHaveBeenCalledTimes(vi.mocked(page.subscribe).mock.calls.length);
});

test('a source that is passed twice decides by its latest call only', () => {
  const consent = openConsent();
  const decides: ((isGiven: boolean) => void)[] = [];
  const source = (decide: (isGiven: boolean) => void): void => void decides.push(decide);
  consent.set(source, 'a');
  consent.set(source, 'a');
  decides[1]?.(false);
  decides[0]?.(true);
  expect(stateOf(consent)).toBe('denied');
});

test('a source may pass another one while it is called: that one decides, and both are ended', () => {
  const consent = openConsent();
  const ended: string[] = [];
  const inner = (decide: (isGiven: boolean) => void): (() => void) => {
    decide(true);
    return () => void ended.push('inner');
  };
  consent.set(() => {
    consent.set(inner, 'b');
    return () => void ended.push('outer');
  }, 'a');
  expect([stateOf(consent), ended]).toEqual(['given', ['outer']]);
  consent.close();
  expect(ended).toEqual(['outer', 'inner']);
});

test('a value that throws when it is read does not give consent, and does not throw into the page', async () => {
  const mine = (): never => {
    throw Error('mine');
  };
  for (const [value, state] of [
    // oxlint-disable-next-line unicorn/no-thenable -- that of another page may throw
    [{ then: mine }, 'denied'],
    // oxlint-disable-next-line unicorn/no-thenable
    [Object.defineProperty({}, 'then', { get: mine }), 'undecided'],
    [Object.defineProperty(() => {}, 'source', { get: mine }), 'denied'],
  ] as const) {
    const consent = openConsent();
    consent.set(value, 'a');
    await new Promise((resolve) => setTimeout(resolve));
    expect(stateOf(consent)).toBe(state);
  }
});

test('a source decides as often as it likes, until another takes its place; ending it never throws', () => {
  const consent = openConsent();
  const calls: string[] = [];
  let decide: (isGiven: boolean) => void = () => {};
  const first: ConsentSource = Object.assign(
    (given: typeof decide) => {
      decide = given;
      return () => {
        calls.push('end');
        throw Error('mine');
      };
    },
    { source: 'banner' },
  );
  consent.set(first, 'consent()');
  for (const isGiven of [true, true, false, true]) {
    decide(isGiven);
    expect(consent.latest).toMatchObject({ isGiven, by: 'banner' });
  }
  // A decision besides does not end it: the shopper can still revoke where the decision was made.
  consent.set(true, 'consent()');
  decide(false);
  expect(stateOf(consent)).toBe('denied');
  consent.set(() => {}, 'consent()');
  expect(calls).toEqual(['end']);
  decide(true);
  expect(stateOf(consent)).toBe('denied');
  consent.close();
});

test('a source that decides at once does not interrupt consent that was given before', () => {
  const { consent, heard } = consentIn('given');
  consent.set((decide: (isGiven: boolean) => void) => decide(true), 'b');
  expect(heard).toEqual([]);
});

describe('the option', () => {
  const begin = (options: object): Consent => {
    const consent = openConsent();
    consent.begin(options);
    return consent;
  };

  test('only an absent option means the default; Global Privacy Control turns that into a denial', () => {
    expect(begin({}).latest).toMatchObject({ isGiven: true, by: 'default' });
    for (const consent of UNCLEAR) expect(stateOf(begin({ consent }))).toBe('undecided');
    expect(begin({ consent: true }).latest).toMatchObject({ isGiven: true, by: 'option' });
    expect(stateOf(begin({ consent: false }))).toBe('denied');
    vi.stubGlobal('navigator', { globalPrivacyControl: true });
    expect(begin({}).latest).toMatchObject({ isGiven: false, by: 'Global Privacy Control' });
    expect(stateOf(begin({ consent: undefined }))).toBe('undecided');
    expect(stateOf(begin({ consent: true }))).toBe('given');
  });

  test('what can be passed', () => {
    for (const value of [
      true,
      false,
      'required',
      'granted',
      'denied',
      null,
      undefined,
      () => {},
      Promise.resolve(true),
    ])
      expect(isConsentOption(value)).toBe(true);
    for (const value of ['yes', ['granted'], 'Required', '', 0, 1, {}, [], Number.NaN])
      expect(isConsentOption(value)).toBe(false);
  });
});

describe('the next mount in a place', () => {
  /** What the second of two mounts begins with, after `decide` on the first. */
  function next(options: object, decide: (first: Consent) => void, page?: Consent): State {
    const place: ConsentPlace = {};
    const [first, second] = [openConsent(), openConsent()];
    first.begin(options, { place, page });
    decide(first);
    first.close();
    second.begin(options, { place, page });
    return stateOf(second);
  }

  test.each([
    ['a denial', (first: Consent) => first.set(false, 'consent()'), 'denied'],
    [
      'the denial of a source',
      (first: Consent) => first.set((no: (is: boolean) => void) => no(false), 'consent()'),
      'denied',
    ],
    ['what was taken back', (first: Consent) => first.set('required', 'consent()'), 'undecided'],
    ['consent', (first: Consent) => first.set(true, 'consent()'), 'given'],
  ] as const)('begins with %s that no option has made', (_, decide, state) => {
    expect(next({}, decide)).toBe(state);
  });

  test('begins with what was taken back, whatever a promise in its option says later', async () => {
    const place: ConsentPlace = {};
    const [first, second] = [openConsent(), openConsent()];
    first.begin({ consent: true }, { place });
    first.set('required', 'consent()');
    second.begin({ consent: Promise.resolve(true) }, { place });
    await new Promise((resolve) => setTimeout(resolve));
    expect(stateOf(second)).toBe('undecided');
  });

  test('asks the source of its option anew', () => {
    const answers = [false, true];
    const consent = (decide: (is: boolean) => void): void => decide(answers.shift() === true);
    expect(next({ consent }, () => undefined)).toBe('given');
  });

  test('does not follow what the page said before the denial, not even in the same task', () => {
    const page = openPageConsent();
    page.set(true, 'consent()');
    expect(next({}, (first) => first.set(false, 'consent()'), page)).toBe('denied');
  });
});
