import { readBatchResponse } from '../../wire/events/batch.ts';
import { readError } from '../../wire/errors.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { isObject } from '../../wire/json.ts';
import { errorReply, jsonReply, type Reply } from '../reply.ts';
import { RelayError } from '../errors.ts';
import type { Outcome } from './eventOutcome.ts';
import type { Source } from '../seen/createLedger.ts';
import { NoAnswerError, type CallNetwork, type NetworkAnswer } from '../upstream/networkCall.ts';

/** What one call about some events came to: an outcome for each, and which answers nobody has seen. */
export interface Forwarded {
  readonly outcomes: readonly Outcome[];
  /** Positions whose fate is unknown: the network may have taken them. */
  readonly lost: readonly number[];
  /** The network's own reply, when it may be passed on as it is. */
  readonly asIs?: Reply;
  /** The answer held the key: whatever it said of the events, it is not passed on. */
  readonly isReflecting: boolean;
}

/** The events as networks want them that know no `event_id`. */
export function withoutIds(events: readonly WireEvent[]): readonly object[] {
  // JSON leaves out what is undefined, and copying so is several times faster than leaving the field out of the copy.
  return events.map((event) => ({ ...event, event_id: undefined }));
}

/** Sends events in one call to `/events/batch` and reads what became of each. Never throws. */
export async function forwardBatch(
  call: CallNetwork,
  { events, source }: { events: readonly object[]; source: Source },
): Promise<Forwarded> {
  const every = events.map((_, index) => index);
  try {
    const answer = await call({ body: JSON.stringify({ events }), ...source });
    return readForwarded(answer, every);
  } catch (error) {
    return unreached(error, every);
  }
}

/** Sends one event to `/events`. Never throws. */
export async function forwardOne(
  call: CallNetwork,
  { event, source }: { event: object; source: Source },
): Promise<Forwarded> {
  try {
    const answer = await call({ body: JSON.stringify(event), ...source });
    const { isReflecting } = answer;
    if (answer.status !== 201 && answer.status !== 202) return refusedWhole(answer, [0]);
    return {
      outcomes: [{ state: 'accepted' }],
      lost: [],
      isReflecting,
      asIs: { status: answer.status, body: answer.text },
    };
  } catch (error) {
    return unreached(error, [0]);
  }
}

function readForwarded(answer: NetworkAnswer, every: readonly number[]): Forwarded {
  const { status, json, isReflecting } = answer;
  const isAccepted = status === 201 || status === 202;
  const isByItem = isAccepted || status === 207 || (status === 502 && isObject(json) && Array.isArray(json['results']));
  if (!isByItem) return refusedWhole(answer, every);
  const read = readBatchResponse(json, every.length);
  // 201 and 202 mean all; a network need not list them. A result that says otherwise is believed all the same.
  const lost = isAccepted ? [] : read.unknown;
  const outcomes = every.map((index): Outcome => {
    const refusal = read.refused.get(index);
    if (refusal) return { state: 'refused', error: refusal };
    if (isAccepted || read.accepted.has(index)) return { state: 'accepted' };
    return {
      state: 'refused',
      error: { code: 'no_result', message: 'The network said nothing about this event.', retryable: true },
    };
  });
  return {
    outcomes,
    lost,
    isReflecting,
    ...(read.unknown.length === 0 ? { asIs: { status, body: answer.text } } : {}),
  };
}

/** The network answered for the call as a whole: with an error of its own, or with something that is no answer to it. */
function refusedWhole(answer: NetworkAnswer, every: readonly number[]): Forwarded {
  const { status, json, isReflecting } = answer;
  if (status < 400) {
    // A 200 is not in the contract: a captive portal says that too. The network may still have taken the events.
    const error = new RelayError('The network gave an answer that is none.', {
      status: 502,
      code: 'network_answer_unreadable',
    });
    return { ...whole(errorReply(error), error.code, every), lost: every, isReflecting };
  }
  const body = isObject(json) ? answer.text : JSON.stringify({ message: readError(status, json).message });
  const reply: Reply = { status, body, retryAfter: answer.retryAfter };
  // After an error of the server nobody knows how far it came; after a refusal nothing was taken.
  return {
    ...whole(reply, `network_${status}`, every),
    lost: status >= 500 && status !== 503 ? every : [],
    isReflecting,
  };
}

function unreached(error: unknown, every: readonly number[]): Forwarded {
  const known =
    error instanceof RelayError
      ? error
      : new RelayError('The network could not be reached.', { status: 502, code: 'network_unreachable', cause: error });
  const isLost = !(known instanceof NoAnswerError) || known.mayHaveArrived;
  return { ...whole(errorReply(known), known.code, every), lost: isLost ? every : [], isReflecting: false };
}

function whole(reply: Reply, code: string, every: readonly number[]): { outcomes: readonly Outcome[] } {
  const error: ResultError = {
    code,
    message: 'The network did not take this event; it may be sent again.',
    retryable: true,
  };
  return {
    outcomes: every.map(() => ({
      state: 'unanswered',
      error,
      reply: { ...reply, body: reply.body || jsonReply(reply.status, { message: error.message }).body },
    })),
  };
}
