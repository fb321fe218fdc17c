import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

/** What the vendor's script puts on the page. */
interface OneTrustPage {
  /** The active groups, as `,C0001,C0004,`. Missing until the script has loaded. */
  OnetrustActiveGroups?: unknown;
  OneTrust?: { IsAlertBoxClosed?(): boolean };
}

/**
 * Decides by one of the categories of OneTrust, such as `C0004`. While the shopper has not answered the banner, an
 * inactive category is no decision.
 */
export function oneTrust(category: string): ConsentSource {
  return pageSource(`oneTrust(${category})`, ['OneTrustGroupsUpdated'], (tell) => {
    const { OnetrustActiveGroups: groups, OneTrust } = globalThis as OneTrustPage;
    if (typeof groups !== 'string') return;
    const isActive = groups.split(',').includes(category);
    tell(isActive || OneTrust?.IsAlertBoxClosed?.() !== false ? isActive : undefined);
  });
}
