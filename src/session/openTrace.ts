import type { QueueEvent } from '../queue/events.ts';
import type { EventName } from '../wire/events.ts';
import type { Problem } from '../wire/json.ts';
import { isLoopbackHost } from '../wire/keys.ts';
import type { ConsentDecision, ConsentEntry } from './consent.ts';

/**
 * Why there are no offers. `consent_pending`: the decision was taken back; `already_shown`: the shopper closed the order's offers
 * on an earlier page; `dismissed`: before they were shown on this one; `refused`: the relay responded with 4xx; `network_error`:
 * unreachable, 5xx, timeout, blocked, or not understood; `failed`: the widget threw.
 */
export type FailureCode =
  | 'no_offers'
  | 'consent_pending'
  | 'consent_denied'
  | 'already_shown'
  | 'dismissed'
  | 'destroyed'
  | 'invalid_config'
  | 'refused'
  | 'network_error'
  | 'failed';

/** How a mount ended. A session without a page says `offers` instead of `rendered`. */
export type OutcomeCode<Success extends string = 'rendered'> = Success | FailureCode;

/** How a mount ended: what happened, in a sentence, and what to do about it. */
export interface Outcome<Code extends string = OutcomeCode> {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
  /** What the relay or the network found wrong, field by field, when it says so. */
  readonly errors?: readonly Problem[];
}

/** Why there are no offers, in a sentence. */
export type Failure = Outcome<FailureCode>;

/** Creates an outcome. `hint` says what to do, when there is something to do. */
export function outcome<Code extends string>(code: Code, message: string, hint?: string): Outcome<Code> {
  return hint ? { code, message, hint } : { code, message };
}

/** Returns the outcome for an option that is missing or not valid. */
export function invalid(name: string, expected: string): Failure {
  return outcome('invalid_config', `${name} is missing or not valid`, `Set ${name} to ${expected}.`);
}

/** An outcome as an event: the first one, and each later one, such as consent that is withdrawn after offers were shown. */
export interface OutcomeEvent<Code extends string = OutcomeCode> extends Outcome<Code> {
  readonly type: 'outcome';
}

/** The shopper saw an offer or acted on it. */
export interface OfferEvent {
  readonly type: 'display' | 'view' | 'click' | 'decline' | 'next' | 'back' | 'copy' | 'product';
  readonly session_id: string;
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly insertion_id: string;
  /** The tile that was clicked, if it was a tile. */
  readonly asset_id?: string;
}

/** An offer of the response that is not shown, and why. */
export interface LeftOutEvent {
  readonly type: 'leftOut';
  readonly offer_id: string;
  readonly reason: string;
}

/** The shopper followed a link of the footer. */
export interface FooterEvent {
  readonly type: 'footer';
  readonly link: 'brand' | 'privacy';
}

/** The offers were closed. `page` means by calling `dismiss()`. */
export interface DismissEvent {
  readonly type: 'dismiss';
  readonly by: 'close' | 'escape' | 'backdrop' | 'drag' | 'finished' | 'page';
}

/** Everything that `onEvent` is called with. The page gets the same as the `detail` of `offerlet` DOM events. */
export type PageEvent<Code extends string = OutcomeCode> =
  | OfferEvent
  | OutcomeEvent<Code>
  | LeftOutEvent
  | FooterEvent
  | DismissEvent
  | QueueEvent;

/** What a mount waits for before it goes on. */
export type WaitingFor = 'consent' | 'page' | 'dialog' | 'relay';

/** Everything that happened to one mount, without personal data: what `explain()` returns. */
export interface Explanation<Code extends string = OutcomeCode> {
  /** The latest outcome. Missing until the first. */
  readonly outcome?: Outcome<Code> | undefined;
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
  /** The response, or the remembered part. */
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
  readonly events: readonly PageEvent<Code>[];
}

/** Maximum events that `explain()` returns, and that one event may lead to: a page that stays open for days must not grow. */
const EVENTS_MAX = 500;

/** What a mount waits for, and what to do about it. */
const WAITING = {
  consent: 'Choose in the consent banner. Without one, call consent(true) once the shopper agrees.',
  page: 'The place of the offers must be there and visible.',
  relay: 'The relay has not responded.',
  dialog: 'Close the dialog of the page.',
} as const satisfies Readonly<Record<WaitingFor, string>>;

/** What to do where there is no consent. */
export const NO_CONSENT = WAITING.consent;

/** Records the steps of a mount, and passes each event on. */
export interface Trace<Code extends string = OutcomeCode> extends Pick<
  Explanation,
  'request' | 'response' | 'prefetched' | 'waitingFor'
