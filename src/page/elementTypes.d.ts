// @ts-nocheck: of the frameworks below, a project has the types of some only. What augments the others has no effect there.
// The compiler does not emit this file: the build copies it, with a comment for each attribute.
import type { PageEvent } from '../session/openTrace.ts';
import type { PageAttributes, RequestAttributes, SharedAttributes } from '../session/checkOptions.ts';
import type { Mount } from './showOptions.ts';
import type { PageApi } from './openPageApi.ts';

/** What attributes say, by the names of options. */
type Said = RequestAttributes & SharedAttributes & PageAttributes;
type Value<T> = T | null | undefined | (NonNullable<T> extends boolean | number ? string : never);

/** The attributes as properties. `true` sets one without a value; `false`, `null` and `undefined` remove it. */
type Properties = { [Name in keyof Said as Joined<Name>]-?: Value<Said[Name]> };
type Joined<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Joined<Rest>>}`
  : Name;

type Attributes = { [Name in keyof Said as Hyphened<Name>]?: Value<Said[Name]> };
type Hyphened<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends '_' ? '-' : First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Hyphened<Rest>}`
  : Name;

/** An `<offer-let>` element. */
export interface OfferLetElement extends HTMLElement, Properties {
  /** The element's mount. Missing while the element is not on a page. */
  readonly mount: Mount | undefined;
  /** The attribute. `true` and `false` stand for `granted` and `denied`, nothing for `required`. */
  get consent(): string | null;
  set consent(value: string | boolean | null | undefined);
}

/** The attributes of `<offer-let>` in a template. Identity is at most one of `email-hash`, `email`, `phone` and `external-guid`. */
export interface OfferLetAttributes extends Attributes {
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
