import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

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
