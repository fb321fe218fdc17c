// @ts-nocheck: of the frameworks below, a project has the types of some only. What augments the others has no effect there.
// The compiler does not emit this file: the build copies it.
import type { PageEvent } from '../session/openTrace.ts';
import type { DisplayMode, View } from '../wire/offers/request.ts';
import type { Offers, ShowOptions } from './showOptions.ts';
import type { PageApi } from './openPageApi.ts';

/** An `<offer-let>` element. */
export interface OfferLetElement extends HTMLElement {
  /** The element's mount. Missing while the element is not on a page. */
  readonly offers: Offers | undefined;
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
  /** Required: the URL or path where the relay is mounted. */
  relay?: Text;
  /** Required. A change shows offers anew. */
  view?: View | null | undefined;
  /** Required. A change shows offers anew. */
  'display-mode'?: DisplayMode | null | undefined;
  'widget-id'?: Text;
  /** SHA-256 of the trimmed, lower-cased email address in lower-case hex. */
  'email-hash'?: Text;
  /** Hashed in the browser, on https pages and localhost only. */
  email?: Text;
  phone?: Text;
  'external-guid'?: Text;
  /** With it, the offers of the order are remembered for 24 hours. */
  'order-id'?: Text;
  'order-amount'?: number | Text;
  'order-currency'?: Text;
  /** Requests test offers. */
  sandbox?: boolean | Text;
  theme?: ShowOptions['theme'] | null;
  /** BCP 47 language of the widget's own texts. */
  locale?: Text;
  'max-offers'?: number | Text;
  /**
   * Nothing is requested or stored unless it is `granted`. A later change is a later decision. Without the attribute, consent is
   * given, so pass a text at once.
   */
  consent?: 'required' | 'granted' | 'denied' | undefined;
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
