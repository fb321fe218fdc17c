import type { RefCallback } from 'preact';
import type { DisplayMode } from '../wire/offers/request.ts';
import type { Asset, Footer, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from './messages.ts';

/** `auto` follows the page's own `color-scheme`, not the operating system. */
type Theme = 'light' | 'dark' | 'auto';

/** What an element shows whose visibility is measured: a product if there is an asset, else an offer, else the widget. */
export interface Viewable {
  readonly offer?: PlacedOffer;
  readonly asset?: Asset;
}

/** What the shopper did: one action per gesture. */
export type ShopperAction =
  | { type: 'accept' | 'decline' | 'next' | 'back' | 'copy' | 'product'; offer: PlacedOffer; asset?: Asset | undefined }
  | { type: 'footer'; link: 'brand' | 'privacy' }
  | { type: 'dismiss'; by: DismissedBy };

/** How the shopper closes the offers. */
type DismissedBy = 'close' | 'escape' | 'backdrop' | 'drag' | 'finished';

/** What opens above the page: a dialog stops the page, a sheet lets it be used. */
export type Layer = 'dialog' | 'sheet';

/** What each mode opens above the page, if anything. */
export const LAYERS: Readonly<Record<DisplayMode, Layer | undefined>> = {
  OVERLAY: 'dialog',
  FULLSCREEN: 'dialog',
  PULLUP: 'sheet',
  INLINE: undefined,
};

/** Offers of a list that are rendered at first: a screenful, so that nothing visible moves when the rest follows. */
export const INITIAL_LIMIT = 9;

/** All inputs of the widget. It fetches nothing, stores nothing, and reports only through `on` and `watch`. */
export interface WidgetProps {
  mode: DisplayMode;
  groups: readonly PlacedGroup[];
  footer: Footer;
  sandbox: boolean;
  messages: Messages;
  theme: Theme;
  locale: string;
  /** Called with each element whose visibility is measured, and with null when it is removed. */
  watch(subject: Viewable, element: Element | null): void;
  on(action: ShopperAction): void;
}

/** What the shopper has done so far. Together with the props it determines everything on screen. */
export interface WidgetState {
  /** Offers that were declined, or accepted and moved on from. */
  readonly passed: readonly PlacedOffer[];
  /** Offers that were accepted. */
  readonly claimed: readonly PlacedOffer[];
  /** Those of them whose page has had the time to open. */
  readonly opened: readonly PlacedOffer[];
  /** The offer whose promo code was copied last. */
  readonly copied?: PlacedOffer;
}

/** What every component of the widget gets: the props, the state and the callbacks. */
export interface WidgetView {
  props: WidgetProps;
  state: WidgetState;
  /** How many offers are rendered so far: the first ones are painted before the rest is created. */
  limit: number;
  /** Returns the ref that reports the element of `subject` to `watch`; the same ref for the same `key`. */
  seen(key: object, subject: Viewable): RefCallback<Element>;
  accept(event: MouseEvent, offer: PlacedOffer, asset?: Asset): void;
  /** Declines an offer, or moves on from an accepted one. */
  pass(event: MouseEvent, offer: PlacedOffer): void;
  back(event: MouseEvent, offer: PlacedOffer, to: PlacedOffer): void;
  copy(event: MouseEvent, offer: PlacedOffer): void;
  /** The ref of texts that may be clamped. */
  clamp: RefCallback<Element>;
  /** Shows the whole of a clamped text, or clamps it again. */
  more(event: MouseEvent): void;
  dismiss(by: DismissedBy): void;
}
