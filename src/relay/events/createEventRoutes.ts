import { partnerError, readError } from '../../wire/errors.ts';
import {
  batchResponse,
  type BatchResult,
  batchStatus,
  type EventResult,
  parseBatch,
  readBatchResults,
  type Refusal,
  type ResultError,
  type WireEvent,
  parseEvent,
} from '../../wire/events.ts';
import { isObject, own, type Problem, parseDatetime, problemsText } from '../../wire/json.ts';
import { EVENT_MAX_AGE_MS } from '../../wire/limits.ts';
import { RelayError, errorReply, jsonReply, problemSentence, retryAfter, type Reply } from '../errors.ts';
import type { RateCounter } from '../rateLimits.ts';
import type { RelaySettings } from '../options/readOptions.ts';
import type { Telemetry } from '../telemetry.ts';
import { type NetworkResponse, NoResponseError, type Upstream } from '../createUpstream.ts';
import type { Caller } from '../readCaller.ts';
import type { Counting } from '../createCounting.ts';
import type { Records } from '../createRecords.ts';
import { sessionKey } from '../dedupe/eventKeys.ts';
import { ACCEPTED, createForwardOnce, type EventFate, type Forward, type Forwarded } from './forwardOnce.ts';
import { DAY_MS } from '../../wire/utcDates.ts';

/** The routes that report events. Each takes the parsed body of a page, and throws a `RelayError` when it refuses all. */
export interface EventRoutes {
  one(page: unknown, caller: Caller, correct?: CorrectTime): Promise<Reply>;
  batch(page: unknown, caller: Caller, correct?: CorrectTime): Promise<Reply>;
  /** Accepted events that the store failed to write so far. */
  owed(): number;
}

export interface EventRoutesOptions {
  readonly settings: Pick<RelaySettings, 'dedupe' | 'forwardEventIds' | 'now' | 'timeouts'>;
  readonly rates: RateCounter;
  readonly telemetry: Telemetry;
  /** Present when the store of accepted events has a ledger. */
  readonly counting: Counting | undefined;
  readonly records: Records;
  /** `/events` of the network. */
  readonly one: Upstream;
  /** `/events/batch` of the network. */
  readonly batch: Upstream;
}

/** Returns the `EventRoutes`: check each event, forward those that were not accepted before, reply for each. */
export function createEventRoutes(options: EventRoutesOptions): EventRoutes {
  const { settings, rates, telemetry, counting, records } = options;
  const { now, forwardEventIds: keepIds } = settings;
  const once = createForwardOnce({
    store: settings.dedupe,
    timeoutMs: settings.timeouts.dedupe,
    hasIds: keepIds,
    telemetry,
    counting,
  });
  const forwardOne = once(createForwardOne(options.one, keepIds));
  const forwardBatch = once(createForwardBatch(options.batch, keepIds));

  function noteRefused(checked: readonly CheckedEvent[]): void {
    const refused = checked.flatMap((each) => (each.ok ? [] : each.error.code));
    telemetry.measure({ name: 'events_refused', value: refused.length });
    for (const code of refused) counting?.add(code === 'event_too_old' ? 'expired' : `refused:${code}`);
  }

  async function spend(events: readonly WireEvent[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const { session_id } of events) {
      const session = sessionKey(session_id);
      counts.set(session, (counts.get(session) ?? 0) + 1);
    }
    await rates.spendEvents(counts);
  }

  return {
    owed: () => once.owed.size,
    async one(page, caller, correct) {
      const checked = checkEvent(page, { isTooOld: createAgeLimit(now()), correct });
      if (!checked.ok) {
        noteRefused([checked]);
        const { error, problems, status } = checked;
        const problem = problemSentence(error.message, problems);
        return { ...jsonReply(status, partnerError(error.message, problems)), events: 1, problem };
      }
      const events = [checked.value];
      if (rates.isOn) await spend(events);
      const { fates, accepted, unchanged, isReflecting } = await forwardOne(events, withSession(caller, events));
      records.addEvents(accepted, caller);
      if (isReflecting) return WITHHELD;
      const [fate] = fates;
      if (fate?.state === 'failed') return { ...fate.reply, events: 1 };
      if (fate?.state === 'refused') return { ...errorReply(BUSY), events: 1 };
      return { ...(unchanged ?? { status: 201, body: '' }), events: 1 };
    },

    async batch(page, caller, correct) {
      const checked = checkBatch(page, now(), correct);
      const count = checked.length;
      const events = checked.flatMap((each) => (each.ok ? each.value : []));
      const isWhole = events.length === count;
      if (rates.isOn) await spend(events);
      if (!isWhole) noteRefused(checked);
      // The events may go while the network is awaited; only the relay's own refusals are needed then.
      const refusals = checked.map((each) => (each.ok ? undefined : each.error));
      const {
        fates,
        accepted: fresh,
        unchanged,
        isReflecting,
      } = await forwardBatch(events, withSession(caller, events));
      records.addEvents(fresh, caller);
      if (isReflecting) return WITHHELD;
      const all = inOrder(refusals, fates);
      const accepted = all.reduce((sum, { state }) => sum + (state === 'accepted' ? 1 : 0), 0);
      const status = batchStatus({ accepted, failed: count - accepted });
      // Everything was forwarded in one call and each event has its result: the network's own response can be used.
      if (unchanged && isWhole && unchanged.status === status) return { ...unchanged, events: count };
      // The whole call failed: the page gets its status (a 401, a 429, a 503) rather than results, so that it pauses or
      // backs off instead of counting refusals.
      const [first] = fates;
      if (first?.state === 'failed' && isWhole && fates.every(({ state }) => state === 'failed'))
        return { ...first.reply, events: count };
      // The first of them that has one.
      const code = all.map((fate) => fate.state === 'refused' && fate.error?.code).find(Boolean) || undefined;
      return { ...jsonReply(status, batchResponse(all.map(resultOf))), events: count, ...(code && { code }) };
    },
  };
}

