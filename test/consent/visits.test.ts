// @vitest-environment happy-dom
// First and later visits on each platform. The steps are those of the platforms' own scripts, in their order: what is set, then
// the events. docs/guides/platforms.md says which scripts were read, and which were not to be had.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  complianz,
  cookiebot,
  cookieYes,
  didomi,
  googleConsentMode,
  oneTrust,
  usercentrics,
  wpConsent,
  type ConsentSource,
} from '../../src/consent.ts';
import { listen } from './listen.ts';

const page = globalThis as Record<string, unknown> & typeof globalThis;
const own = new Set(Object.keys(page));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  for (const name of Object.keys(page)) if (!own.has(name)) delete page[name];
});

type Choice = 'accepted' | 'refused';
/** Something that a script does in one task. */
type Step = () => unknown;

interface Platform {
  readonly source: () => ConsentSource;
  /** What its script does on a page, where the shopper has made a choice on an earlier one or not. */
  load(before: Choice | undefined): readonly Step[];
  choose(choice: Choice): readonly Step[];
  /** It reads its cookie again each time, so it knows what was chosen in another tab. */
  readonly cookies?: Map<string, string>;
}

const fire = (...names: string[]): void => names.forEach((name) => document.dispatchEvent(new CustomEvent(name)));
const fireOnWindow = (...names: string[]): void => names.forEach((name) => window.dispatchEvent(new Event(name)));
const allow = (choice: Choice | undefined): string =>
  choice === 'accepted' ? 'allow' : choice === 'refused' ? 'deny' : '';

function complianzPage(): Platform {
  const cookies = new Map<string, string>();
  return {
    source: () => complianz('marketing'),
    cookies,
    load(before) {
      if (before) cookies.set('marketing', allow(before)).set('banner-status', 'dismissed');
      return [
        () => {
          page.cmplz_get_cookie = (name: string) => cookies.get(name) ?? '';
          page.cmplz_has_consent = (category: string) => cookies.get(category) === 'allow';
        },
        // After the request for the visitor's region.
        () => {
          page.wp_consent_type = 'optin';
          fire('wp_consent_type_defined', 'cmplz_before_cookiebanner', 'cmplz_cookie_banner_data');
          fire('cmplz_fire_categories', 'cmplz_banner_status', 'cmplz_cookie_warning_loaded');
        },
      ];
    },
    choose: (choice) => [
      () => {
        for (const category of ['statistics', 'marketing']) {
          cookies.set(category, allow(choice));
          fire('cmplz_status_change');
        }
        cookies.set('banner-status', 'dismissed');
        fire('cmplz_banner_status', 'cmplz_fire_categories');
      },
    ],
  };
}

function wordPressPage(): Platform {
  const cookies = new Map<string, string>();
  return {
    source: () => wpConsent('marketing'),
    cookies,
    load(before) {
      if (before) cookies.set('wp_consent_marketing', allow(before));
      return [
        () => {
          page.consent_api = { cookie_prefix: 'wp_consent' };
          page.consent_api_get_cookie = (name: string) => cookies.get(name) ?? '';
          page.waitfor_consent_hook = true;
          page.wp_fallback_consent_type = '';
          // Before the law is known, everything is allowed.
          page.wp_has_consent = (category: string) =>
            !page.wp_consent_type || cookies.get(`wp_consent_${category}`) === 'allow';
        },
        () => {
          page.wp_consent_type = 'optin';
          fire('wp_consent_type_defined');
        },
      ];
    },
    choose: (choice) => [
      () => {
        cookies.set('wp_consent_marketing', allow(choice));
        fire('wp_listen_for_consent_change');
      },
    ],
  };
}

