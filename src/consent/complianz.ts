import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

/** What the vendor's script puts on the page. */
interface ComplianzPage {
  /** Which law applies to the shopper, such as `optin`. Missing until the script knows. */
  wp_consent_type?: unknown;
  cmplz_has_consent?(category: string): unknown;
  cmplz_get_cookie?(name: string): unknown;
}

/**
 * Decides by one of the categories of Complianz, such as `marketing`. Where the shopper has to opt in, a category without
 * consent is no decision until the banner is dismissed; elsewhere it is accepted until the shopper opts out.
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
    if (typeof page.wp_consent_type !== 'string') return tell(undefined);
    const given = page.cmplz_has_consent?.(category) === true;
    const isAnswered = page.wp_consent_type === 'optout' || page.cmplz_get_cookie?.('banner-status') === 'dismissed';
    tell(given || isAnswered ? given : undefined);
  });
}
