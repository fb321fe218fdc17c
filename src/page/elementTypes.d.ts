// @ts-nocheck: of the frameworks below, a project has the types of some only. What augments the others has no effect there.
// The compiler does not emit this file: the build copies it.
import type { PageEvent } from '../session/openTrace.ts';
import type { DisplayMode, View } from '../wire/offers/request.ts';
import type { Mount } from './showOptions.ts';
import type { PageApi } from './openPageApi.ts';

/** An `<offer-let>` element. */
export interface OfferLetElement extends HTMLElement {
  /** The element's mount. Missing while the element is not on a page. */
  readonly mount: Mount | undefined;
  /** The attribute. `true` and `false` stand for `granted` and `denied`, nothing for `required`. */
  get consent(): string | null;
  set consent(value: string | boolean | null | undefined);
  // Each of the other attributes, as a property. `true` sets it without a value; `false`, `null` and `undefined` remove it.
  relay: Text;
  view: View | null | undefined;
  displayMode: DisplayMode | null | undefined;
  widgetId: Text;
  emailHash: Text;
  email: Text;
  phone: Text;
  externalGuid: Text;
  orderId: number | Text;
  orderAmount: number | Text;
  orderCurrency: Text;
  sandbox: boolean | Text;
  theme: OfferLetAttributes['theme'];
  locale: Text;
  maxOffers: number | Text;
}

type Text = string | null | undefined;

/** The attributes of `<offer-let>` in a template. Identity is at most one of `email-hash`, `email`, `phone` and `external-guid`. */
export interface OfferLetAttributes {
  /** Required: the URL or path where your relay is mounted. */
  relay?: Text;
  /** Required: the page that the element is on. A change shows offers anew. */
  view?: View | null | undefined;
  /** Required: how offers are shown. A change shows offers anew. */
  'display-mode'?: DisplayMode | null | undefined;
  /** A name for the placement. Reports can group by it. */
  'widget-id'?: Text;
  /** Identifies the shopper: SHA-256 of the trimmed, lower-cased email address in lower-case hex. */
  'email-hash'?: Text;
  /** Identifies the shopper. Hashed in the browser, on https pages and localhost only; only the hash leaves it. */
  email?: Text;
  /** Identifies the shopper by a phone number. */
  phone?: Text;
  /** Identifies the shopper by an id of yours. */
  'external-guid'?: Text;
  /** The order. With it, the offers of the order are remembered for 24 hours. */
  'order-id'?: Text;
  /** The total of the order, such as `42.50`. */
  'order-amount'?: number | Text;
  /** ISO 4217 code of the total. */
  'order-currency'?: Text;
  /** Requests test offers. `false` turns it off. */
  sandbox?: boolean | Text;
  /** By default `auto`, the page's `color-scheme`. */
  theme?: 'auto' | 'light' | 'dark' | null | undefined;
  /** BCP 47 language of the widget's own texts. By default the page's `lang`. */
  locale?: Text;
  /** Maximum number of offers to show. By default all. */
  'max-offers'?: number | Text;
  /**
   * The shopper's consent, or the consent platform that has it, such as `onetrust:C0004`. Unless it is given, nothing is requested
   * or stored. A later change is a later decision. Without
   * the attribute, consent is given, unless the browser sends Global Privacy Control.
   */
  consent?: 'required' | 'granted' | 'denied' | 'gpp' | `${string}:${string}` | undefined;
}

interface Listening {
  onofferlet?: ((event: CustomEvent<PageEvent>) => void) | undefined;
}

declare global {
  interface HTMLElementTagNameMap {
    'offer-let': OfferLetElement;
  }
  interface GlobalEventHandlersEventMap {
    offerlet: CustomEvent<PageEvent>;
  }
  interface Window {
    /** The API of the script tag. Before the script has loaded it is an array, in which calls wait. */
    offerlet?: Pick<PageApi, 'push'> & Partial<PageApi>;
  }
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'offer-let': DetailedHTMLProps<HTMLAttributes<OfferLetElement>, OfferLetElement> & OfferLetAttributes & Listening;
    }
  }
}

declare module 'preact' {
  namespace createElement.JSX {
    interface IntrinsicElements {
      'offer-let': import('preact').HTMLAttributes<OfferLetElement> & OfferLetAttributes & Listening;
    }
  }
}

declare module 'solid-js/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'offer-let': HTMLAttributes<OfferLetElement> & OfferLetAttributes & { 'on:offerlet'?: Listening['onofferlet'] };
    }
  }
}

declare module 'vue' {
  interface GlobalComponents {
    'offer-let': new () => {
      $props: import('vue').HTMLAttributes & OfferLetAttributes & { onOfferlet?: Listening['onofferlet'] };
    };
  }
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'offer-let': HTMLAttributes<OfferLetElement> & OfferLetAttributes & Listening;
  }
}
