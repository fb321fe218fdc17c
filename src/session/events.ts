import type { QueueEvent } from '../queue/events.ts';
import type { Problem } from '../wire/json.ts';
import type { Footer, PlacedGroup } from '../wire/offers/response.ts';

/** The code of success: `rendered` on a page, `offers` without one. */
export type SuccessCode = 'rendered' | 'offers';

/** Why there are no offers. `refused`: the relay responded with 4xx; `network_error`: unreachable, 5xx, timeout, blocked, or not understood. */
export type FailureCode =
  | 'no_offers'
  | 'consent_denied'
  | 'already_shown'
  | 'invalid_config'
  | 'refused'
  | 'network_error';

/** How a mount, or a session without a page, ended. */
export type OutcomeCode<Success extends SuccessCode = 'rendered'> = Success | FailureCode;

/** How a mount ended: what happened, in a sentence, and what to do about it. */
export interface Outcome<Code extends OutcomeCode<SuccessCode> = OutcomeCode> {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
  /** What the relay or the network found wrong, field by field, when it says so. */
  readonly errors?: readonly Problem[];
}

/** Why there are no offers, in a sentence. */
export type Failure = Outcome<FailureCode>;

/** Creates an outcome. `hint` says what to do, when there is something to do. */
export function outcome<Code extends OutcomeCode<SuccessCode>>(
  code: Code,
  message: string,
  hint?: string,
): Outcome<Code> {
  return hint ? { code, message, hint } : { code, message };
}

/** Returns the outcome for an option that is missing or not valid. */
export function invalid(name: string, expected: string): Failure {
  return outcome('invalid_config', `${name} is missing or not valid`, `Set ${name} to ${expected}.`);
}

/** An outcome as an event: the first one, and each later one, such as consent that is withdrawn after offers were shown. */
export interface OutcomeEvent<Success extends SuccessCode = 'rendered'> extends Outcome<OutcomeCode<Success>> {
  readonly type: 'outcome';
}

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

/** An offer of the response that is not shown, and why. */
export interface LeftOutEvent {
  readonly type: 'leftOut';
  readonly offer_id: string;
  readonly reason: string;
}

/** The shopper followed a link of the footer. */
export interface FooterEvent {
  readonly type: 'footer';
  readonly link: 'brand' | 'privacy';
}

/** The offers were closed. `page` means by calling `dismiss()`. */
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

/** What a session has to show, or why it has nothing. */
export interface SessionResult extends Outcome<OutcomeCode<'offers'>> {
  /** The offers in the order in which they are shown; empty unless the code is `offers`. */
  readonly groups: readonly PlacedGroup[];
  readonly footer: Footer;
  /** The network says that these are test offers: mark them as such. */
  readonly isSandbox: boolean;
  /** The offers were requested before, for the same order. */
  readonly isRemembered: boolean;
}

/** Everything that the `onEvent` of a session is called with. Its outcomes carry the offers, as its result does. */
export type SessionEvent = Exclude<PageEvent<'offers'>, { type: 'outcome' }> | (OutcomeEvent<'offers'> & SessionResult);
