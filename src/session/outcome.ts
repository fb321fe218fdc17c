import type { Problem } from '../wire/json.ts';

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

/** Creates an outcome. `hint` says what to do, when there is something to do. */
export function outcome<Code extends OutcomeCode<SuccessCode>>(
  code: Code,
  message: string,
  hint?: string,
): Outcome<Code> {
  return hint ? { code, message, hint } : { code, message };
}

/** Why there are no offers, in a sentence. */
export type Failure = Outcome<FailureCode>;
