import type { RefCallback } from 'preact';
import type { Asset, PlacedOffer } from '../wire/offers/response.ts';
import type { Viewable, WidgetProps } from './props.ts';
import type { WidgetState } from './state.ts';

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
  dismiss(by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished'): void;
}
