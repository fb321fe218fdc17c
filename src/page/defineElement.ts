import type { OfferLetElement } from './elementTypes.d.ts';
import { showOffers, type MountContext } from './showOffers.ts';
import { ATTRIBUTES, CONSENT_WORDS, readAttributes, type Offers, type ShowOptions } from './showOptions.ts';
import { own } from '../wire/json.ts';

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
      /** A denial holds for later mounts of this element. */
      #isDenied = false;
      /** Once the attribute `consent` was there, its absence means undecided. */
      #hasConsent = false;

      get offers(): Offers | undefined {
        if (this.#mount || !this.isConnected) return this.#mount;
        const options = readAttributes(this);
        if (this.#hasConsent && !('consent' in options)) options.consent = undefined;
        this.#mount = show({ ...options, target: this }, { prefix: '', isDenied: this.#isDenied });
        return this.#mount;
      }

      get consent(): string | null {
        return this.getAttribute('consent');
      }

      /** Frameworks set properties where there are some, and would leave out an attribute that is `false`. */
      set consent(value: string | boolean | null | undefined) {
        this.setAttribute('consent', value === true ? 'granted' : value === false ? 'denied' : (value ?? 'required'));
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
        const isConsent = name === 'consent';
        this.#hasConsent ||= isConsent;
        if (!this.#mount || before === now) return;
        const { outcome, request } = this.#mount.explain();
        if (isConsent && outcome?.code !== 'invalid_config') {
          const decision = own(CONSENT_WORDS, now?.trim() ?? '');
          this.#mount.consent(typeof decision === 'boolean' ? decision : undefined);
        } else if (IDENTITY.test(name) || !request) {
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
