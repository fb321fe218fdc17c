import type { ConsentSource } from '../session/consent.ts';

// Consent platforms whose script puts the shopper's decision on the page.

/** What the vendor's script puts on the page. */
interface ComplianzPage {
  /** Which law applies to the shopper, such as `optin`. Missing until it is known; other plugins may set it first. */
  wp_consent_type?: unknown;
  cmplz_has_consent?(category: string): unknown;
  cmplz_get_cookie?(name: string): unknown;
}

/**
 * Decides by one of the categories of Complianz, such as `marketing`. Where the shopper has to opt in, a category without
 * consent is undecided until the banner is dismissed; elsewhere it is accepted until the shopper opts out.
 */
export function complianz(category: string): ConsentSource {
  // The first one follows the check whether a stored consent is still valid.
  const events = [
    'cmplz_cookie_banner_data',
    'cmplz_status_change',
    'cmplz_banner_status',
    'cmplz_fire_categories',
    'cmplz_revoke',
  ];
  return pageSource(`complianz(${category})`, events, (tell) => {
    const page = globalThis as ComplianzPage;
    // Until the law is known, the script assumes that of the shop's own country.
    if (typeof page.wp_consent_type !== 'string' || !page.cmplz_has_consent) return tell(undefined);
    const given = page.cmplz_has_consent(category) === true;
    const isAnswered = page.wp_consent_type === 'optout' || page.cmplz_get_cookie?.('banner-status') === 'dismissed';
    tell(given || isAnswered ? given : undefined);
  });
}

