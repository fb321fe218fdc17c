import { partnerError } from '../../wire/errors.ts';
import { batchResponse, batchStatus, type Refusal } from '../../wire/events/batch.ts';
import type { BatchResult, ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { RelayError } from '../errors.ts';
import { errorReply, jsonReply, problemOf, type Reply } from '../reply.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Source } from '../upstream/createUpstream.ts';
import type { CheckedEvent } from './checkEvent.ts';
import type { EventOutcome } from './forwardEvents.ts';
import type { ForwardOnce } from './forwardOnce.ts';

export interface DeliveryOptions {
  readonly forwardOne: ForwardOnce;
  readonly forwardBatch: ForwardOnce;
  readonly telemetry: Telemetry;
}

/** Forwards events and replies with what became of each. */
export interface Delivery {
  one(checked: CheckedEvent, source: Source): Promise<Reply>;
  batch(checked: readonly CheckedEvent[], source: Source): Promise<Reply>;
}

/** Returns a `Delivery`. */
export function createDelivery({ forwardOne, forwardBatch, telemetry }: DeliveryOptions): Delivery {
  const noteRefused = (value: number): void => telemetry.measure({ name: 'events_refused', value });

  return {
    async one(checked, source) {
      if (!checked.ok) {
        noteRefused(1);
        const { error, problems, status } = checked;
        const problem = problemOf(error.message, problems);
        return { ...jsonReply(status, partnerError(error.message, problems)), events: 1, problem };
      }
      const { outcomes, unchanged, isReflecting } = await forwardOne([checked.value], source);
      if (isReflecting) return WITHHELD;
      const [outcome] = outcomes;
      if (outcome?.state === 'failed') return { ...outcome.reply, events: 1 };
      if (outcome?.state === 'refused') return { ...errorReply(BUSY), events: 1 };
      return { ...(unchanged ?? { status: 201, body: '' }), events: 1 };
    },

    async batch(checked, source) {
      const events: WireEvent[] = [];
      for (const each of checked) if (each.ok) events.push(each.value);
      const isWhole = events.length === checked.length;
      if (!isWhole) noteRefused(checked.length - events.length);
      // The events may go while the network is awaited; only the relay's own refusals are needed then.
      const refusals = isWhole ? undefined : checked.map((each) => (each.ok ? undefined : each.error));
      const count = checked.length;
      const { outcomes, unchanged, isReflecting } = await forwardBatch(events, source);
      if (isReflecting) return WITHHELD;
      const all = refusals ? inOrder(refusals, outcomes) : outcomes;
      const accepted = all.reduce((sum, { state }) => sum + (state === 'accepted' || state === 'known' ? 1 : 0), 0);
      // Everything was forwarded in one call and each event has its result: the network's own reply may stand.
      if (unchanged && isWhole && unchanged.status === batchStatus({ accepted, failed: all.length - accepted }))
        return { ...unchanged, events: count };
      // The whole call failed: the page gets its status (a 401, a 429, a 503) rather than results, so that it pauses or
      // backs off instead of counting refusals.
      const [first] = outcomes;
      if (first?.state === 'failed' && isWhole && outcomes.every(({ state }) => state === 'failed'))
        return { ...first.reply, events: count };
      const results = all.map(resultOf);
      return {
        ...jsonReply(batchStatus({ accepted, failed: all.length - accepted }), batchResponse(results)),
        events: count,
      };
    },
  };
}

const WITHHELD: Reply = jsonReply(
  502,
  partnerError("The network's response was withheld, because it contained a secret."),
);
const BUSY = new RelayError('Another server is forwarding this event at the moment.', {
  status: 503,
  code: 'in_flight',
  retryAfterMs: 1_000,
});

/** The outcomes of the events that were forwarded, with the relay's own refusals in between. */
function inOrder(
  refusals: readonly (ResultError | undefined)[],
  outcomes: readonly EventOutcome[],
): readonly EventOutcome[] {
  let next = 0;
  return refusals.flatMap((error) => (error ? { state: 'refused', error } : (outcomes[next++] ?? [])));
}

function resultOf(outcome: EventOutcome, index: number): BatchResult {
  switch (outcome.state) {
    case 'accepted':
    case 'known':
      return { index, success: true };
    case 'failed':
      return { index, success: false, error: outcome.error };
    case 'refused': {
      const error = errorOf(outcome.error);
      return error ? { index, success: false, error } : { index, success: false };
    }
  }
}

function errorOf(error: Refusal | undefined): ResultError | undefined {
  if (!error) return undefined;
  const { code, message, retryable } = error;
  // A network that gives no reason is passed on without one.
  if (code === undefined && message === undefined && retryable) return undefined;
  return { code: code ?? 'refused', message: message ?? 'The network refused this event.', retryable };
}
