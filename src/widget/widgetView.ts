import type { RefCallback } from 'preact';
import type { Asset, PlacedOffer } from '../wire/offers/response.ts';
import type { Subject, WidgetProps } from './props.ts';
import type { WidgetState } from './state.ts';

/** What every part of the widget is drawn from, and what it can ask for. */
export interface View {
  props: WidgetProps;
  state: WidgetState;
  /** How many offers are drawn so far: the first is painted before the others are made. */
  room: number;
  /** The ref that reports an element for as long as it stands for `subject`; the same one for the same `key`. */
  seen(key: object, subject: Subject): RefCallback<Element>;
  accept(event: MouseEvent, offer: PlacedOffer, asset?: Asset): void;
  /** Declines an offer, or leaves an accepted one behind. */
  pass(event: MouseEvent, offer: PlacedOffer): void;
  back(event: MouseEvent, offer: PlacedOffer, to: PlacedOffer): void;
  copy(event: MouseEvent, offer: PlacedOffer): void;
  dismiss(by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished'): void;
}
