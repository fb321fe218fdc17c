import type { OfferLetElement } from './elementTypes.d.ts';
import { ATTRIBUTES, readAttributes } from './readAttributes.ts';
import { showOffers, type MountContext } from './showOffers.ts';
import type { Offers, ShowOptions } from './showOptions.ts';

/** Attributes of which a change requests offers anew. */
const IDENTITY = /^(view|display-mode|order-id)$/;

/**
 * Defines `<offer-let relay view display-mode …>`, which shows offers in its place. Does nothing on a server, or if the page
 * has already defined it.
 */
export function defineElement(show: (options: ShowOptions, context: MountContext) => Offers = showOffers): void {
  if (typeof customElements === 'undefined' || customElements.get('offer-let')) return;
  customElements.define(
    'offer-let',
    class extends HTMLElement implements OfferLetElement {
      static readonly observedAttributes = ATTRIBUTES;
      #mount: Offers | undefined;
      /** A no holds for later mounts of this element. */
      #isDenied = false;

      get offers(): Offers | undefined {
        if (!this.#mount && this.isConnected)
          this.#mount = show({ ...readAttributes(this), target: this }, { prefix: '', isDenied: this.#isDenied });
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
        if (IDENTITY.test(name) || !this.#mount.explain().request) {
          this.#end();
          this.connectedCallback();
        }
      }

      #end(): void {
        const isGiven = this.#mount?.explain().consent?.isGiven;
        if (isGiven !== undefined) this.#isDenied = !isGiven;
        this.#mount?.destroy();
        this.#mount = undefined;
      }
    },
  );
}