/** The caller, known by a session where no address is known. */
function withSession(caller: Caller, [first]: readonly WireEvent[]): Caller {
  return caller.client || !first ? caller : { ...caller, sender: sessionKey(first.session_id) };
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

/** The fates of the events that were forwarded, with the relay's own refusals in between. */
function inOrder(refusals: readonly (ResultError | undefined)[], fates: readonly EventFate[]): readonly EventFate[] {
  let next = 0;
  return refusals.flatMap((error) => (error ? { state: 'refused', error } : (fates[next++] ?? [])));
}

function resultOf(fate: EventFate, index: number): BatchResult {
  if (fate.state === 'accepted') return { index, success: true };
  const error = fate.state === 'failed' ? fate.error : errorOf(fate.error);
  return error ? { index, success: false, error } : { index, success: false };
}

function errorOf(error: Refusal | undefined): ResultError | undefined {
  if (!error) return undefined;
  const { code, message, retryable } = error;
  // A network that gives no reason is passed on without one.
  if (code === undefined && message === undefined && retryable) return undefined;
  return { code: code ?? 'refused', message: message ?? 'The network refused this event.', retryable };
}

/** An event that may be forwarded, or why it must not. */
type CheckedEvent =
  | { readonly ok: true; readonly value: WireEvent }
  | {
      readonly ok: false;
      readonly status: 400 | 422;
      readonly error: ResultError;
      readonly problems: readonly Problem[];
    };

interface EventRules {
  isTooOld(datetime: string): boolean;
  readonly correct: CorrectTime | undefined;
}

/** Checks one event of a page: conversions, malformed events and those that are too old are not forwarded. */
function checkEvent(json: unknown, { isTooOld, correct }: EventRules): CheckedEvent {
  if (own(json, 'event_name') === 'CONVERSION') {
    const message =
      'Conversions are not accepted from pages. The server that handles the order sends them to the network.';
    const problems = [{ path: 'event_name', message: 'must not be CONVERSION' }];
    return refuse({ status: 422, code: 'conversion_from_page', message, problems });
  }
  const parsed = parseEvent(json);
  if (!parsed.ok) {
    const message = problemsText(parsed.problems).slice(0, 300);
    return refuse({ status: 400, code: 'invalid_event', message, problems: parsed.problems });
  }
  if (correct) parsed.value.event_datetime = correct(parsed.value.event_datetime);
  if (isTooOld(parsed.value.event_datetime)) {
    const problems = [{ path: 'event_datetime', message: 'must not be more than 30 days ago' }];
    return refuse({ status: 422, code: 'event_too_old', message: 'The event is more than 30 days old.', problems });
  }
  // Only conversions have these, and a network that counts what an event carries would count money.
  delete parsed.value.conversion_properties;
  return parsed;
}

/** Checks each event of a batch by itself. Throws a 400 when the body is not a batch. */
export function checkBatch(json: unknown, now: number, correct?: CorrectTime): readonly CheckedEvent[] {
  const parsed = parseBatch(json);
  if (!parsed.ok)
    throw new RelayError('The body is not a batch of events.', {
      status: 400,
      code: 'invalid_batch',
      problems: parsed.problems,
    });
  const rules: EventRules = { isTooOld: createAgeLimit(now), correct };
  return parsed.value.map((event) => checkEvent(event, rules));
}

/** Returns whether a valid RFC 3339 date and time is too long ago. The day alone decides for most; parsing costs more. */
function createAgeLimit(now: number): (datetime: string) => boolean {
  // A day later, because an offset moves a date by less than a day.
  const day = new Date(now - EVENT_MAX_AGE_MS + DAY_MS).toISOString().slice(0, 10);
  return (datetime) => datetime.slice(0, 10) <= day && now - Date.parse(datetime) > EVENT_MAX_AGE_MS;
}

function refuse(why: { status: 400 | 422; code: string; message: string; problems: readonly Problem[] }): CheckedEvent {
  const { status, code, message, problems } = why;
  return { ok: false, status, problems, error: { code, message, retryable: false } };
}

/** Returns a `Forward` to `/events/batch`. */
function createForwardBatch(upstream: Upstream, keepIds: boolean): Forward {
  return async (events, caller) => {
    const count = events.length;
    try {
      return readBatch(await upstream.post(writeBatch(events, keepIds), caller), count);
    } catch (error) {
      return noResponse(error, count);
    }
  };
}

/** Returns a `Forward` of one event to `/events`. */
function createForwardOne(upstream: Upstream, keepIds: boolean): Forward {
  return async ([event], caller) => {
    try {
      const response = await upstream.post(event ? writeEvent(event, keepIds) : '', caller);
      const { status, json, text, isReflecting } = response;
      if (status !== 201 && status !== 202) return failedCall(response, 1);
      const body = json === undefined ? '' : text;
      return { fates: [ACCEPTED], unconfirmed: [], isReflecting, unchanged: { status, body } };
    } catch (error) {
      return noResponse(error, 1);
    }
  };
}

/** Reads what the network's response says about each of `count` events. */
export function readBatch(response: NetworkResponse, count: number): Forwarded {
  const { status, json, text, isReflecting } = response;
  const results = readBatchResults(response, count);
  if (!results) return failedCall(response, count);
  const unconfirmed = indexesOf(results, 'unknown');
  const listed = own(json, 'results');
  const isWhole = unconfirmed.length === 0 && Array.isArray(listed) && listed.length === count;
  return {
    fates: results.map(fateOf),
    unconfirmed,
    isReflecting,
    ...(isWhole && { unchanged: { status, body: text } }),
  };
}

function indexesOf(results: readonly EventResult[], wanted: EventResult): readonly number[] {
  return results.includes(wanted) ? [...results.keys()].filter((index) => results[index] === wanted) : [];
}

function fateOf(result: EventResult): EventFate {
  if (result === 'accepted') return ACCEPTED;
  if (result !== 'unknown') return { state: 'refused', error: result };
  const message = 'The network returned no result for this event.';
  return { state: 'refused', error: { code: 'no_result', message, retryable: true } };
}

/** The network responded to the call as a whole: with an error, or with something that could not be understood. */
function failedCall(response: NetworkResponse, count: number): Forwarded {
  const { status, json, isReflecting } = response;
  if (status < 400) {
    // A 200 is not in the contract: a captive portal returns that too. The network may still have taken the events.
    const error = new RelayError(`The network returned a response that could not be understood (status ${status}).`, {
      status: 502,
      code: 'network_answer_unreadable',
    });
    return allFailed(errorReply(error), { code: error.code, count, isUnconfirmed: true, isReflecting });
  }
  const { message, fields } = readError(status, json);
  const body = isObject(json) ? response.text : JSON.stringify({ message });
  const headers = response.retryAfter === undefined ? {} : retryAfter(response.retryAfter);
  const reply: Reply = { status, body, headers, problem: problemSentence(message, fields) };
  // After a server error nobody knows how far it came, after a 503 as little as after a 500: a network may have committed
  // the events before it failed. After a refusal nothing was accepted.
  const isUnconfirmed = status >= 500;
  return allFailed(reply, { code: `network_${status}`, count, isUnconfirmed, isReflecting });
}

function noResponse(error: unknown, count: number): Forwarded {
  const known =
    error instanceof RelayError
      ? error
      : new RelayError('The network could not be reached.', { status: 502, code: 'network_unreachable', cause: error });
  const isUnconfirmed = !(known instanceof NoResponseError) || known.mayHaveArrived;
  return allFailed(errorReply(known), { code: known.code, count, isUnconfirmed, isReflecting: false });
}

interface FailedCall {
  readonly code: string;
  readonly count: number;
  readonly isUnconfirmed: boolean;
  readonly isReflecting: boolean;
}

function allFailed(reply: Reply, { code, count, isUnconfirmed, isReflecting }: FailedCall): Forwarded {
  const message = 'The network did not take this event; it may be sent again.';
  const fate: EventFate = {
    state: 'failed',
    error: { code, message, retryable: true },
    reply: { ...reply, body: reply.body || jsonReply(reply.status, { message }).body },
  };
  const indexes = [...Array(count).keys()];
  return { fates: indexes.map(() => fate), unconfirmed: isUnconfirmed ? indexes : [], isReflecting };
}

/** Writes the body of a batch. Checked events have few fields; writing those takes half the time of `JSON.stringify`. */
export function writeBatch(events: readonly WireEvent[], keepIds: boolean): string {
  let text = '';
  for (const event of events) text += (text && ',') + writeEvent(event, keepIds);
  return `{"events":[${text}]}`;
}

/** Writes the body of one event, with its id for networks that take one. */
export function writeEvent(event: WireEvent, keepIds: boolean): string {
  const { event_id, initiating_target, brand_properties: brand, asset_id, product_properties: product } = event;
  // Names, targets and dates have been checked to be plain.
  let text = `{"event_name":"${event.event_name}","event_datetime":"${event.event_datetime}","session_id":${quote(event.session_id)}`;
  if (keepIds && event_id !== undefined) text += `,"event_id":${quote(event_id)}`;
  if (initiating_target !== undefined) text += `,"initiating_target":"${initiating_target}"`;
  if (brand)
    text += `,"brand_properties":{"offer_id":${quote(brand.offer_id)},"advertiser_id":${quote(brand.advertiser_id)},"insertion_id":${quote(brand.insertion_id)}}`;
  if (asset_id !== undefined) text += `,"asset_id":${quote(asset_id)}`;
  if (product) text += `,"product_properties":{"product_id":${quote(product.product_id)}}`;
  return `${text}}`;
}

/** ASCII without quotes, backslashes and control characters, which JSON writes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Returns the true time of an event, both as RFC 3339. */
export type CorrectTime = (datetime: string) => string;

/** Milliseconds by which a device's clock may be wrong. A request on a slow line takes as long. */
const TOLERANCE_MS = 30_000;
/** Times that have four digits for the year. */
const [FIRST_MS, LAST_MS] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T00:00:00Z')];

/**
 * Returns how to correct the times of a request, whose query has the device's time when it was sent: by as much as the
 * device's clock is wrong. No event happens after it was sent: one that seems to was stored under a clock that has been
 * set back since, and gets the time at which it arrived. Returns `undefined` without such a query: those times are true.
 */
export function readCorrection(search: string, now: number): CorrectTime | undefined {
  const sent = /[?&]sent=(\d{1,15})(?:&|$)/.exec(search)?.[1];
  if (sent === undefined) return undefined;
  const wrong = now - Number(sent);
  const move = Math.abs(wrong) > TOLERANCE_MS ? wrong : 0;
  return (datetime) => {
    const at = (parseDatetime(datetime) ?? Number.NaN) + move;
    if (at > now + TOLERANCE_MS) return new Date(now).toISOString();
    return move !== 0 && at > FIRST_MS && at < LAST_MS ? new Date(at).toISOString() : datetime;
  };
}
