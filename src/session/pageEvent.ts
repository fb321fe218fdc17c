import type { QueueEvent } from '../queue/events.ts';
import type { Problem } from '../wire/json.ts';
import type { OutcomeCode, SuccessCode } from './outcome.ts';

/** The shopper saw an offer or acted on it. */
export interface OfferEvent {
  readonly type: 'impression' | 'view' | 'click' | 'decline' | 'next' | 'back' | 'copy' | 'product';
  readonly session_id: string;
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly insertion_id: string;
  /** The tile that was clicked, if it was a tile. */
  readonly asset_id?: string;
}

/** The outcome of a mount as an event: its code, or `error` with the code of what went wrong. */
export interface OutcomeEvent<Success extends SuccessCode = 'rendered'> {
  readonly type: Success | 'no_offers' | 'consent_denied' | 'already_shown' | 'error';
  readonly code: OutcomeCode<Success>;
  readonly message: string;
  readonly hint?: string;
  /** What the relay or the network found wrong, field by field. */
  readonly errors?: readonly Problem[];
}

/** An offer of the response that is not shown, and why. */
export interface LeftOutEvent {
  readonly type: 'left_out';
  readonly offer_id: string;
  readonly reason: string;
}

/** The shopper followed a link of the footer. */
export interface FooterEvent {
  readonly type: 'footer';
  readonly link: 'brand' | 'privacy';
}

/** The widget was closed. `page` means by calling `close()`. */
export interface DismissEvent {
  readonly type: 'dismiss';
  readonly by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished' | 'page';
}

/** Everything that `onEvent` is called with. The page gets the same as the `detail` of `offerlet` DOM events. */
export type PageEvent<Success extends SuccessCode = 'rendered'> =
  | OfferEvent
  | OutcomeEvent<Success>
  | LeftOutEvent
  | FooterEvent
  | DismissEvent
  | QueueEvent;
