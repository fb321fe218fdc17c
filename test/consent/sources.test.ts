import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { oneTrust, shopifyPrivacy, tcf, type ConsentSource } from '../../src/consent.ts';
import { listen } from './listen.ts';

// Each vendor's published API as far as a page sees it.
const page = globalThis as Record<string, unknown> & typeof globalThis;
const events = new EventTarget();

beforeEach(() => {
  vi.useFakeTimers();
  page.addEventListener = events.addEventListener.bind(events);
  page.removeEventListener = events.removeEventListener.bind(events);
});
afterEach(() => {
  vi.useRealTimers();
  for (const name of ['OnetrustActiveGroups', 'OneTrust', '__tcfapi']) delete page[name];
});

describe('oneTrust', () => {
  /** The script has loaded, or the shopper has changed something. */
  function update(groups: string, isAlertBoxClosed: boolean): void {
    page.OnetrustActiveGroups = `,${groups},`;
    page.OneTrust = { IsAlertBoxClosed: () => isAlertBoxClosed };
    events.dispatchEvent(new CustomEvent('OneTrustGroupsUpdated', { detail: groups.split(',') }));
  }

  test('loaded late: decides when the shopper chooses, and again when consent is revoked', () => {
    const { decisions, stop } = listen(oneTrust('C0004'));
    update('C0001', false);
    expect(decisions).toEqual([]);
    update('C0001,C0004', true);
    update('C0001', true);
    expect(decisions).toEqual([true, false]);
    stop();
    update('C0001,C0004', true);
    expect(decisions).toEqual([true, false]);
  });

  test('loaded early: decides at once', () => {
    update('C0001,C0004', true);
    expect(listen(oneTrust('C0004')).decisions).toEqual([true]);
    update('C0001', true);
    expect(listen(oneTrust('C0004')).decisions).toEqual([false]);
    expect(listen(oneTrust('C000')).decisions).toEqual([false]);
  });
});

