import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { googleConsentMode, oneTrust, shopifyPrivacy, tcf, type ConsentSource } from '../../src/consent.ts';

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
  for (const name of ['OnetrustActiveGroups', 'OneTrust', 'dataLayer', '__tcfapi']) delete page[name];
});

/** Starts a source, and writes down what it decides. */
function listen(source: ConsentSource): { decisions: boolean[]; stop: () => void } {
  const decisions: boolean[] = [];
  const stop = source((isGiven) => void decisions.push(isGiven));
  return { decisions, stop: stop ?? (() => {}) };
}

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

describe('googleConsentMode', () => {
  const gtag: (...command: unknown[]) => void = function () {
    page.dataLayer ??= [];
    // oxlint-disable-next-line prefer-rest-params -- Google's snippet pushes the arguments object itself
    (page.dataLayer as unknown[]).push(arguments);
  };

  test('the page’s tag comes first: an update decides, a default of denied waits', () => {
    gtag('consent', 'default', { ad_storage: 'denied', wait_for_update: 500 });
    const { decisions, stop } = listen(googleConsentMode('ad_storage'));
    vi.runAllTimers();
    expect(decisions).toEqual([]);
    gtag('js', new Date());
    gtag('consent', 'update', { analytics_storage: 'granted' });
    expect(decisions).toEqual([]);
    gtag('consent', 'update', { ad_storage: 'granted' });
    gtag('consent', 'update', { ad_storage: 'denied' });
    expect(decisions).toEqual([true, false]);
    stop();
    gtag('consent', 'update', { ad_storage: 'granted' });
    expect(decisions).toEqual([true, false]);
    expect(page.dataLayer).toHaveLength(6);
  });

  test('a default of denied that comes late takes back what a default granted', () => {
    const { decisions } = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'granted' });
    vi.runAllTimers();
    gtag('consent', 'default', { ad_storage: 'denied', region: ['DE'] });
    gtag('consent', 'default', { ad_storage: 'denied', region: ['FR'] });
    vi.runAllTimers();
    expect(decisions).toEqual([true, false]);
    gtag('consent', 'update', { ad_storage: 'granted' });
    gtag('consent', 'default', { ad_storage: 'denied' });
    expect(decisions).toEqual([true, false, true]);
  });

  test('the tag comes later: nothing that it pushes is lost, also through a wrapper of its own', () => {
    const { decisions, stop } = listen(googleConsentMode('ad_storage'));
    const layer = page.dataLayer as unknown[];
    const { push } = layer;
    layer.push = (...commands) => push.apply(layer, commands);
    gtag('consent', 'update', { ad_storage: 'granted' });
    expect(decisions).toEqual([true]);
    stop();
    gtag('consent', 'update', { ad_storage: 'denied' });
    expect(decisions).toEqual([true]);
    expect(layer).toHaveLength(2);
  });

  test('defaults decide only if they grant it in every region', () => {
    const granted = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'granted' });
    vi.runAllTimers();
    expect(granted.decisions).toEqual([true]);
    granted.stop();
    delete page.dataLayer;
    const regional = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'granted' });
    gtag('consent', 'default', { ad_storage: 'denied', region: ['ES'] });
    vi.runAllTimers();
    expect(regional.decisions).toEqual([]);
    regional.stop();
    delete page.dataLayer;
    const other = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'denied', region: ['ES'] });
    gtag('consent', 'default', { ad_storage: 'granted' });
    vi.runAllTimers();
    expect(other.decisions).toEqual([]);
    other.stop();
    delete page.dataLayer;
    const some = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'granted', region: ['US'] });
    vi.runAllTimers();
    expect(some.decisions).toEqual([]);
  });

  test('an update is newer than the defaults', () => {
    const { decisions } = listen(googleConsentMode('ad_storage'));
    gtag('consent', 'default', { ad_storage: 'granted' });
    gtag('consent', 'update', { ad_storage: 'denied' });
    vi.runAllTimers();
    expect(decisions).toEqual([false]);
  });

  test('anything may be in the layer', () => {
    page.dataLayer = [null, 1, 'consent', {}, [], ['consent'], ['consent', 'update'], ['consent', 'update', null]];
    expect(listen(googleConsentMode('ad_storage')).decisions).toEqual([]);
    expect(listen(googleConsentMode('__proto__')).decisions).toEqual([]);
  });

  test('a push of the page never throws because of what it pushes', () => {
    const { decisions } = listen(googleConsentMode('ad_storage'));
    const layer = page.dataLayer as unknown[];
    const hostile = {
      get ad_storage(): string {
        throw Error('mine');
      },
      get region(): string {
        throw Error('mine');
      },
    };
    layer.push({ first: 'consent', action: 'update', state: { ad_storage: 'granted' } });
    layer.push(Object.defineProperty({}, 'event', { enumerable: true, get: () => layer.push(hostile.region) }));
    layer.push(['event', 'purchase', hostile], ['consent', 'update', hostile], Object.create(null));
    gtag('consent', 'update', { ad_storage: 'granted' });
    expect([decisions, layer.length]).toEqual([[true], 6]);
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

  test('loaded early: decides at once; where GDPR does not apply, it is a yes', () => {
    load({ eventStatus: 'tcloaded', ...consents(1) });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([true]);
    load({ eventStatus: 'tcloaded', gdprApplies: false });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([true]);
    load({ eventStatus: 'tcloaded' });
    expect(listen(tcf({ purposes: [1] })).decisions).toEqual([false]);
  });

  test('stopped before the platform has loaded, it never asks', () => {
    const { stop } = listen(tcf({ purposes: [1] }));
    stop();
    const platform = load();
    vi.advanceTimersByTime(1_000);
    expect(platform.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('without purposes there is never a yes, and a platform that reports nothing is left alone', () => {
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