/** What the vendor's script puts on the page. */
interface CookiebotPage {
  Cookiebot?: {
    /** Whether the shopper has made a choice in the dialog. */
    readonly hasResponse?: boolean;
    readonly consent?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Decides by one of the categories of Cookiebot: `preferences`, `statistics` or `marketing`. A category that is not
 * accepted is undecided until the shopper has made a choice in the dialog.
 */
export function cookiebot(category: string): ConsentSource {
  const events = ['CookiebotOnConsentReady', 'CookiebotOnAccept', 'CookiebotOnDecline'];
  return pageSource(`cookiebot(${category})`, events, (tell) => {
    const { Cookiebot } = globalThis as CookiebotPage;
    const given = Cookiebot?.consent?.[category] === true;
    // Where no dialog is shown, the platform accepts for the shopper, and `hasResponse` is false.
    tell(given || Cookiebot?.hasResponse === true ? given : undefined);
  });
}

/** What the vendor's script puts on the page. */
interface CookieYesPage {
  getCkyConsent?(): {
    /** The law that decides what is assumed before the shopper makes a choice, such as `gdpr`. */
    readonly activeLaw?: string;
    readonly isUserActionCompleted?: boolean;
    readonly categories?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Decides by one of the categories of CookieYes, such as `advertisement`. Under `ccpa`, the category is accepted
 * until the shopper opts out. Under other laws there is no decision until the shopper makes a choice in the banner.
 */
export function cookieYes(category: string): ConsentSource {
  const events = ['cookieyes_banner_load', 'cookieyes_consent_update'];
  return pageSource(`cookieYes(${category})`, events, (tell) => {
    const consent = (globalThis as CookieYesPage).getCkyConsent?.();
    const isAnswered = consent?.isUserActionCompleted === true || consent?.activeLaw === 'ccpa';
    tell(isAnswered ? consent.categories?.[category] === true : undefined);
  });
}

/** The statuses of what the shopper can accept, by id. */
type Statuses = Readonly<Record<string, { readonly enabled?: unknown } | undefined>>;

/** What the vendor's script puts on the page, and the lists that it reads. */
interface DidomiPage {
  Didomi?: {
    /** Whether the shopper has yet to be asked. */
    shouldUserStatusBeCollected?(): unknown;
    getCurrentUserStatus?(): { readonly purposes?: Statuses; readonly vendors?: Statuses };
  };
  didomiOnReady?: { push(listener: () => void): void };
  didomiEventListeners?: { push(each: { event: string; listener: () => void }): void };
}

/**
 * Decides by the id of a purpose of Didomi, such as `cookies`, or of a vendor. While the shopper has yet to be asked,
 * there is no decision.
 */
export function didomi(id: string): ConsentSource {
  const page = globalThis as DidomiPage;
  const subscribe = (ask: () => void): void => {
    (page.didomiOnReady ??= []).push(ask);
    (page.didomiEventListeners ??= []).push({ event: 'consent.changed', listener: ask });
  };
  return pageSource(`didomi(${id})`, subscribe, (tell) => {
    const { Didomi } = page;
    if (Didomi?.shouldUserStatusBeCollected?.() !== false) return tell(undefined);
    const { purposes, vendors } = Didomi.getCurrentUserStatus?.() ?? {};
    const mine = [purposes?.[id], vendors?.[id]].filter((status) => status);
    tell(mine.length > 0 && mine.every((status) => status?.enabled === true));
  });
}

/** What the vendor's script puts on the page. */
interface OneTrustPage {
  /** The active groups, as `,C0001,C0004,`. The stub sets it to `,,` before the script that shows the banner. */
  OnetrustActiveGroups?: unknown;
  OneTrust?: { IsAlertBoxClosed?(): boolean };
}

/**
 * Decides by one of the categories of OneTrust, such as `C0004`. There is no decision until the script with the banner has
 * loaded, and an inactive category is undecided until the shopper makes a choice in the banner.
 */
export function oneTrust(category: string): ConsentSource {
  return pageSource(`oneTrust(${category})`, ['OneTrustGroupsUpdated'], (tell) => {
    const { OnetrustActiveGroups: groups, OneTrust } = globalThis as OneTrustPage;
    const isClosed = OneTrust?.IsAlertBoxClosed?.();
    if (typeof groups !== 'string' || isClosed === undefined) return tell(undefined);
    const isActive = groups.split(',').includes(category);
    tell(isActive || isClosed ? isActive : undefined);
  });
}

/** What version 3 of the vendor's script puts on the page, and version 2 as `UC_UI`. */
interface UsercentricsPage {
  __ucCmp?: {
    isInitialized?(): Promise<unknown>;
    isConsentRequired(): Promise<unknown>;
    getConsentDetails(): Promise<{
      readonly categories?: Readonly<Record<string, { readonly state?: unknown }>>;
      readonly services?: Readonly<Record<string, { readonly consent?: { readonly given?: unknown } }>>;
    }>;
  };
  UC_UI?: {
    isInitialized?(): unknown;
    isConsentRequired?(): unknown;
    getServicesBaseInfo?(): readonly {
      readonly id: string;
      readonly categorySlug: string;
      readonly consent?: { readonly status?: unknown };
    }[];
  };
}

/**
 * Decides by a category of Usercentrics, such as `marketing`, or by the id of a service. While the platform still requires
 * a choice of the shopper, there is no decision.
 */
export function usercentrics(id: string): ConsentSource {
  const events = ['UC_UI_INITIALIZED', 'UC_UI_CMP_EVENT', 'UC_CONSENT'];
  return pageSource(`usercentrics(${id})`, events, async (tell) => {
    const { __ucCmp: cmp, UC_UI: ui } = globalThis as UsercentricsPage;
    const api = cmp ?? ui;
    // Before, no choice is required and no service is known.
    const isLoading = (await api?.isInitialized?.()) === false;
    if (isLoading || (await api?.isConsentRequired?.()) !== false) return tell(undefined);
    if (cmp) {
      const { categories, services } = await cmp.getConsentDetails();
      return tell(categories?.[id]?.state === 'ALL_ACCEPTED' || services?.[id]?.consent?.given === true);
    }
    const mine = ui?.getServicesBaseInfo?.().filter((each) => each.id === id || each.categorySlug === id) ?? [];
    tell(mine.length > 0 && mine.every(({ consent }) => consent?.status === true));
  });
}

/** Passes on what a platform says. Anything but `true` and `false` means that it has not decided yet. */
type Tell = (given: unknown) => void;

/**
 * Returns a source that looks at a platform at once, for the current decision, and after each of its events. Consent
 * that was given ends with anything but `true`. A platform that throws has denied it.
 */
function pageSource(
  name: string,
  /** Names of events of the window or the document, or a function that subscribes and cannot unsubscribe. */
  events: readonly string[] | ((ask: () => void) => void),
  look: (tell: Tell) => void | Promise<void>,
): ConsentSource {
  const source: ConsentSource = (decide) => {
    let isGiven = false;
    /** A result that something newer has overtaken is ignored. */
    let turn = 0;

    function ask(): void {
      const asked = ++turn;
      const tell: Tell = (given) => {
        if (asked === turn && (typeof given === 'boolean' || isGiven)) decide((isGiven = given === true));
      };
      try {
        look(tell)?.catch(() => tell(false));
      } catch {
        tell(false);
      }
    }

    ask();
    const names = typeof events === 'function' ? (events(ask), []) : events;
    // While it is captured, an event of the document passes the window as well.
    for (const event of names) globalThis.addEventListener(event, ask, true);
    return () => {
      // It equals nothing, not even itself, so nothing is passed on any more.
      turn = NaN;
      for (const event of names) globalThis.removeEventListener(event, ask, true);
    };
  };
  return Object.assign(source, { source: name });
}
