import { parseBatch } from '../../wire/events/batch.ts';
import { partnerError } from '../../wire/errors.ts';
import { RelayError } from '../errors.ts';
import { forwardBatch, forwardOne } from './forward.ts';
import { createForwardOnce } from './forwardOnce.ts';
import { judgeEvent, type Judged } from './checkEvent.ts';
import type { Ledger, Source } from '../seen/createLedger.ts';
import type { Measure } from '../metrics.ts';
import { replyOf, statusOf, type Outcome } from './eventOutcome.ts';
import { errorReply, jsonReply, type Reply } from '../reply.ts';
import type { CallNetwork } from '../upstream/networkCall.ts';

export interface DeliveryOptions {
  readonly single: CallNetwork;
  readonly batch: CallNetwork;
  readonly ledger: Ledger;
  readonly keepIds: boolean;
  readonly measure: Measure;
}

/** Answers for events with what became of each. */
export interface Delivery {
  single(judged: Judged, source: Source): Promise<Reply>;
  batch(judged: readonly Judged[], source: Source): Promise<Reply>;
}

/** A `Delivery` to one network. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { measure } = options;
  const forwardOnce = createForwardOnce(options);

  return {
    async single(judged, source) {
      if (!judged.ok) {
        measure({ name: 'events_refused', value: 1 });
        return { ...jsonReply(judged.status, partnerError(judged.error.message, judged.problems)), events: 1 };
      }
      const { outcomes, asIs, isReflecting } = await forwardOnce([judged.event], {
        forward: ([event = judged.event]) => forwardOne(options.single, { event, source }),
        source,
      });
      if (isReflecting) return WITHHELD;
      const [outcome] = outcomes;
      if (outcome?.state === 'unanswered') return { ...outcome.reply, events: 1 };
      if (outcome?.state === 'refused') return { ...errorReply(BUSY), events: 1 };
      return { ...(asIs ?? { status: 201, body: '' }), events: 1 };
    },

    async batch(judged, source) {
      const fit = judged.flatMap((one) => (one.ok ? one.event : []));
      if (fit.length < judged.length) measure({ name: 'events_refused', value: judged.length - fit.length });
      const { outcomes, asIs, isReflecting } = await forwardOnce(fit, {
        forward: (events) => forwardBatch(options.batch, { events, source }),
        source,
      });
      if (isReflecting) return WITHHELD;
      // Everything was forwarded in one call and each event has its result: the network's own words may stand.
      const isUntouched = asIs !== undefined && fit.length === judged.length && asIs.status === statusOf(outcomes);
      return { ...(isUntouched ? asIs : replyOf(inOrder(judged, outcomes))), events: judged.length };
    },
  };
}

/** The events of a batch body, each judged by itself; throws a 400 when it is no batch. */
export function judgeBatch(json: unknown, now: number): readonly Judged[] {
  const parsed = parseBatch(json);
  if (!parsed.ok)
    throw new RelayError('The body is not a batch of events.', {
      status: 400,
      code: 'invalid_batch',
      problems: parsed.problems,
    });
  return parsed.value.map((raw) => judgeEvent(raw, now));
}

const WITHHELD: Reply = jsonReply(502, partnerError("The network's answer was withheld, because it held a secret."));
const BUSY = new RelayError('This event is on its way from another server.', {
  status: 503,
  code: 'in_flight',
  retryAfterMs: 1_000,
});

/** The outcomes of the events that were fit to forward, with the relay's own refusals in between. */
function inOrder(judged: readonly Judged[], outcomes: readonly Outcome[]): readonly Outcome[] {
  let next = 0;
  return judged.flatMap((one) => (one.ok ? (outcomes[next++] ?? []) : { state: 'refused', error: one.error }));
}