> {
  request: Explanation['request'];
  response: Explanation['response'];
  prefetched: Explanation['prefetched'];
  waitingFor: WaitingFor | undefined;
  /** Resolves to the first outcome. */
  readonly first: Promise<Outcome<Code>>;
  /** The latest outcome. */
  readonly outcome: Outcome<Code> | undefined;
  /** Calls back with each event, until the returned function is called. Errors of listeners are ignored. */
  subscribe(listener: (event: PageEvent<Code>) => void): () => void;
  emit(event: PageEvent<Code>): void;
  /** Records and reports an outcome. After it, nothing is waited for but consent that is pending. */
  conclude(outcome: Outcome<Code>): void;
  /** Begins a new explanation after the events so far, of a mount that waits for its page. */
  restart(): void;
  /** Describes it. `stored` are the events that the queue still has, and `hint` says what to do where there is no consent. */
  explain(consent?: ConsentEntry, stored?: readonly unknown[], hint?: string): Explanation<Code>;
}

/** Opens an empty trace. */
export function openTrace<Code extends string = OutcomeCode>(): Trace<Code> {
  const listeners = new Set<(event: PageEvent<Code>) => void>();
  const events: PageEvent<Code>[] = [];
  /** What listeners are hearing, and what comes after it. */
  const pending: PageEvent<Code>[] = [];
  let current: Outcome<Code> | undefined;
  let settle: (outcome: Outcome<Code>) => void;
  const first = new Promise<Outcome<Code>>((resolve) => (settle = resolve));

  const trace: Trace<Code> = {
    request: undefined,
    response: undefined,
    prefetched: undefined,
    waitingFor: 'consent',
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
      // What a listener causes comes after what it hears, for every listener.
      if (pending.push(event) > 1) return;
      for (const [at, next] of pending.entries()) {
        // A listener that causes events without end.
        if (at === EVENTS_MAX) break;
        for (const listener of listeners)
          try {
            listener(next);
          } catch {
            // The listener's own error: the session goes on.
          }
      }
      pending.length = 0;
    },
    conclude(outcome) {
      current = outcome;
      const { code, message, hint } = outcome;
      // Where a developer looks, whatever is wrong has one line.
      if (code === 'invalid_config' || (hint && /refused|error|no_|failed/.test(code) && isDeveloping()))
        warn(`${message}. ${hint} (${code})`);
      settle(outcome);
      trace.emit({ type: 'outcome', ...outcome });
    },
    restart() {
      trace.request = trace.response = trace.prefetched = current = undefined;
      trace.waitingFor = 'page';
    },
    explain(latest, stored = [], hint = NO_CONSENT) {
      const { request, response, prefetched } = trace;
      const waitingFor = !current ? trace.waitingFor : current.code === 'consent_pending' ? 'consent' : undefined;
      return {
        outcome: current,
        consent: latest && decisionOf(latest),
        waitingFor,
        hint: waitingFor === 'consent' ? hint : waitingFor && WAITING[waitingFor],
        request,
        response,
        prefetched,
        leftOut: events.filter((event) => event.type === 'leftOut'),
        tracked: events.flatMap((event) => (event.type === 'tracked' ? [event.event.event_name] : [])),
        queue: countQueue(events, stored),
        events: [...events],
      };
    },
  };
  return trace;
}

/** Writes a line to the console. */
export function warn(text: string): void {
  // oxlint-disable-next-line no-console -- where a developer looks
  console.warn(`offerlet: ${text}`);
}

/** Writes a line to the console, on a page of the developer's own machine. */
export function tellDeveloper(text: string): void {
  if (isDeveloping()) warn(text);
}

function decisionOf({ isGiven, by, at }: ConsentEntry): ConsentDecision | undefined {
  return isGiven === undefined ? undefined : { isGiven, by, at };
}

/** Whether this is a page of the developer's own machine. */
export function isDeveloping(): boolean {
  return isLoopbackHost((globalThis as { location?: { hostname?: string } }).location?.hostname ?? '');
}

/**
 * Counts what became of the events of this mount. What is no longer `stored` has been delivered by another tab or mount, unless
 * so many were dropped.
 */
function countQueue(events: readonly PageEvent<string>[], stored: readonly unknown[]): Explanation['queue'] {
  const waiting = new Set<string>();
  let [delivered, dropped, dead] = [0, 0, 0];
  for (const event of events) {
    if (event.type === 'tracked') waiting.add(event.event.event_id);
    if (event.type === 'delivered') delivered += event.eventIds.filter((id) => waiting.delete(id)).length;
    if (event.type === 'dropped') dropped += event.count;
    if (event.type === 'deadLetter' && waiting.delete(event.event.event_id)) dead++;
  }
  const gone = [...waiting].filter((id) => !stored.includes(id)).length;
  dropped = Math.min(dropped, gone);
  return { waiting: waiting.size - gone, delivered: delivered + gone - dropped, dropped, dead };
}
