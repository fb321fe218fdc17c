import { readError } from '../../wire/errors.ts';
import { readBatchResponse, type Refusal } from '../../wire/events/batch.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { isObject, own } from '../../wire/json.ts';
import { RelayError } from '../errors.ts';
import { errorReply, jsonReply, problemOf, type Reply } from '../reply.ts';
import { NoResponseError, type Source, type Upstream } from '../upstream/createUpstream.ts';
import type { NetworkResponse } from '../upstream/networkResponse.ts';
import { writeBatch, writeEvent, type WriteOptions } from './writeBatch.ts';

/** What became of one event. */
export type EventOutcome =
  | { readonly state: 'accepted' | 'known' }
  /** Refused by the relay or by the network. Networks need not say why. */
  | { readonly state: 'refused'; readonly error?: Refusal }
  /** The call that it was part of failed as a whole, with `reply`. */
  | { readonly state: 'failed'; readonly error: ResultError; readonly reply: Reply };

/** What became of the events of one call. */
export interface Forwarded {
  /** One for each event, in order. */
  readonly outcomes: readonly EventOutcome[];
  /** Positions whose response was lost: the network may have accepted them. */
  readonly lost: readonly number[];
  /** The network's own reply, when it may be passed on unchanged. */
  readonly unchanged?: Reply;
  /** The response contained the key: it is not passed on, whatever it says of the events. */
  readonly isReflecting: boolean;
}

/** Sends events to the network in one call. Never throws. */
export type Forward = (events: readonly WireEvent[], source: Source) => Promise<Forwarded>;

/** Returns a `Forward` to `/events/batch`. */
export function createForwardBatch(upstream: Upstream, options: WriteOptions): Forward {
  return async (events, source) => {
    const every = events.map((_, index) => index);
    try {
      return readBatch(await upstream.post(writeBatch(events, options), source), every);
    } catch (error) {
      return noResponse(error, every);
    }
  };
}

/** Returns a `Forward` of one event to `/events`. */
export function createForwardOne(upstream: Upstream, options: WriteOptions): Forward {
  return async ([event], source) => {
    try {
      const response = await upstream.post(event ? writeEvent(event, options) : '', source);
      const { status, json, text, isReflecting } = response;
      if (status !== 201 && status !== 202) return failedCall(response, [0]);
      return {
        outcomes: [ACCEPTED],
        lost: [],
        isReflecting,
        unchanged: { status, body: json === undefined ? '' : text },
      };
    } catch (error) {
      return noResponse(error, [0]);
    }
  };
}

const ACCEPTED: EventOutcome = { state: 'accepted' };

/** Reads what the network's response says about each event of a batch. */
export function readBatch(response: NetworkResponse, every: readonly number[]): Forwarded {
  const { status, json, text, isReflecting } = response;
  const isAccepted = status === 201 || status === 202;
  const hasResults =
    isAccepted || status === 207 || (status === 502 && isObject(json) && Array.isArray(json['results']));
  if (!hasResults) return failedCall(response, every);
  if (isAccepted && isEachAccepted(json, every.length))
    return { outcomes: every.map(() => ACCEPTED), lost: [], isReflecting, unchanged: { status, body: text } };
  const read = readBatchResponse(json, every.length);
  const outcomes = every.map((index): EventOutcome => {
    const refusal = read.refused.get(index);
    if (refusal) return { state: 'refused', error: refusal };
    // 201 and 202 mean all; a network need not list them.
    if (isAccepted || read.accepted.has(index)) return ACCEPTED;
    const message = 'The network returned no result for this event.';
    return { state: 'refused', error: { code: 'no_result', message, retryable: true } };
  });
  return {
    outcomes,
    lost: isAccepted ? [] : read.unknown,
    isReflecting,
    ...(read.unknown.length === 0 && json !== undefined ? { unchanged: { status, body: text } } : {}),
  };
}

/** Whether there is one result for each event, in order, and each is a success: nearly every response. */
function isEachAccepted(json: unknown, sent: number): boolean {
  const results = own(json, 'results');
  if (!Array.isArray(results) || results.length !== sent) return false;
  for (let at = 0; at < sent; at++) {
    const result: unknown = results[at];
    if (own(result, 'index') !== at || own(result, 'success') !== true) return false;
  }
  return true;
}

/** The network responded to the call as a whole: with an error, or with something that could not be understood. */
function failedCall(response: NetworkResponse, every: readonly number[]): Forwarded {
  const { status, json, isReflecting } = response;
  if (status < 400) {
    // A 200 is not in the contract: a captive portal returns that too. The network may still have taken the events.
    const error = new RelayError(`The network returned a response that could not be understood (status ${status}).`, {
      status: 502,
      code: 'network_answer_unreadable',
    });
    return { ...allFailed(errorReply(error), error.code, every), lost: every, isReflecting };
  }
  const { message, fields } = readError(status, json);
  const body = isObject(json) ? response.text : JSON.stringify({ message });
  const reply: Reply = { status, body, retryAfter: response.retryAfter, problem: problemOf(message, fields) };
  // After a server error nobody knows how far it came; after a refusal nothing was accepted.
  const lost = status >= 500 && status !== 503 ? every : [];
  return { ...allFailed(reply, `network_${status}`, every), lost, isReflecting };
}

function noResponse(error: unknown, every: readonly number[]): Forwarded {
  const known =
    error instanceof RelayError
      ? error
      : new RelayError('The network could not be reached.', { status: 502, code: 'network_unreachable', cause: error });
  const isLost = !(known instanceof NoResponseError) || known.mayHaveArrived;
  return { ...allFailed(errorReply(known), known.code, every), lost: isLost ? every : [], isReflecting: false };
}

function allFailed(reply: Reply, code: string, every: readonly number[]): Pick<Forwarded, 'outcomes'> {
  const message = 'The network did not take this event; it may be sent again.';
  const failed: EventOutcome = {
    state: 'failed',
    error: { code, message, retryable: true },
    reply: { ...reply, body: reply.body || jsonReply(reply.status, { message }).body },
  };
  return { outcomes: every.map(() => failed) };
}
