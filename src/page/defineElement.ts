import type { ShowOptions } from './options/showOptions.ts';
import { readAttributes } from './options/readAttributes.ts';
import type { Offers } from './offers.ts';
import { showOffers } from './showOffers.ts';

/** An `<offer-let>` element. */
export interface OfferLetElement extends HTMLElement {
  /** The element's mount. Missing while the element is not on a page. */
  readonly offers: Offers | undefined;
}

/**
 * Defines `<offer-let relay view display-mode …>`, which shows offers in its place. Does nothing on a server, or if the page
 * has already defined it.
 */
export function defineElement(show: (options: ShowOptions) => Offers = showOffers): void {
  if (typeof customElements === 'undefined' || customElements.get('offer-let')) return;
  customElements.define(
    'offer-let',
    class extends HTMLElement implements OfferLetElement {
      offers: Offers | undefined;

      connectedCallback(): void {
        this.offers ??= show({ ...readAttributes(this), target: this });
      }

      disconnectedCallback(): void {
        // A framework that moves the element removes it and inserts it at once.
        queueMicrotask(() => {
          if (this.isConnected) return;
          this.offers?.destroy();
          this.offers = undefined;
        });
      }
    },
  );
}
