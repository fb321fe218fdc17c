// @vitest-environment happy-dom
// What each value of a platform decides. visits.test.ts has the order in which they come.
import { afterEach, describe, expect, test } from 'vitest';
import {
  complianz,
  cookiebot,
  cookieYes,
  didomi,
  oneTrust,
  shopifyPrivacy,
  usercentrics,
  wpConsent,
  type ConsentSource,
} from '../../src/consent.ts';
import { listen as start } from './listen.ts';

const page = globalThis as Record<string, unknown> & typeof globalThis;
const NAMES =
  'Cookiebot getCkyConsent wp_consent_type cmplz_has_consent cmplz_get_cookie __ucCmp UC_UI wp_has_consent waitfor_consent_hook wp_fallback_consent_type Didomi didomiOnReady didomiEventListeners OnetrustActiveGroups OneTrust'.split(
    ' ',
  );
let stops: (() => void)[] = [];

afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
  for (const name of NAMES) delete page[name];
});

/** Starts a source, and records its decisions. */
function listen(source: ConsentSource): { decisions: boolean[]; stop: () => void } {
  const started = start(source);
  stops.push(started.stop);
  return started;
}

/** What a platform says at each point; undefined: there is no decision. */
type Verdict = boolean | undefined;

/** What values other than booleans decide: only `true` gives consent. */
const NOT_TRUE = ['true', 'false', 'yes', 1, null, undefined];

/** Cookiebot has loaded, or the shopper has decided. */
function setCookiebot(marketing: unknown, hasResponse: unknown, event = 'CookiebotOnConsentReady'): void {
  page.Cookiebot = { consent: { necessary: true, marketing }, hasResponse };
  window.dispatchEvent(new Event(event));
}

function setCookieYes(advertisement: unknown, isUserActionCompleted: unknown, activeLaw: unknown = 'gdpr'): void {
  page.getCkyConsent = () => ({ activeLaw, categories: { necessary: true, advertisement }, isUserActionCompleted });
}

function setComplianz(type: unknown, hasConsent: unknown, status = ''): void {
  page.wp_consent_type = type;
  page.cmplz_has_consent = (category: string) => (category === 'marketing' ? hasConsent : true);
  page.cmplz_get_cookie = (name: string) => (name === 'banner-status' ? status : '');
}

/** Version 3 of Usercentrics. */
function setUsercentrics(required: unknown, state: unknown, given: unknown): void {
  page.__ucCmp = {
    isConsentRequired: async () => required,
    getConsentDetails: async () => ({
      categories: { marketing: { state } },
      services: { xyz: { consent: { given } } },
    }),
  };
}

type Status = { enabled: unknown } | undefined;
function setDidomi(shouldAsk: unknown, purpose: Status, vendor?: Status): void {
  page.Didomi = {
    shouldUserStatusBeCollected: () => shouldAsk,
    getCurrentUserStatus: () => ({ purposes: { ads: purpose }, vendors: { ads: vendor } }),
  };
}

/** The script of OneTrust has loaded, or the shopper has changed something. */
function setOneTrust(groups: string, isAlertBoxClosed: boolean): void {
  page.OnetrustActiveGroups = `,${groups},`;
  page.OneTrust = { IsAlertBoxClosed: () => isAlertBoxClosed };
  window.dispatchEvent(new CustomEvent('OneTrustGroupsUpdated', { detail: groups.split(',') }));
}

