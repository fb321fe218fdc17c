import { ApiError, UnreachableError } from '../http/apiErrors.ts';
import { setNewest } from '../http/setNewest.ts';
import {
  backoffMs,
  MAX_RETRIES,
  MAX_RETRY_AFTER_MS,
  notify,
  readMs,
  type CallOptions,
  type Connection,
} from '../http/connect.ts';
import { abortError, pause } from '../http/pause.ts';
import {
  onceId,
  readBatchResults,
  readEvent,
  refuseEvent,
  type EventResult,
  type ResultError,
  type WireEvent,
} from '../wire/events.ts';
import { isObject, own, readId } from '../wire/json.ts';
import { BATCH_MAX_EVENTS, EVENTS_BODY_MAX_BYTES } from '../wire/limits.ts';

/**
 * An event to report. Without an `event_id` it gets one: a conversion always the same for its `conversion_id`, any other a
 * random one. Without an `event_datetime` it has just happened.
 */
export type ReportableEvent = Omit<WireEvent, 'event_id' | 'event_datetime'> & {
  event_id?: string | undefined;
  event_datetime?: string | undefined;
};

/** What became of an event. */
export type EventReport = { readonly event_id: string } & Outcome;

type Outcome =
  /** The network has it. `duplicate`: this client had already reported it. */
  | { readonly status: 'stored' | 'duplicate' }
  /** It was not stored. Send it again only where `retryable` says that this may help. */
  | { readonly status: 'refused'; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** It may be stored or not: report it again with the same `event_id`. `error` says why no more is known. */
  | { readonly status: 'unknown'; readonly error: Error };

/** The options of `report` and `reportAll`. */
export interface ReportOptions extends CallOptions {
  /** Milliseconds for all events together, retries included. What is not settled by then is `unknown`; so it is when `signal` is aborted. */
  readonly deadline?: number | undefined;
  /** Called with each report when its fate is known, once for each event. */
  readonly onReport?: ((report: EventReport, index: number) => void) | undefined;
}

/** Reports events and resolves to one report for each, in order. */
export type EventReporter = (
  events: readonly ReportableEvent[],
  options: ReportOptions & { readonly isSingle?: boolean },
) => Promise<readonly EventReport[]>;

type IdentifiedEvent = WireEvent & { readonly event_id: string };

/** An event that is to be sent, and where it is among the given ones: more than once when it was given more than once. */
interface Pending {
  readonly event: IdentifiedEvent;
  readonly key: string;
  readonly places: number[];
}

/** Stored events that a client remembers: those of minutes, in about 2 MB. */
const REMEMBERED_MAX = 10_000;
/** Groups in a row that got no response before the others are left: a single one may contain what makes the network fail. */
const FAILED_GROUPS_MAX = 2;

/** Returns the `EventReporter` of one client. */
export function createEventReporter(call: Connection, maxRetries = MAX_RETRIES): EventReporter {
  /** How often single events are sent again that the network refuses or does not mention: it works, so patience gains little. */
  const maxRepeats = Math.min(maxRetries, MAX_RETRIES);
  /** The keys of stored events, the oldest first. */
  const stored = new Map<string, true>();

  return async (given, { signal: cancel, timeout, deadline, onReport, isSingle = false }) => {
    const signal = withDeadline(cancel, deadline);
    const reports: EventReport[] = [];

    function place(index: number, report: EventReport): void {
      reports[index] = report;
      void notify(onReport, report, index);
    }

    function settle({ event: { event_id }, key, places }: Pending, outcome: Outcome): void {
      if (outcome.status === 'stored') setNewest(stored, [key, true], { max: REMEMBERED_MAX });
      for (const [copy, index] of places.entries())
        place(index, { event_id, ...(outcome.status === 'stored' && copy > 0 ? { status: 'duplicate' } : outcome) });
    }

    /** Settles what can be settled before anything is sent, and returns the others. */
    function checkAll(): readonly Pending[] {
      const pending = new Map<string, Pending>();
      for (const [index, event] of given.entries()) {
        const read = readReportable(event);
        if (!read.ok) {
          place(index, { event_id: readId(own(event, 'event_id')) ?? '', status: 'refused', ...read.error });
          continue;
        }
        const { session_id, event_id } = read.event;
        const key = JSON.stringify([session_id.toLowerCase(), event_id]);
        const first = pending.get(key);
        if (stored.has(key)) place(index, { event_id, status: 'duplicate' });
        else if (first) first.places.push(index);
        else pending.set(key, { event: read.event, key, places: [index] });
      }
      return [...pending.values()];
    }

    /**
     * Sends a group until each of its events is settled, and returns those that are refused with the whole call. Rejects when
     * the network does not respond about them.
     */
    async function deliver(group: readonly Pending[]): Promise<readonly (readonly [one: Pending, error: ApiError])[]> {
      let left = group;
      for (let attempt = 1; left.length > 0; attempt++) {
        const sent = left;
        const events = sent.map(({ event }) => event);
        const response = await call({
          method: 'POST',
          path: isSingle ? '/events' : '/events/batch',
          body: isSingle ? events[0] : { events },
          isRepeatable: true,
          isResult: (status, json) => readBatchResults({ status, json }, sent.length) !== undefined,
          signal,
          timeout,
        }).catch((error: unknown) => refusalOf(error));
        if (response instanceof ApiError) {
          // If it is about one of the events, the others pass in halves.
          const half = sent.length >> 1;
          if (half === 0) return sent.map((one) => [one, response]);
          return [...(await deliver(sent.slice(0, half))), ...(await deliver(sent.slice(half)))];
        }
        const results = readBatchResults(response, sent.length);
        if (!results) throw response.unexpected('the results of a batch');
        left = sent.filter((_, at) => results[at] !== 'accepted' && !isFinal(results[at]));
        // Those that were accepted show that the network works, so the others are worth as many attempts again.
        if (left.length < sent.length) attempt = 1;
        for (const [at, one] of sent.entries()) {
          const result = results[at];
          if (result === 'accepted') settle(one, { status: 'stored' });
          else if (isFinal(result) || attempt > maxRepeats)
            settle(one, outcomeOf(result, response.unexpected('a result for each event')));
        }
        if (attempt > maxRepeats) break;
        if (left.length > 0)
          await pause(Math.max(backoffMs(attempt), Math.min(response.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)), signal);
      }
      return [];
    }

    const groups = splitIntoBatches(checkAll());
    let failed = 0;
    for (const [at, group] of groups.entries()) {
      try {
        const refusals = await deliver(group);
        // If all are refused, it is about the call, such as its version, and would be the same for the other groups.
        if (group.length > 1 && refusals.length === group.length) throw refusals[0]?.[1];
        for (const [one, error] of refusals) settle(one, refused(error));
        failed = 0;
      } catch (error) {
        const why = signal?.aborted ? abortError(signal) : (error as Error);
        const rejects = !signal?.aborted && !isOutage(error);
        failed += 1;
        const isOver = rejects || signal?.aborted || failed === FAILED_GROUPS_MAX;
        for (const one of isOver ? groups.slice(at).flat() : group)
          if (one.places.some((index) => reports[index] === undefined)) settle(one, { status: 'unknown', error: why });
        if (rejects) throw error;
        if (isOver) break;
      }
    }
    return reports;
  };
}

/**
 * Checks an event as the network does, and gives it its id and its time, once: every attempt sends the same. An amount without
 * its currency is refused here, because the network would store it.
 */
export function readReportable(
  given: unknown,
): { readonly ok: true; readonly event: IdentifiedEvent } | { readonly ok: false; readonly error: ResultError } {
  const now = new Date().toISOString();
  const read = readEvent(isObject(given) ? { ...given, event_datetime: given['event_datetime'] ?? now } : given);
  if (!read.ok) return read;
  const { event_name, session_id, conversion_properties, event_id } = read.event;
  const { conversion_id, amount, currency_code } = conversion_properties ?? {};
  if ((amount === undefined) !== (currency_code === undefined))
    return refuseEvent('INVALID_EVENT', 'conversion_properties.amount and currency_code must be given together');
  const isSale = event_name === 'CONVERSION' && conversion_id !== undefined;
  // Sessions are the same in upper and in lower case.
  const ownId = isSale ? onceId(session_id.toLowerCase(), event_name, conversion_id) : crypto.randomUUID();
  return { ok: true, event: { ...read.event, event_id: event_id ?? ownId } };
}

/** Returns events in groups that one request can hold. */
function splitIntoBatches(pending: readonly Pending[]): readonly (readonly Pending[])[] {
  const groups: Pending[][] = [];
  let bytes = 0;
  for (const one of pending) {
    // In the worst case, a UTF-16 unit becomes three bytes or six characters of an escape.
    const size = JSON.stringify(one.event).length * 3 + 1;
    const last = groups.at(-1);
    if (last && last.length < BATCH_MAX_EVENTS && bytes + size < EVENTS_BODY_MAX_BYTES) {
      last.push(one);
      bytes += size;
    } else {
      groups.push([one]);
      bytes = size;
    }
  }
  return groups;
}

/** Returns the error of a call that is about the events themselves. Throws any other. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && [400, 413, 422].includes(error.status)) return error;
  throw error;
}

/** Whether a call may succeed later: there was no response, or one that says so. A redirect or a refused key stays. */
function isOutage(error: unknown): boolean {
  if (error instanceof UnreachableError) return error.code !== 'redirect';
  return error instanceof ApiError && (error.status >= 500 || [408, 425, 429].includes(error.status));
}

function isFinal(result: EventResult | undefined): boolean {
  return typeof result === 'object' && !result.retryable;
}

function outcomeOf(result: EventResult | undefined, error: Error): Outcome {
  if (typeof result !== 'object') return { status: 'unknown', error };
  const { code = 'REFUSED', message = 'The network gives no reason.', retryable } = result;
  return { status: 'refused', code, message, retryable };
}

/** The refusal of a single event, whose code is before the message. */
function refused(error: ApiError): Outcome {
  const reason = ('fields' in error ? (error.fields as readonly { message: string }[])[0]?.message : undefined) ?? '';
  const [, code = error.code ?? `HTTP_${error.status}`, message = error.message] =
    /^([A-Z_]+): (.+)$/s.exec(reason) ?? [];
  return { status: 'refused', code, message, retryable: false };
}

function withDeadline(signal: AbortSignal | undefined, deadline: number | undefined): AbortSignal | undefined {
  if (deadline === undefined) return signal;
  const timer = AbortSignal.timeout(readMs('deadline', deadline));
  return signal ? AbortSignal.any([signal, timer]) : timer;
}
