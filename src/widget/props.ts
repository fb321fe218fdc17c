import type { DisplayMode } from '../wire/offers/request.ts';
import type { Asset, Footer, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from './messages.ts';

/** `auto` follows the page's own `color-scheme`, not the operating system. */
export type Theme = 'light' | 'dark' | 'auto';

/** What an element shows whose visibility is measured. */
export type Viewable =
  | { kind: 'widget' }
  | { kind: 'offer'; offer: PlacedOffer }
  | { kind: 'product'; offer: PlacedOffer; asset: Asset };

/** What the shopper did: one action per gesture. */
export type ShopperAction =
  | { type: 'accept'; offer: PlacedOffer; asset?: Asset }
  | { type: 'decline'; offer: PlacedOffer }
  | { type: 'next'; offer: PlacedOffer }
  | { type: 'back'; offer: PlacedOffer }
  | { type: 'product'; offer: PlacedOffer; asset: Asset }
  | { type: 'footer'; link: 'brand' | 'privacy' }
  | { type: 'copy'; offer: PlacedOffer }
  | { type: 'dismiss'; by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished' };

/** What each mode opens above the page: a dialog stops the page, a sheet lets it be used. */
export const LAYERS: Readonly<Record<DisplayMode, 'dialog' | 'sheet' | undefined>> = {
  OVERLAY: 'dialog',
  FULLSCREEN: 'dialog',
  PULLUP: 'sheet',
  INLINE: undefined,
};

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