/** Lets what is awaited arrive. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('Cookiebot', () => {
  test('reads the current decision, even where no dialog is shown and the platform accepts by itself', () => {
    const decided = (marketing: unknown, hasResponse: unknown): Verdict => {
      setCookiebot(marketing, hasResponse);
      return listen(cookiebot('marketing')).decisions[0];
    };
    expect([decided(true, true), decided(true, false)]).toEqual([true, true]);
    expect([decided(false, true), decided(false, false)]).toEqual([false, undefined]);
    for (const value of NOT_TRUE) expect(decided(value, true), String(value)).toBe(false);
    for (const value of NOT_TRUE) expect(decided(false, value), String(value)).toBe(undefined);
  });

  test('consent that has to be renewed ends until the shopper has decided', () => {
    setCookiebot(true, true);
    const { decisions } = listen(cookiebot('marketing'));
    setCookiebot(false, false);
    expect(decisions).toEqual([true, false]);
  });
});

describe('CookieYes', () => {
  test('reads the current decision; assumed consent is used only under an opt-out law', () => {
    const decided = (...[advertisement, isAnswered, law]: Parameters<typeof setCookieYes>): Verdict => {
      setCookieYes(advertisement, isAnswered, law);
      return listen(cookieYes('advertisement')).decisions[0];
    };
    expect([decided(true, true), decided(false, true)]).toEqual([true, false]);
    expect([decided(true, false), decided(true, 'true')]).toEqual([undefined, undefined]);
    expect([decided(true, false, 'ccpa'), decided(false, false, 'ccpa')]).toEqual([true, false]);
    expect([decided(true, false, 'another'), decided(true, false, '')]).toEqual([undefined, undefined]);
    for (const value of NOT_TRUE) expect(decided(value, true), String(value)).toBe(false);
  });

  test('a script that throws has denied', () => {
    page.getCkyConsent = () => {
      throw new Error('theirs');
    };
    expect(listen(cookieYes('advertisement')).decisions).toEqual([false]);
  });
});

describe('Complianz', () => {
  test('reads the current decision, even in regions without a banner', () => {
    const decided = (...state: Parameters<typeof setComplianz>): Verdict => {
      setComplianz(...state);
      return listen(complianz('marketing')).decisions[0];
    };
    expect([decided('optin', true, 'dismissed'), decided('optin', false, 'dismissed')]).toEqual([true, false]);
    expect([decided('optout', true), decided('optout', false), decided('other', true)]).toEqual([true, false, true]);
    // The law is not known yet.
    expect(decided(undefined, true, 'dismissed')).toBe(undefined);
    for (const value of NOT_TRUE) expect(decided('optin', value, 'dismissed'), String(value)).toBe(false);
    // Another plugin has said which law applies, before the script has loaded.
    setComplianz('optout', false);
    delete page.cmplz_has_consent;
    expect(listen(complianz('marketing')).decisions).toEqual([]);
  });
});

describe('Usercentrics', () => {
  /** Version 2. */
  function setTwo(required: unknown, ...statuses: unknown[]): void {
    const services = statuses.map((status, at) => ({ id: `s${at}`, categorySlug: 'marketing', consent: { status } }));
    page.UC_UI = { isConsentRequired: () => required, getServicesBaseInfo: () => services };
  }
  const decided = async (id = 'marketing'): Promise<Verdict> => {
    const { decisions } = listen(usercentrics(id));
    await settled();
    return decisions[0];
  };

  test('reads the current decision of a category or a service', async () => {
    setUsercentrics(false, 'ALL_ACCEPTED', false);
    expect([await decided(), await decided('xyz'), await decided('missing')]).toEqual([true, false, false]);
    setUsercentrics(false, 'ALL_DENIED', true);
    expect([await decided(), await decided('xyz')]).toEqual([false, true]);
    setUsercentrics(true, 'ALL_ACCEPTED', true);
    expect([await decided(), await decided('xyz')]).toEqual([undefined, undefined]);
    for (const value of NOT_TRUE) {
      setUsercentrics(false, value, value);
      expect([await decided(), await decided('xyz')], String(value)).toEqual([false, false]);
      setUsercentrics(value, 'ALL_ACCEPTED', true);
      expect(await decided(), `required: ${String(value)}`).toBe(undefined);
    }
  });

  test('version 2: every service of the category must be accepted', async () => {
    setTwo(false, true, true);
    expect([await decided(), await decided('s0'), await decided('missing')]).toEqual([true, true, false]);
    setTwo(false, true, 'true');
    expect([await decided(), await decided('s0'), await decided('s1')]).toEqual([false, true, false]);
    setTwo(true, true);
    expect(await decided()).toBe(undefined);
    page.UC_UI = {};
    expect(await decided()).toBe(undefined);
  });

  test.each(['__ucCmp', 'UC_UI'])('no decision before %s is initialized', async (name) => {
    page[name] = {
      isInitialized: () => false,
      isConsentRequired: () => false,
      getConsentDetails: () => ({}),
      getServicesBaseInfo: () => [],
    };
    expect(await decided()).toBe(undefined);
  });

  test('a result that arrives after a newer one is ignored, and one that fails denies consent', async () => {
    let arrive: (isRequired: boolean) => void = () => {};
    setUsercentrics(false, 'ALL_ACCEPTED', true);
    const cmp = page.__ucCmp as { isConsentRequired: () => Promise<unknown> };
    cmp.isConsentRequired = () => new Promise((resolve) => (arrive = resolve));
    const { decisions } = listen(usercentrics('marketing'));
    setUsercentrics(false, 'ALL_DENIED', false);
    window.dispatchEvent(new Event('UC_CONSENT'));
    await settled();
    arrive(false);
    await settled();
    expect(decisions).toEqual([false]);
    page.__ucCmp = { isConsentRequired: async () => Promise.reject(new Error('theirs')) };
    expect(await decided()).toBe(false);
  });
});

describe('Didomi', () => {
  const decided = (...state: Parameters<typeof setDidomi>): Verdict => {
    setDidomi(...state);
    return listen(didomi('ads')).decisions[0];
  };

  test('reads the current decision of a purpose, a vendor, or both', () => {
    expect([decided(false, { enabled: true }), decided(false, { enabled: false })]).toEqual([true, false]);
    expect([decided(false, undefined, { enabled: true }), decided(false, undefined)]).toEqual([true, false]);
    expect(decided(false, { enabled: true }, { enabled: false })).toBe(false);
    expect(decided(true, { enabled: true })).toBe(undefined);
    for (const value of NOT_TRUE) {
      expect(decided(false, { enabled: value }), String(value)).toBe(false);
      expect(decided(value, { enabled: true }), `should ask: ${String(value)}`).toBe(undefined);
    }
    page.Didomi = {};
    expect(listen(didomi('ads')).decisions).toEqual([]);
  });
});

test('OneTrust: an active category is consent; an inactive one is a denial once the banner is closed', () => {
  setOneTrust('C0001,C0004', false);
  expect(listen(oneTrust('C0004')).decisions).toEqual([true]);
  setOneTrust('C0001', true);
  expect(listen(oneTrust('C0004')).decisions).toEqual([false]);
  // Nor is there a category between the first commas.
  for (const category of ['C000', '']) expect(listen(oneTrust(category)).decisions).toEqual([false]);
});

test('WP Consent API: without a consent plugin everything is allowed, as the API says', () => {
  page.wp_has_consent = () => true;
  page.wp_fallback_consent_type = '';
  expect(listen(wpConsent('marketing')).decisions).toEqual([true]);
  // A plugin will say which law applies.
  page.waitfor_consent_hook = true;
  expect(listen(wpConsent('marketing')).decisions).toEqual([]);
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
