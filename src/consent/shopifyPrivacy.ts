import type { ConsentSource } from '../session/options.ts';

/** The customer's privacy settings, as far as they are read. */
interface CustomerPrivacy {
  readonly allowedProcessing?: { readonly marketing?: boolean };
  readonly shouldShowBanner?: boolean;
}

/** `shopify.customerPrivacy` of an extension: a value that can be subscribed to. */
export interface CustomerPrivacySignal {
  readonly value?: CustomerPrivacy | undefined;
  subscribe(listener: (value: CustomerPrivacy) => void): () => void;
}

/**
 * Decides by whether Shopify allows processing for marketing. While the customer has not answered the banner, there is no
 * decision.
 */
export function shopifyPrivacy(customerPrivacy: CustomerPrivacySignal): ConsentSource {
  const source: ConsentSource = (decide) => {
    let isGiven = false;
    function look(privacy: CustomerPrivacy | undefined): void {
      const isAllowed = privacy?.allowedProcessing?.marketing;
      if (isAllowed || isGiven || (isAllowed === false && !privacy?.shouldShowBanner))
        decide((isGiven = isAllowed === true));
    }
    look(customerPrivacy.value);
    return customerPrivacy.subscribe(look);
  };
  return Object.assign(source, { source: 'shopifyPrivacy' });
}
