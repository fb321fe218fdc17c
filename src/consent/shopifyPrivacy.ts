import type { ConsentSource } from '../session/consent.ts';

/** The customer's privacy settings, as far as they are read. */
interface CustomerPrivacy {
  readonly allowedProcessing?: { readonly marketing?: boolean; readonly saleOfData?: boolean };
  readonly shouldShowBanner?: boolean;
}

/** `shopify.customerPrivacy` of an extension: a value that can be subscribed to. */
export interface CustomerPrivacySignal {
  readonly value?: CustomerPrivacy | undefined;
  subscribe(listener: (value: CustomerPrivacy) => void): () => void;
}

/**
 * Decides by whether Shopify allows marketing and the sale of data, which is Shopify's term for giving data to third
 * parties. There is no decision until the customer makes a choice in the banner.
 */
export function shopifyPrivacy(customerPrivacy: CustomerPrivacySignal): ConsentSource {
  const source: ConsentSource = (decide) => {
    let isGiven = false;
    function look(privacy: CustomerPrivacy | undefined): void {
      const { marketing, saleOfData } = privacy?.allowedProcessing ?? {};
      const isAllowed = marketing === true && saleOfData === true;
      const isRefused = marketing === false || saleOfData === false;
      if (isAllowed || isGiven || (isRefused && !privacy?.shouldShowBanner)) decide((isGiven = isAllowed));
    }
    look(customerPrivacy.value);
    return customerPrivacy.subscribe(look);
  };
  return Object.assign(source, { source: 'shopifyPrivacy' });
}
