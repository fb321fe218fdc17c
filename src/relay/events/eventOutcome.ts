import type { BatchResult, ResultError } from '../../wire/events/wireEvent.ts';
import { batchResponse, batchStatus, type Refusal } from '../../wire/events/batch.ts';
import { jsonReply, type Reply } from '../reply.ts';

/** How it went for one event. */
export type Outcome =
  | { readonly state: 'accepted' | 'known' }
  /** Refused by the relay or by the network; networks need not say why. */
  | { readonly state: 'refused'; readonly error?: Partial<Refusal> }
  /** The call that it was part of failed as a whole, and `reply` says how. */
  | { readonly state: 'unanswered'; readonly error: ResultError; readonly reply: Reply };

/** The status of a batch with these outcomes, should it have results. */
export function statusOf(outcomes: readonly Outcome[]): number {
  return batchStatus(outcomes.map(resultOf));
}

/** One result per event, in the order in which the page sent them; the status follows from the results. */
export function replyOf(outcomes: readonly Outcome[]): Reply {
  const [first] = outcomes;
  // Nothing is known about any event by itself: the page hears what the call met (a 401, a 429, a 503), not results,
  // so that its sender pauses or backs off instead of counting refusals.
  if (first?.state === 'unanswered' && outcomes.every((outcome) => outcome.state === 'unanswered')) return first.reply;
  const results = outcomes.map(resultOf);
  return jsonReply(batchStatus(results), batchResponse(results));
}

function resultOf(outcome: Outcome, index: number): BatchResult {
  switch (outcome.state) {
    case 'accepted':
    case 'known':
      return { index, success: true };
    case 'unanswered':
      return { index, success: false, error: outcome.error };
    case 'refused': {
      const error = errorOf(outcome.error);
      return error ? { index, success: false, error } : { index, success: false };
    }
  }
}

function errorOf(error: Partial<Refusal> | undefined): ResultError | undefined {
  if (!error || (error.code === undefined && error.message === undefined && error.retryable !== false))
    return undefined;
  return {
    code: error.code ?? 'refused',
    message: error.message ?? 'The network refused this event.',
    retryable: error.retryable ?? true,
  };
}
