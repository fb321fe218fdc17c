import type { ConsentSource } from '../session/consent.ts';
import { pageSource } from './pageSource.ts';

/** What the vendor's script puts on the page. */
interface CookiebotPage {
  Cookiebot?: {
    /** Whether the shopper has answered the dialog. */
    readonly hasResponse?: boolean;
    readonly consent?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Decides by one of the categories of Cookiebot: `preferences`, `statistics` or `marketing`. A category that is not
 * accepted is no decision until the shopper has answered the dialog.
 */
export function cookiebot(category: string): ConsentSource {
  const events = ['CookiebotOnConsentReady', 'CookiebotOnAccept', 'CookiebotOnDecline'];
  return pageSource(`cookiebot(${category})`, events, (tell) => {
    const { Cookiebot } = globalThis as CookiebotPage;
    const given = Cookiebot?.consent?.[category] === true;
    // Where no dialog is shown, the platform accepts for the shopper, and there is no response.
    tell(given || Cookiebot?.hasResponse === true ? given : undefined);
  });
}
