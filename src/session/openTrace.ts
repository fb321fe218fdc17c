import type { EventName } from '../wire/events/wireEvent.ts';
import type { ConsentDecision } from './consent.ts';
import type { LeftOutEvent, Outcome, OutcomeCode, PageEvent, SuccessCode } from './events.ts';

/** What a mount waits for before it goes on. */
export type WaitingFor = 'consent' | 'page' | 'dialog' | 'relay';

/** Everything that happened to one mount, without personal data: what `explain()` returns. */
export interface Explanation<Success extends SuccessCode = 'rendered'> {
  /** The latest outcome. Missing while there is none. */
  readonly outcome?: Outcome<OutcomeCode<Success>> | undefined;
  /** The latest decision on consent, who made it, and when. Missing while the shopper has not decided. */
  readonly consent?: ConsentDecision | undefined;
  /** What the mount waits for. Missing while it waits for nothing. */
  readonly waitingFor?: WaitingFor | undefined;
  /** What to do about that, in a sentence. */
  readonly hint?: string | undefined;
  /** The request: its relay and placement, and which fields (never their values) identified the shopper. */
  readonly request?:
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
  readonly response?:
    | {
        readonly session_id: string;
        readonly offers: number;
        readonly isSandbox: boolean;
        readonly isRemembered: boolean;
        /** The server had requested it when it rendered the page. */
        readonly isPrefetched: boolean;
        /** False if the browser declares itself a bot: then offers are shown and not counted. */
        readonly isCounted: boolean;
      }
    | undefined;
  /** Whether offers that the server has prefetched were used, and if not, why. Missing if there are none. */
  readonly prefetched?: string | undefined;
  /** Offers of the response that are not shown, and why. */
  readonly leftOut: readonly LeftOutEvent[];
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

/** Maximum events that `explain()` returns: a page that stays open for days must not grow. */
const EVENTS_MAX = 500;

/** What a mount waits for now, and what to do about it. */
export interface Waiting {
  readonly waitingFor?: WaitingFor | undefined;
  readonly hint?: string | undefined;
}

/** Records the steps of a mount, and passes each event on. */
export interface Trace<Success extends SuccessCode = 'rendered'> {
  request: Explanation['request'];
  response: Explanation['response'];
  prefetched: Explanation['prefetched'];
  /** Resolves to the first outcome. */
  readonly first: Promise<Outcome<OutcomeCode<Success>>>;
  /** The latest outcome. */
  readonly outcome: Outcome<OutcomeCode<Success>> | undefined;
  /** Calls back with each event, until the returned function is called. Errors of listeners are ignored. */
  subscribe(listener: (event: PageEvent<Success>) => void): () => void;
  emit(event: PageEvent<Success>): void;
  /** Records and reports an outcome. */
  end(outcome: Outcome<OutcomeCode<Success>>): void;
  /** Begins a new explanation after the events so far. */
  restart(): void;
  explain(consent: ConsentDecision | undefined, waiting: Waiting): Explanation<Success>;
}

/** Opens an empty trace. */
export function openTrace<Success extends SuccessCode = 'rendered'>(): Trace<Success> {
  const listeners = new Set<(event: PageEvent<Success>) => void>();
  const events: PageEvent<Success>[] = [];
  let current: Outcome<OutcomeCode<Success>> | undefined;
  let settle: (outcome: Outcome<OutcomeCode<Success>>) => void;
  const first = new Promise<Outcome<OutcomeCode<Success>>>((resolve) => (settle = resolve));

  const trace: Trace<Success> = {
    request: undefined,
    response: undefined,
    prefetched: undefined,
    first,
    get outcome() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit(event) {
      events.push(event);
      if (events.length > EVENTS_MAX) events.shift();
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          // The listener's own error: the session goes on.
        }
      }
    },
    end(outcome) {
      current = outcome;
      const { code, message, hint } = outcome;
      // oxlint-disable-next-line no-console -- the one line that a developer must see, and the only one
      if (code === 'invalid_config') console.warn(`offerlet: ${message}. ${hint}`);
      trace.emit({ type: 'outcome', ...outcome });
      settle(outcome);
    },
    restart() {
      trace.request = trace.response = trace.prefetched = current = undefined;
    },
    explain(consent, waiting) {
      const { request, response, prefetched } = trace;
      const all: readonly PageEvent<SuccessCode>[] = events;
      return {
        outcome: current,
        consent,
        ...waiting,
        request,
        response,
        prefetched,
        leftOut: all.filter((event) => event.type === 'leftOut'),
        tracked: all.flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : [])),
        queue: countQueue(all),
        events: [...events],
      };
    },
  };
  return trace;
}

function countQueue(events: readonly PageEvent<SuccessCode>[]): Explanation['queue'] {
  const waiting = new Set<string>();
  const counts = { delivered: 0, dropped: 0, dead: 0 };
  for (const event of events) {
    if (event.type === 'tracked') waiting.add(event.event.event_id);
    if (event.type === 'delivered') for (const id of event.eventIds) waiting.delete(id);
    if (event.type === 'delivered' || event.type === 'dropped') counts[event.type] += event.count;
    if (event.type === 'dead_letter' && waiting.delete(event.event.event_id)) counts.dead++;
  }
  return { ...counts, waiting: waiting.size };
}
