import type { Problem } from '../wire/json.ts';

/** How a mount ended. `refused`: the relay responded with 4xx; `network_error`: unreachable, 5xx, timeout, blocked, or not understood. */
export type OutcomeCode =
  | 'rendered'
  | 'no_offers'
  | 'consent_denied'
  | 'already_shown'
  | 'invalid_config'
  | 'refused'
  | 'network_error';

/** How a mount ended: what happened, in a sentence, and what to do about it. */
export interface Outcome {
  readonly code: OutcomeCode;
  readonly message: string;
  readonly hint?: string;
  /** What the relay or the network found wrong, field by field, when it says so. */
  readonly errors?: readonly Problem[];
}

/** Creates an outcome. `hint` says what to do, when there is something to do. */
export function outcome(code: OutcomeCode, message: string, hint?: string): Outcome {
  return hint ? { code, message, hint } : { code, message };
}
