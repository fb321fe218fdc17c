import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

/** What version 3 of the vendor's script puts on the page, and version 2 as `UC_UI`. */
interface UsercentricsPage {
  __ucCmp?: {
    isConsentRequired(): Promise<unknown>;
    getConsentDetails(): Promise<{
      readonly categories?: Readonly<Record<string, { readonly state?: unknown }>>;
      readonly services?: Readonly<Record<string, { readonly consent?: { readonly given?: unknown } }>>;
    }>;
  };
  UC_UI?: {
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
    if ((await (cmp ?? ui)?.isConsentRequired?.()) !== false) return tell(undefined);
    if (cmp) {
      const { categories, services } = await cmp.getConsentDetails();
      return tell(categories?.[id]?.state === 'ALL_ACCEPTED' || services?.[id]?.consent?.given === true);
    }
    const mine = ui?.getServicesBaseInfo?.().filter((each) => each.id === id || each.categorySlug === id) ?? [];
    tell(mine.length > 0 && mine.every(({ consent }) => consent?.status === true));
  });
}
