import { ATTRIBUTES, readAttributes } from './options/readAttributes.ts';
import type { ShowOptions } from './options/showOptions.ts';
import type { OfferLetElement } from './elementTypes.d.ts';
import type { Offers } from './offers.ts';
import { showOffers } from './showOffers.ts';

/**
 * Defines `<offer-let relay view display-mode …>`, which shows offers in its place. Does nothing on a server, or if the page
 * has already defined it.
 */
export function defineElement(show: (options: ShowOptions) => Offers = showOffers): void {
  if (typeof customElements === 'undefined' || customElements.get('offer-let')) return;
  customElements.define(
    'offer-let',
    class extends HTMLElement implements OfferLetElement {
      static readonly observedAttributes = ATTRIBUTES;
      #mount: Offers | undefined;
      /** A no holds for later mounts of this element. */
      #isDenied = false;

      get offers(): Offers | undefined {
        if (!this.#mount && this.isConnected) {
          const offers = show({ ...readAttributes(this), target: this, ...(this.#isDenied && { consent: false }) });
          const { consent } = offers;
          offers.consent = (isGiven) => consent(!(this.#isDenied = !isGiven));
          this.#mount = offers;
        }
        return this.#mount;
      }

      connectedCallback(): void {
        // Some frameworks insert the element first, and set its attributes afterwards.
        queueMicrotask(() => this.offers);
      }

      disconnectedCallback(): void {
        // A framework that moves the element removes it and inserts it at once.
        queueMicrotask(() => this.isConnected || this.#end());
      }

      attributeChangedCallback(name: string, before: string | null, now: string | null): void {
        if (!this.#mount || before === now) return;
        if (/^(view|display-mode)$/.test(name) || !this.#mount.explain().asked) {
          this.#end();
          this.connectedCallback();
        }
      }

      #end(): void {
        this.#mount?.destroy();
        this.#mount = undefined;
      }
    },
  );
}
