import type { ShowOptions } from './options/showOptions.ts';
import { readAttributes } from './options/readAttributes.ts';
import type { Offers } from './offers.ts';
import { showOffers } from './showOffers.ts';

/** What `<offer-let>` is in a page's hands. */
export interface OfferLetElement extends HTMLElement {
  /** The mount that stands in the element; missing while it is not on a page. */
  readonly offers: Offers | undefined;
}

/**
 * Defines `<offer-let relay view display-mode …>`: offers where the element stands. A page that has it already keeps it,
 * and on a server nothing happens.
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
        // A framework that moves the element takes it out and puts it back at once: that is no end.
        queueMicrotask(() => {
          if (this.isConnected) return;
          this.offers?.destroy();
          this.offers = undefined;
        });
      }
    },
  );
}
