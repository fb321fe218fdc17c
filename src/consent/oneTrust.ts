import type { ConsentSource } from '../session/consent.ts';

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
  const source: ConsentSource = (decide) => {
    const page = globalThis as typeof globalThis & OneTrustPage;
    let isGiven = false;

    function look(): void {
      const groups = page.OnetrustActiveGroups;
      if (typeof groups !== 'string') return;
      const isActive = groups.split(',').includes(category);
      if (isActive || isGiven || page.OneTrust?.IsAlertBoxClosed?.() !== false) decide((isGiven = isActive));
    }

    look();
    // Whenever the script has loaded, and whenever the shopper changes something.
    page.addEventListener('OneTrustGroupsUpdated', look);
    return () => page.removeEventListener('OneTrustGroupsUpdated', look);
  };
  return Object.assign(source, { source: `oneTrust(${category})` });
}
