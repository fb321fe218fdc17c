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
  return pageSource(`complianz(${category})`, events, () => {
    const page = globalThis as ComplianzPage;
    // Until the law is known, the script assumes that of the shop's own country.
    if (typeof page.wp_consent_type !== 'string' || !page.cmplz_has_consent) return undefined;
    const isAnswered = page.wp_consent_type === 'optout' || page.cmplz_get_cookie?.('banner-status') === 'dismissed';
    return page.cmplz_has_consent(category) === true || (isAnswered ? false : null);
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
  return pageSource(`cookiebot(${category})`, events, () => {
    const { Cookiebot } = globalThis as CookiebotPage;
    // Where no dialog is shown, the platform accepts for the shopper, and `hasResponse` is false.
    return Cookiebot && (Cookiebot.consent?.[category] === true || (Cookiebot.hasResponse === true ? false : null));
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
 * Decides by one of the categories of CookieYes, such as `advertisement`. Under `ccpa`, and where no banner is shown, the
 * category is accepted until the shopper opts out. Under other laws there is no decision until the shopper makes a choice.
 */
export function cookieYes(category: string): ConsentSource {
  const loaded = 'cookieyes_banner_load';
  return pageSource(`cookieYes(${category})`, [loaded, 'cookieyes_consent_update'], (event) => {
    const consent = (globalThis as CookieYesPage).getCkyConsent?.();
    // There is no law before the platform has loaded, either.
    const isAssumed = consent?.activeLaw === 'ccpa' || (consent?.activeLaw === '' && event?.type === loaded);
    const isAnswered = consent?.isUserActionCompleted === true || isAssumed;
    return isAnswered ? consent?.categories?.[category] === true : consent && null;
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
  return pageSource(`didomi(${id})`, subscribe, () => {
    const { Didomi } = page;
    // It calls what is in its lists, even late.
    if (Didomi?.shouldUserStatusBeCollected?.() !== false) return null;
    const { purposes, vendors } = Didomi.getCurrentUserStatus?.() ?? {};
    const mine = [purposes?.[id], vendors?.[id]].filter((status) => status);
    return mine.length > 0 && mine.every((status) => status?.enabled === true);
  });
}

/** What the vendor's script puts on the page. */
interface OneTrustPage {
  /** The active groups, as `,C0001,C0004,`. The stub sets it to `,,` before the script that shows the banner. */
  OnetrustActiveGroups?: unknown;
  OneTrust?: { IsAlertBoxClosed?(): boolean };
}

/**
 * Decides by one of the categories of OneTrust, such as `C0004`. An active category is consent. An inactive one is undecided
 * until the script with the banner has loaded and the shopper has made a choice.
 */
export function oneTrust(category: string): ConsentSource {
  return pageSource(`oneTrust(${category})`, ['OneTrustGroupsUpdated', 'consent.onetrust'], () => {
    const { OnetrustActiveGroups: groups, OneTrust } = globalThis as OneTrustPage;
    if (typeof groups !== 'string') return undefined;
    // For a returning shopper, the stub sets the groups and dispatches the event, and no other event follows.
    // Between the first two commas is an empty text, which is no category.
    if (category && groups.split(',').includes(category)) return true;
    const isClosed = OneTrust?.IsAlertBoxClosed?.();
    return isClosed === true ? false : isClosed === undefined ? undefined : null;
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
  return pageSource(`usercentrics(${id})`, events, async () => {
    const { __ucCmp: cmp, UC_UI: ui } = globalThis as UsercentricsPage;
    const api = cmp ?? ui;
    // Before, no choice is required and no service is known.
    if (!api || (await api.isInitialized?.()) === false) return undefined;
    if ((await api.isConsentRequired?.()) !== false) return null;
    if (cmp) {
      const { categories, services } = await cmp.getConsentDetails();
      return categories?.[id]?.state === 'ALL_ACCEPTED' || services?.[id]?.consent?.given === true;
    }
    const mine = ui?.getServicesBaseInfo?.().filter((each) => each.id === id || each.categorySlug === id) ?? [];
    return mine.length > 0 && mine.every(({ consent }) => consent?.status === true);
  });
}

/** What WordPress and its consent plugins put on the page. */
interface WordPressPage {
  /** Which law applies, such as `optin`: set by a plugin's script, or else by the server. */
  wp_consent_type?: unknown;
  wp_fallback_consent_type?: unknown;
  /** Whether a plugin's script will set it. */
  waitfor_consent_hook?: unknown;
  wp_has_consent?(category: string): unknown;
  consent_api?: { readonly cookie_prefix?: unknown };
  consent_api_get_cookie?(name: string): unknown;
}

/**
 * Decides by one of the categories of the WP Consent API, such as `marketing`, which consent plugins for WordPress set. Where
 * the shopper has to opt in, there is no decision until the shopper makes a choice.
 */
export function wpConsent(category: string): ConsentSource {
  return pageSource(`wpConsent(${category})`, ['wp_consent_type_defined', 'wp_listen_for_consent_change'], () => {
    const page = globalThis as WordPressPage;
    const type = page.wp_consent_type ?? (page.waitfor_consent_hook ? undefined : page.wp_fallback_consent_type);
    if (!page.wp_has_consent || type === undefined) return undefined;
    const choice = page.consent_api_get_cookie?.(`${String(page.consent_api?.cookie_prefix)}_${category}`);
    return page.wp_has_consent(category) === true || (choice === 'deny' ? false : null);
  });
}

/** What a platform says. `null`: it has not decided yet, and an event follows. `undefined`: it has not loaded yet. */
type Verdict = boolean | null | undefined;

/** Milliseconds between polls for a platform that has not loaded yet: some dispatch their events before they can be read. */
const POLL_MS = 250;

/**
 * Returns a source that looks at a platform at once, until it has loaded, and after each of its events. Consent that was
 * given ends with anything but `true`. A platform that throws has denied it.
 */
function pageSource(
  name: string,
  /** Names of events of the window or the document, or a function that subscribes and cannot unsubscribe. */
  events: readonly string[] | ((ask: () => void) => void),
  look: (event: Event | undefined) => Verdict | Promise<Verdict>,
): ConsentSource {
  const source: ConsentSource = (decide) => {
    let decided: boolean | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** A result that something newer has overtaken is ignored. */
    let turn = 0;

    function ask(event?: Event): void {
      const asked = ++turn;
      clearTimeout(timer);
      const tell = (verdict: Verdict): void => {
        if (asked !== turn) return;
        if (verdict === undefined) timer = setTimeout(ask, POLL_MS);
        const given = verdict ?? (decided ? false : undefined);
        // Platforms that read a cookie know what was chosen in another tab. Others say again what was true before it.
        if (given !== undefined && (given !== decided || event?.type !== SHOWN)) decide((decided = given));
      };
      try {
        const verdict = look(event);
        if (typeof verdict === 'object' && verdict) verdict.then(tell, () => tell(false));
        else tell(verdict);
      } catch {
        tell(false);
      }
    }

    ask();
    const names = [...(typeof events === 'function' ? (events(ask), []) : events), SHOWN];
    // While it is captured, an event of the document passes the window as well.
    for (const event of names) globalThis.addEventListener(event, ask, true);
    return () => {
      // It equals nothing, not even itself, so nothing is passed on any more.
      turn = NaN;
      clearTimeout(timer);
      for (const event of names) globalThis.removeEventListener(event, ask, true);
    };
  };
  return Object.assign(source, { source: name });
}

/** The shopper returns to this tab, or leaves it. */
const SHOWN = 'visibilitychange';
