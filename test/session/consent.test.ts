import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  openConsent,
  type Consent,
  type ConsentPlace,
  CONSENT_TRANSITIONS,
  isConsentOption,
  type ConsentInput,
  type ConsentSource,
  type ConsentState,
} from '../../src/session/consent.ts';

afterEach(() => void vi.unstubAllGlobals());

const STATES = Object.keys(CONSENT_TRANSITIONS) as ConsentState[];
const INPUTS = Object.keys(CONSENT_TRANSITIONS.given) as ConsentInput[];

/** Everything that is not a decision, however much it looks like one. */
const UNCLEAR = [undefined, null, 'required', 'false', 'true', 'yes', '', 0, 1, {}, [], Number.NaN];

/** Returns a consent in a state, and what it has reported since. */
function consentIn(state: ConsentState): { consent: Consent; heard: ConsentState[] } {
  const consent = openConsent();
  if (state !== 'undecided') consent.set(state === 'given', 'test');
  const heard: ConsentState[] = [];
  consent.subscribe(({ state, before }) => state !== before && heard.push(state));
  return { consent, heard };
}

describe.each(STATES)('%s', (state) => {
  test.each(INPUTS)('%s leads to the state of the table', (input) => {
    const ways: Record<ConsentInput, ((consent: Consent) => void)[]> = {
      yes: [
        (consent) => consent.set(true, 'b'),
        (consent) => consent.set('granted', 'b'),
        (consent) => consent.set((decide: (yes: boolean) => void) => decide(true), 'b'),
      ],
      no: [
        (consent) => consent.set(false, 'b'),
        (consent) => consent.set('denied', 'b'),
        (consent) => consent.set((decide: (yes: boolean) => void) => decide(false), 'b'),
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
    const expected = CONSENT_TRANSITIONS[state][input];
    for (const way of ways[input]) {
      const { consent, heard } = consentIn(state);
      way(consent);
      expect(consent.state).toBe(expected);
      expect(heard).toEqual(expected === state ? [] : [expected]);
      expect(consent.decision?.isGiven).toBe(expected === 'undecided' ? undefined : expected === 'given');
      expect(consent.isElsewhere).toBe(input === 'withdrawn' && expected !== state);
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
      expect(consent.state).toBe(CONSENT_TRANSITIONS[state].unclear);
      await new Promise((resolve) => setTimeout(resolve));
      expect(consent.state).toBe(isGiven ? 'given' : 'denied');
    }
    const { consent } = consentIn(state);
    consent.set(Promise.resolve(true), 'b');
    consent.set(false, 'c');
    await new Promise((resolve) => setTimeout(resolve));
    expect(consent.state).toBe('denied');
  });

  test('once it is closed, nothing is reported', () => {
    const { consent, heard } = consentIn(state);
    let decide: (isGiven: boolean) => void = () => {};
    consent.set((given: typeof decide) => void (decide = given), 'b');
    heard.length = 0;
    const before = consent.state;
    consent.close();
    decide(true);
    decide(false);
    consent.set(true, 'b');
    consent.set(false, 'b');
    consent.withdraw();
    expect([consent.state, heard]).toEqual([before, []]);
  });

  test('a source that fails later, as an asynchronous function does, denies consent', async () => {
    const { consent } = consentIn(state);
    consent.set(async () => {
      throw Error('mine');
    }, 'b');
    await new Promise((resolve) => setTimeout(resolve));
    expect(consent.state).toBe('denied');
  });
});

test('a promise that was passed earlier does not decide for whatever was passed after it', async () => {
  for (const later of ['required', null, {}, () => {}, new Promise(() => {})]) {
    const consent = openConsent();
    consent.set(Promise.resolve(true), 'a');
    consent.set(later, 'b');
    await new Promise((resolve) => setTimeout(resolve));
    expect(consent.state).toBe('undecided');
  }
  const consent = openConsent();
  let decide: (isGiven: boolean) => void = () => {};
  consent.set(Promise.resolve(true), 'a');
  consent.set(new Promise((resolve) => (decide = resolve)), 'b');
  await new Promise((resolve) => setTimeout(resolve));
  decide(false);
  await new Promise((resolve) => setTimeout(resolve));
  expect(consent.state).toBe('denied');
});

test('a source that is passed twice decides by its latest call only', () => {
  const consent = openConsent();
  const decides: ((isGiven: boolean) => void)[] = [];
  const source = (decide: (isGiven: boolean) => void): void => void decides.push(decide);
  consent.set(source, 'a');
  consent.set(source, 'a');
  decides[1]?.(false);
  decides[0]?.(true);
  expect(consent.state).toBe('denied');
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
  expect([consent.state, ended]).toEqual(['given', ['outer']]);
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
    expect(consent.state).toBe(state);
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
    expect(consent.decision).toMatchObject({ isGiven, by: 'banner' });
  }
  // A decision besides does not end it: the shopper can still revoke where the decision was made.
  consent.set(true, 'consent()');
  decide(false);
  expect(consent.state).toBe('denied');
  consent.set(() => {}, 'consent()');
  expect(calls).toEqual(['end']);
  decide(true);
  expect(consent.state).toBe('denied');
  consent.close();
});

test('a source that decides at once does not interrupt consent that was given before', () => {
  const { consent, heard } = consentIn('given');
  consent.set((decide: (isGiven: boolean) => void) => decide(true), 'b');
  expect(heard).toEqual([]);
});

describe('the option', () => {
  const begin = (options: object, page?: Consent, place?: ConsentPlace): Consent => {
    const consent = openConsent();
    consent.begin(options, { page, place });
    return consent;
  };

  test('only an absent option means the default; Global Privacy Control turns that into a denial', () => {
    expect(begin({}).decision).toMatchObject({ isGiven: true, by: 'default' });
    for (const consent of UNCLEAR) expect(begin({ consent }).state).toBe('undecided');
    expect(begin({ consent: true }).decision).toMatchObject({ isGiven: true, by: 'option' });
    expect(begin({ consent: false }).state).toBe('denied');
    vi.stubGlobal('navigator', { globalPrivacyControl: true });
    expect(begin({}).decision).toMatchObject({ isGiven: false, by: 'Global Privacy Control' });
    expect(begin({ consent: undefined }).state).toBe('undecided');
    expect(begin({ consent: true }).state).toBe('given');
  });

  test('a denial by the page holds for every mount, its consent for mounts without their own decision', () => {
    const options = [{}, { consent: 'required' }, { consent: undefined }, { consent: true }, { consent: false }];
    const states = (page: Consent) => options.map((option) => begin(option, page).state);
    const page = openConsent('given');
    expect(states(page)).toEqual(['given', 'undecided', 'undecided', 'given', 'denied']);
    expect(page.decision).toBeUndefined();
    page.set(true, 'consent()');
    expect(page.decision).toMatchObject({ isGiven: true, by: 'consent()' });
    expect(states(page)).toEqual(['given', 'given', 'given', 'given', 'denied']);
    page.set(() => {}, 'consent()');
    expect(states(page)).toEqual(['undecided', 'undecided', 'undecided', 'given', 'denied']);
    page.set(false, 'consent()');
    expect(states(page)).toEqual(options.map(() => 'denied'));
    page.set('yes', 'consent()');
    expect(states(page)).toEqual(options.map(() => 'denied'));
  });

  test('a mount follows its page, whatever it decided before', () => {
    const page = openConsent('given');
    const mounts = [begin({}, page), begin({ consent: false }, page), begin({ consent: 'required' }, page)];
    const states = () => mounts.map(({ state }) => state);
    page.set(() => {}, 'consent()');
    expect(states()).toEqual(['undecided', 'denied', 'undecided']);
    page.set(true, 'consent()');
    expect(states()).toEqual(['given', 'given', 'given']);
    page.withdraw();
    expect(states()).toEqual(['denied', 'denied', 'denied']);
    expect(mounts.every(({ isElsewhere }) => isElsewhere)).toBe(true);
    for (const mount of mounts) mount.close();
    page.set(true, 'consent()');
    expect(states()).toEqual(['denied', 'denied', 'denied']);
  });

  test('a withdrawal elsewhere denies later mounts of the page, and leaves alone one that still waits', () => {
    const page = openConsent('given');
    const waiting = begin({ consent: new Promise(() => {}) }, page);
    page.withdraw();
    expect(waiting.state).toBe('undecided');
    const later = begin({ consent: true }, page);
    expect([later.state, later.isElsewhere]).toEqual(['denied', true]);
  });

  test('a denial to an earlier mount of the same element holds until consent is given', () => {
    for (const deny of [(one: Consent) => one.withdraw(), (one: Consent) => one.set(false, 'consent()')]) {
      const place = {};
      deny(begin({ consent: true }, undefined, place));
      const consent = begin({ consent: true }, undefined, place);
      expect([consent.state, consent.isElsewhere]).toEqual(['denied', true]);
      consent.set(true, 'consent()');
      expect(begin({ consent: true }, undefined, place).state).toBe('given');
    }
  });

  test('what an option, a signal or the page denies, the next mount hears from them', () => {
    const place = {};
    begin({ consent: false }, undefined, place);
    expect(begin({ consent: true }, undefined, place).state).toBe('given');
    const page = openConsent('given');
    begin({ consent: true }, page, place);
    for (const isGiven of [false, true]) {
      page.set(isGiven, 'consent()');
      expect(begin({ consent: true }, page, place).decision?.isGiven).toBe(isGiven);
    }
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
