import type { EventName } from '../wire/events/wireEvent.ts';
import type { Outcome, OutcomeCode, SuccessCode } from './outcome.ts';
import type { LeftOutEvent, PageEvent } from './pageEvent.ts';

/** Everything that happened to one mount, without personal data: what `explain()` returns. */
export interface Explanation<Success extends SuccessCode = 'rendered'> {
  /** How it ended. Missing while it has not. */
  readonly outcome?: Outcome<OutcomeCode<Success>> | undefined;
  /** The latest decision on consent, who made it, and when. Missing until there is one. */
  readonly consent?: ConsentDecision | undefined;
  /** The request: its relay and placement, and which fields (never their values) identified the shopper. */
  readonly asked?:
    | {
        readonly relay: string;
        readonly view: string;
        readonly display_mode: string;
        readonly user_details: readonly string[];
        readonly isSandbox: boolean;
        /** The order has an `order_id`, so its response is remembered. */
        readonly isRemembering: boolean;
      }
    | undefined;
  /** The response, or what was remembered of it. */
  readonly answered?:
    | {
        readonly session_id: string;
        readonly offers: number;
        readonly isSandbox: boolean;
        readonly isRemembered: boolean;
        /** False if the browser declares itself a bot: then offers are shown and not counted. */
        readonly isCounted: boolean;
      }
    | undefined;
  /** Offers of the response that are not shown, and why. */
  readonly left_out: readonly LeftOutEvent[];
  /** What was seen and done, as tracked, in order. */
  readonly tracked: readonly EventName[];
  /** How many of those are still on this device, and what else the queue did since this mount opened it. */
  readonly queue: {
    readonly waiting: number;
    readonly delivered: number;
    readonly dropped: number;
    readonly dead: number;
  };
  /** Every event, in order. */
  readonly events: readonly PageEvent<Success>[];
}

/** A decision on consent. */
export interface ConsentDecision {
  readonly isGiven: boolean;
  /** `option`, `default`, `Global Privacy Control`, `consent()`, `elsewhere` (another tab or mount), or the name of the source. */
  readonly by: string;
  /** When, as an ISO 8601 date and time. */
  readonly at: string;
}

/** Maximum events that `explain()` returns: a page that stays open for days must not grow. */
const EVENTS_MAX = 500;

/** Records the steps of a mount. */
export interface Trace<Success extends SuccessCode = 'rendered'> {
  consent: Explanation['consent'];
  asked: Explanation['asked'];
  answered: Explanation['answered'];
  /** Resolves to the outcome. After a restart that follows an outcome it is a new promise. */
  readonly ended: Promise<Outcome<OutcomeCode<Success>>>;
  emit(event: PageEvent<Success>): void;
  /** Records and reports the outcome, once. */
  end(outcome: Outcome<OutcomeCode<Success>>): void;
  /** Begins a new explanation after the events so far. */
  restart(): void;
  explain(): Explanation<Success>;
}

/** Opens an empty trace, which passes each event on to the listeners. Errors that they throw are ignored. */
export function openTrace<Success extends SuccessCode = 'rendered'>(
  ...listeners: ((event: PageEvent<Success>) => void)[]
): Trace<Success> {
  const events: PageEvent<Success>[] = [];
  let outcome: Outcome<OutcomeCode<Success>> | undefined;
  let settle: (outcome: Outcome<OutcomeCode<Success>>) => void;
  let ended = unsettled();

  function unsettled(): Promise<Outcome<OutcomeCode<Success>>> {
    return new Promise((resolve) => (settle = resolve));
  }

  function emit(event: PageEvent<Success>): void {
    events.push(event);
    if (events.length > EVENTS_MAX) events.shift();
    for (const listener of listeners) {
      try {
        listener(event);
      } catch {
        // The listener's own error: the session goes on.
      }
    }
  }

  function explain(): Explanation<Success> {
    const { consent, asked, answered } = trace;
    const all: readonly PageEvent<SuccessCode>[] = events;
    const waiting = new Set<string>();
    const queue = { delivered: 0, dropped: 0, dead: 0 };
    for (const event of all) {
      if (event.type === 'tracked') waiting.add(event.event.event_id);
      if (event.type === 'delivered') for (const id of event.event_ids) waiting.delete(id);
      if (event.type === 'delivered' || event.type === 'dropped') queue[event.type] += event.count;
      if (event.type === 'dead_letter' && waiting.delete(event.event.event_id)) queue.dead++;
    }
    return {
      outcome,
      consent,
      asked,
      answered,
      left_out: all.filter((event) => event.type === 'left_out'),
      tracked: all.flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : [])),
      queue: { ...queue, waiting: waiting.size },
      events: [...events],
    };
  }

  const trace: Trace<Success> = {
    consent: undefined,
    asked: undefined,
    answered: undefined,
    get ended() {
      return ended;
    },
    emit,
    end(result) {
      if (outcome) return;
      outcome = result;
      const { code, message, hint } = result;
      const isError = code === 'invalid_config' || code === 'refused' || code === 'network_error';
      // oxlint-disable-next-line no-console -- the one line that a developer must see, and the only one
      if (code === 'invalid_config') console.warn(`offerlet: ${message}. ${hint}`);
      emit({ type: isError ? 'error' : code, ...result });
      settle(result);
    },
    restart() {
      if (outcome) ended = unsettled();
      trace.asked = trace.answered = outcome = undefined;
    },
    explain,
  };
  return trace;
}