function oneTrustPage(): Platform {
  const setGroups = (choice: Choice | undefined): void => {
    page.OnetrustActiveGroups = choice === 'accepted' ? ',C0001,C0004,' : ',C0001,';
  };
  let isClosed = false;
  return {
    source: () => oneTrust('C0004'),
    load(before) {
      isClosed = before !== undefined;
      const sdk = (): void => void (page.OneTrust = { IsAlertBoxClosed: () => isClosed });
      // Package 202504.1.0: on a later visit, nothing follows the script with the banner.
      return before
        ? [() => setGroups(before), () => fireOnWindow('consent.onetrust', 'OneTrustGroupsUpdated'), sdk]
        : [
            () => void (page.OnetrustActiveGroups = ',,'),
            sdk,
            () => [setGroups(undefined), fireOnWindow('consent.onetrust', 'OneTrustGroupsUpdated')],
          ];
    },
    choose: (choice) => [
      () => {
        isClosed = true;
        setGroups(choice);
        fireOnWindow('consent.onetrust', 'OneTrustGroupsUpdated');
      },
    ],
  };
}

function cookiebotPage(): Platform {
  const set = (choice: Choice | undefined): void => {
    page.Cookiebot = { consent: { marketing: choice === 'accepted' }, hasResponse: choice !== undefined };
  };
  const told = (choice: Choice): string => (choice === 'accepted' ? 'CookiebotOnAccept' : 'CookiebotOnDecline');
  return {
    source: () => cookiebot('marketing'),
    load: (before) => [
      () => set(undefined),
      before
        ? () => [set(before), fireOnWindow('CookiebotOnConsentReady', 'CookiebotOnLoad', told(before))]
        : () => fireOnWindow('CookiebotOnLoad', 'CookiebotOnDialogInit', 'CookiebotOnDialogDisplay'),
    ],
    choose: (choice) => [() => [set(choice), fireOnWindow('CookiebotOnConsentReady', told(choice))]],
  };
}

function cookieYesPage(): Platform {
  let activeLaw = '';
  let chosen: Choice | undefined;
  return {
    source: () => cookieYes('advertisement'),
    load(before) {
      chosen = before;
      const setUp = (): void => {
        page.getCkyConsent = () => ({
          activeLaw,
          categories: { advertisement: chosen === 'accepted' },
          isUserActionCompleted: chosen !== undefined,
        });
      };
      const banner = (): void => {
        activeLaw = 'gdpr';
        if (!before) fire('cookieyes_consent_update');
        fire('cookieyes_banner_load');
      };
      return [setUp, banner];
    },
    choose: (choice) => [() => [(chosen = choice), fire('cookieyes_consent_update')]],
  };
}

function usercentricsPage(version: 2 | 3): Platform {
  let chosen: Choice | undefined;
  let isInitialized = false;
  const services = (): object[] => [{ id: 's', categorySlug: 'marketing', consent: { status: chosen === 'accepted' } }];
  const state = (): string => (chosen === 'accepted' ? 'ALL_ACCEPTED' : 'ALL_DENIED');
  return {
    source: () => usercentrics('marketing'),
    load(before) {
      chosen = before;
      const api =
        version === 2
          ? {
              isInitialized: () => isInitialized,
              isConsentRequired: () => !chosen,
              getServicesBaseInfo: () => (isInitialized ? services() : []),
            }
          : {
              isInitialized: async () => isInitialized,
              isConsentRequired: async () => isInitialized && !chosen,
              getConsentDetails: async () => ({ categories: { marketing: { state: state() } } }),
            };
      return [
        () => [(page[version === 2 ? 'UC_UI' : '__ucCmp'] = api), fireOnWindow('UC_CMP_API_READY')],
        () => [(isInitialized = true), fireOnWindow('UC_UI_INITIALIZED')],
      ];
    },
    choose: (choice) => [() => [(chosen = choice), fireOnWindow('UC_UI_CMP_EVENT', 'UC_CONSENT')]],
  };
}

