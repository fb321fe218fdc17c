import type { DisplayMode } from '../wire/offers/request.ts';
import type { Asset, Footer, PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';
import type { Messages } from './messages/messages.ts';

/** `auto` follows the page's own `color-scheme`, not the operating system. */
export type Theme = 'light' | 'dark' | 'auto';

/** What an element stands for whose visibility is judged. */
export type Subject =
  | { kind: 'widget' }
  | { kind: 'offer'; offer: PlacedOffer }
  | { kind: 'product'; offer: PlacedOffer; asset: Asset };

/** What the shopper did, once per gesture. */
export type Action =
  | { type: 'accept'; offer: PlacedOffer; asset?: Asset }
  | { type: 'decline'; offer: PlacedOffer }
  | { type: 'next'; offer: PlacedOffer }
  | { type: 'back'; offer: PlacedOffer }
  | { type: 'product'; offer: PlacedOffer; asset: Asset }
  | { type: 'footer'; link: 'brand' | 'privacy' }
  | { type: 'copy'; offer: PlacedOffer }
  | { type: 'dismiss'; by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished' };

/** Everything the widget is told. It fetches nothing, stores nothing and reports by `on` and `watch` alone. */
export interface WidgetProps {
  mode: DisplayMode;
  groups: readonly PlacedGroup[];
  footer: Footer;
  sandbox: boolean;
  messages: Messages;
  theme: Theme;
  locale: string;
  /** Called with each element whose visibility is judged, and with null when it leaves the page. */
  watch(subject: Subject, element: Element | null): void;
  on(action: Action): void;
}
