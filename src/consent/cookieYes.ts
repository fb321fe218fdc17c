import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

/** What the vendor's script puts on the page. */
interface CookieYesPage {
  getCkyConsent?(): {
    /** The law that decides what is assumed before the shopper answers, such as `gdpr`. */
    readonly activeLaw?: string;
    readonly isUserActionCompleted?: boolean;
    readonly categories?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Decides by one of the categories of CookieYes, such as `advertisement`. Before the shopper has answered the banner, there
 * is no decision, unless the law is `ccpa`, where the category is accepted until the shopper opts out.
 */
export function cookieYes(category: string): ConsentSource {
  const events = ['cookieyes_banner_load', 'cookieyes_consent_update'];
  return pageSource(`cookieYes(${category})`, events, (tell) => {
    const consent = (globalThis as CookieYesPage).getCkyConsent?.();
    const isAnswered = consent?.isUserActionCompleted === true || consent?.activeLaw === 'ccpa';
    tell(isAnswered ? consent.categories?.[category] === true : undefined);
  });
}