describe('tcf', () => {
  interface Platform {
    emit(data: object): void;
    listeners: Map<number, (data: object, isSuccess: boolean) => void>;
  }

  /** A platform that calls back at once with what it knows, as the specification says. */
  function load(data?: object): Platform {
    const listeners: Platform['listeners'] = new Map();
    let last = data;
    page.__tcfapi = (command: string, _: number, callBack: (data: object, isSuccess: boolean) => void, id: number) => {
      if (command === 'removeEventListener') return callBack({}, listeners.delete(id));
      const listenerId = listeners.size + 7;
      listeners.set(listenerId, callBack);
      if (last) callBack({ ...last, listenerId }, true);
    };
    return {
      listeners,
      emit(data) {
        last = data;
        for (const [listenerId, listener] of listeners) listener({ ...data, listenerId }, true);
      },
    };
  }
  const consents = (...numbers: number[]) => ({
    gdprApplies: true,
    purpose: { consents: Object.fromEntries(numbers.map((number) => [number, true])) },
  });

  test('loaded late: decides when all purposes have consent, and again when it is revoked', () => {
    const { decisions, stop } = listen(tcf({ purposes: [1, 3] }));
    vi.advanceTimersByTime(3_000);
    const platform = load({ eventStatus: 'cmpuishown', ...consents(1, 3) });
    vi.advanceTimersByTime(1_000);
    expect(decisions).toEqual([]);
    platform.emit({ eventStatus: 'useractioncomplete', ...consents(1) });
    platform.emit({ eventStatus: 'useractioncomplete', ...consents(1, 2, 3) });
    platform.emit({ eventStatus: 'cmpuishown', ...consents(1, 3) });
    platform.emit({ eventStatus: 'useractioncomplete', ...consents() });
    expect(decisions).toEqual([false, true, false]);
    stop();
    expect(platform.listeners.size).toBe(0);
  });

  test('loaded early: decides at once; where GDPR does not apply, consent is given', () => {
    load({ eventStatus: 'tcloaded', ...consents(1) });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([true]);
    load({ eventStatus: 'tcloaded', gdprApplies: false });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([true]);
    load({ eventStatus: 'tcloaded' });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([false]);
  });

  describe('vendor, legitimate interests and restrictions of the publisher', () => {
    const VENDOR = 755;
    const on = { [VENDOR]: true };
    /** Everything agreed, except for what is given. */
    const data = (more: object = {}): object => ({
      eventStatus: 'tcloaded',
      gdprApplies: true,
      purpose: { consents: { 1: true, 3: true }, legitimateInterests: { 7: true, 9: true } },
      vendor: { consents: on, legitimateInterests: on },
      publisher: { restrictions: {} },
      ...more,
    });
    const restrict = (purpose: number, restriction: unknown): object => ({
      publisher: { restrictions: { [purpose]: { [VENDOR]: restriction } } },
    });
    const both = tcf({ purposes: [1, 3], legitimateInterests: [7], vendor: VENDOR });

    /** What the source decides when the platform says this. */
    function decided(source: ConsentSource, more?: object): boolean | undefined {
      load(data(more));
      const { decisions, stop } = listen(source);
      stop();
      return decisions[0];
    }

    test('all of them must be true', () => {
      expect(decided(both)).toBe(true);
      const { consents, legitimateInterests } = { consents: on, legitimateInterests: on };
      const cases: object[] = [
        { vendor: { consents: { [VENDOR]: false }, legitimateInterests } },
        { vendor: { consents, legitimateInterests: { [VENDOR]: false } } },
        { vendor: { consents: { [VENDOR]: 'true' }, legitimateInterests } },
        { vendor: { consents: { 756: true }, legitimateInterests } },
        { vendor: undefined },
        { purpose: { consents: { 1: true, 3: true }, legitimateInterests: { 9: true } } },
        { purpose: { consents: { 1: true }, legitimateInterests: { 7: true } } },
        { purpose: { consents: { 1: 'false', 3: 'true' }, legitimateInterests: { 7: true } } },
        { purpose: undefined },
      ];
      expect(cases.map((more) => decided(both, more))).toEqual(cases.map(() => false));
    });

    test('a legitimate interest without a vendor needs no word on vendors', () => {
      const source = tcf({ purposes: [1], legitimateInterests: [7] });
      expect(decided(source, { vendor: undefined })).toBe(true);
      expect(decided(source, { purpose: { consents: { 1: true } } })).toBe(false);
      expect(decided(tcf({ purposes: [], legitimateInterests: [7] }))).toBe(true);
    });

    test('a restriction of the publisher forbids a purpose, or demands a basis', () => {
      const verdicts = (purpose: number): (boolean | undefined)[] =>
        [0, 1, 2, 3, '1', null].map((restriction) => decided(both, restrict(purpose, restriction)));
      // For consent only 1 is allowed, for a legitimate interest only 2.
      expect(verdicts(3)).toEqual([false, true, false, false, false, false]);
      expect(verdicts(7)).toEqual([false, false, true, false, false, false]);
      // Purposes that are not required, and other vendors, do not matter.
      expect(verdicts(2)).toEqual([true, true, true, true, true, true]);
      expect(decided(both, { publisher: { restrictions: { 3: { 1: 0 } } } })).toBe(true);
    });

    test('with a purpose in both lists, either basis is enough, and a restriction chooses one', () => {
      const flexible = tcf({ purposes: [1, 7], legitimateInterests: [7], vendor: VENDOR });
      expect(decided(flexible)).toBe(true);
      expect(decided(flexible, restrict(7, 1))).toBe(false);
      const consented = { purpose: { consents: { 1: true, 7: true } } };
      expect(decided(flexible, consented)).toBe(true);
      expect(decided(flexible, { ...consented, ...restrict(7, 1) })).toBe(true);
      expect(decided(flexible, { ...consented, ...restrict(7, 2) })).toBe(false);
    });
  });

  test('stopped before the platform has loaded, it never calls it', () => {
    const { stop } = listen(tcf({ purposes: [1] }));
    stop();
    const platform = load();
    vi.advanceTimersByTime(1_000);
    expect(platform.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('without purposes consent is never given, and a platform that reports nothing is left alone', () => {
    const platform = load({ eventStatus: 'tcloaded', ...consents(1) });
    const { decisions } = listen(tcf({ purposes: [] }));
    platform.emit({ eventStatus: 'useractioncomplete', gdprApplies: false });
    for (const listener of platform.listeners.values()) listener(null as unknown as object, true);
    expect(decisions).toEqual([false, false]);
  });

  test('a stub that responds after the end is unsubscribed', () => {
    const queued: unknown[][] = [];
    page.__tcfapi = (...call: unknown[]) => void queued.push(call);
    const { decisions, stop } = listen(tcf({ purposes: [1] }));
    stop();
    const [, , callBack] = queued[0] ?? [];
    (callBack as (data: object, isSuccess: boolean) => void)(
      { listenerId: 4, eventStatus: 'tcloaded', ...consents(1) },
      true,
    );
    expect(decisions).toEqual([]);
    expect(queued[1]).toMatchObject(['removeEventListener', 2, expect.anything(), 4]);
  });
});

describe('shopifyPrivacy', () => {
  interface Privacy {
    allowedProcessing: { marketing: boolean; saleOfData: boolean; analytics: boolean };
    shouldShowBanner: boolean;
  }

  /** `isEager`: calls a new listener at once, as signals do. */
  function signal(marketing: boolean, shouldShowBanner: boolean, isEager: boolean, saleOfData = marketing) {
    const listeners = new Set<(value: Privacy) => void>();
    const api = {
      value: { allowedProcessing: { marketing, saleOfData, analytics: true }, shouldShowBanner } as Privacy,
      listeners,
      subscribe(listener: (value: Privacy) => void) {
        listeners.add(listener);
        if (isEager) listener(api.value);
        return () => void listeners.delete(listener);
      },
      set(marketing: boolean, shouldShowBanner = false) {
        api.value = { allowedProcessing: { marketing, saleOfData: marketing, analytics: true }, shouldShowBanner };
        for (const listener of listeners) listener(api.value);
      },
    };
    return api;
  }

  test.each([true, false])(
    'decides when the banner is answered, and again when it is revoked; eager: %s',
    (isEager) => {
      const privacy = signal(false, true, isEager);
      const { decisions, stop } = listen(shopifyPrivacy(privacy));
      expect(decisions).toEqual([]);
      privacy.set(true);
      privacy.set(false, true);
      expect(decisions).toEqual([true, false]);
      stop();
      expect(privacy.listeners.size).toBe(0);
    },
  );

  test('decides at once without a banner', () => {
    expect(new Set(listen(shopifyPrivacy(signal(true, false, true))).decisions)).toEqual(new Set([true]));
    expect(listen(shopifyPrivacy(signal(false, false, false))).decisions).toEqual([false]);
    expect(listen(shopifyPrivacy(signal(true, false, false, false))).decisions).toEqual([false]);
    expect(listen(shopifyPrivacy(signal(false, false, false, true))).decisions).toEqual([false]);
  });
});