function didomiPage(): Platform {
  let chosen: Choice | undefined;
  const listeners: (() => void)[] = [];
  return {
    source: () => didomi('ads'),
    load(before) {
      chosen = before;
      return [
        () => {
          page.Didomi = {
            shouldUserStatusBeCollected: () => !chosen,
            getCurrentUserStatus: () => ({ purposes: { ads: { enabled: chosen === 'accepted' } } }),
          };
          // What waits in the lists is called, and what comes later at once.
          const ready = (page.didomiOnReady ?? []) as Step[];
          const listening = (page.didomiEventListeners ?? []) as { listener: () => void }[];
          listeners.push(...listening.map(({ listener }) => listener));
          page.didomiOnReady = { push: (listener: Step) => listener() };
          page.didomiEventListeners = { push: (each: { listener: () => void }) => listeners.push(each.listener) };
          ready.forEach((listener) => listener());
        },
      ];
    },
    choose: (choice) => [() => [(chosen = choice), listeners.forEach((listener) => listener())]],
  };
}

function googlePage(): Platform {
  const push = (...command: unknown[]): unknown => ((page.dataLayer ??= []) as unknown[]).push(command);
  const update = (choice: Choice): unknown =>
    push('consent', 'update', { ad_storage: choice === 'accepted' ? 'granted' : 'denied' });
  return {
    source: () => googleConsentMode('ad_storage'),
    load: (before) => [() => push('consent', 'default', { ad_storage: 'denied' }), () => before && update(before)],
    choose: (choice) => [() => update(choice)],
  };
}

const PLATFORMS: readonly (() => Platform)[] = [
  complianzPage,
  wordPressPage,
  oneTrustPage,
  cookiebotPage,
  cookieYesPage,
  () => usercentricsPage(2),
  () => usercentricsPage(3),
  didomiPage,
  googlePage,
];

/** Lets what is awaited arrive, and polls happen, after each step. */
async function take(steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    step();
    await vi.advanceTimersByTimeAsync(300);
  }
}

/** The decisions of a visit. `slow`: the platform's script runs after ours. */
async function visit(open: () => Platform, isSlow: boolean, before?: Choice) {
  const platform = open();
  if (!isSlow) await take(platform.load(before));
  const { decisions, stop } = listen(platform.source());
  await take([() => {}]);
  if (isSlow) await take(platform.load(before));
  return { platform, decisions, stop };
}

for (const open of PLATFORMS)
  for (const isSlow of [false, true])
    test(`${open().source().source}, ${isSlow ? 'slow' : 'fast'}: first visit, later visits, and a changed mind`, async () => {
      for (const before of ['accepted', 'refused'] as const) {
        const later = await visit(open, isSlow, before);
        expect(new Set(later.decisions), `${before} before`).toEqual(new Set([before === 'accepted']));
        later.stop();
        for (const name of Object.keys(page)) if (!own.has(name)) delete page[name];
      }
      const { platform, decisions, stop } = await visit(open, isSlow);
      expect(decisions, 'before a choice').toEqual([]);
      await take(platform.choose('refused'));
      expect(decisions.at(-1)).toBe(false);
      await take(platform.choose('accepted'));
      expect(decisions.at(-1)).toBe(true);
      await take(platform.choose('refused'));
      expect(decisions.at(-1)).toBe(false);
      stop();
      const ended = decisions.length;
      await take(platform.choose('accepted'));
      expect(decisions).toHaveLength(ended);
    });

for (const open of PLATFORMS)
  test(`${open().source().source}: a choice in another tab counts when the shopper returns, where the platform knows it`, async () => {
    const { platform, decisions, stop } = await visit(open, true, 'accepted');
    const { cookies } = platform;
    const before = decisions.length;
    for (const name of cookies?.keys() ?? []) if (name.includes('marketing')) cookies?.set(name, 'deny');
    await take([() => fire('visibilitychange')]);
    // Otherwise nothing is said again: consent that was withdrawn in another tab stays so.
    expect(decisions.slice(before)).toEqual(cookies ? [false] : []);
    stop();
  });

test('CookieYes gives consent where it shows no banner, which it says once it has loaded', async () => {
  const { decisions, stop } = listen(cookieYes('advertisement'));
  const consent = { activeLaw: '', categories: { advertisement: true }, isUserActionCompleted: false };
  await take([() => (page.getCkyConsent = () => consent), () => fire('cookieyes_consent_update')]);
  expect(decisions).toEqual([]);
  await take([() => fire('cookieyes_banner_load')]);
  expect(decisions).toEqual([true]);
  stop();
});
