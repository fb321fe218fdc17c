import { openClock } from '../queue/createPost.ts';
import type { SessionQueue } from '../queue/openCore.ts';
import { reasonOf } from '../wire/errors.ts';
import type { Placement, OfferOptions } from './checkOptions.ts';
import { openConsent, type ConsentChange, type ConsentScope } from './consent.ts';
import {
  outcome,
  type DismissEvent,
  type Failure,
  type Outcome,
  type OutcomeCode,
  type SuccessCode,
  type Explanation,
  type Trace,
  type Waiting,
} from './openTrace.ts';
import {
  countOffers,
  findOffers,
  throwIfAborted,
  type FoundOffers,
  type ObtainedOffers,
  type OfferContext,
} from './obtainOffers.ts';
import type { SessionStorage } from './sessionStorage.ts';

/**
 * The states of a session, in order. It waits for consent, for the page, for the relay, for an inspector that checks
 * the response before it is counted, and for a place on the page. Then the offers are shown until the shopper dismisses
 * them.
 */
export type StateName =
  | 'undecided'
  | 'denied'
  | 'preparing'
  | 'requesting'
  | 'received'
  | 'presenting'
  | 'shown'
  | 'dismissed'
  | 'failed'
  | 'invalid'
  | 'destroyed';

/** What can happen to a session. `next`: the current step has succeeded; `fail`: it ended without offers. */
export type Input = 'given' | 'denied' | 'undecided' | 'next' | 'fail' | 'dismiss' | 'invalid' | 'restart' | 'destroy';

/** Whatever comes of consent while a session wants to show something, or has. */
const WITHDRAWN = { denied: 'denied', undecided: 'undecided', restart: 'undecided', destroy: 'destroyed' } as const;

/** All transitions. What is missing changes nothing. */
export const TRANSITIONS: Readonly<Record<StateName, Readonly<{ [input in Input]?: StateName | undefined }>>> = {
  undecided: { ...WITHDRAWN, given: 'preparing', undecided: undefined, invalid: 'invalid' },
  denied: { ...WITHDRAWN, given: 'preparing', denied: undefined, undecided: undefined },
  preparing: { ...WITHDRAWN, next: 'requesting', fail: 'failed' },
  requesting: { ...WITHDRAWN, next: 'received', fail: 'failed' },
  received: { ...WITHDRAWN, next: 'presenting', fail: 'failed' },
  presenting: { ...WITHDRAWN, next: 'shown', fail: 'failed' },
  shown: { ...WITHDRAWN, dismiss: 'dismissed' },
  dismissed: WITHDRAWN,
  failed: WITHDRAWN,
  invalid: { restart: 'undecided', destroy: 'destroyed' },
  destroyed: {},
};

/** A step that others take part in. What they say when the session has moved on has no effect. */
interface Step {
  /** Aborted when the offers are not wanted any more, or must leave the page. */
  readonly signal: AbortSignal;
  /** Ends the session without offers. */
  fail(failure: Failure): void;
}

/** The current state, and what belongs to it. */
export type State<Success extends SuccessCode = SuccessCode> =
  | { readonly name: 'undecided' | 'denied' | 'requesting' | 'dismissed' | 'failed' | 'invalid' | 'destroyed' }
  /** `next` is called once offers may be requested, with those that the server has prefetched, if any. */
  | ({ readonly name: 'preparing'; next(prefetched?: unknown): void } & Step)
  /** Nothing of the response has been counted. */
  | ({ readonly name: 'received'; readonly found: FoundOffers; next(): void } & Step)
  /** `next` is called when the offers are shown. */
  | ({
      readonly name: 'presenting';
      readonly offers: ObtainedOffers;
      next(outcome: Outcome<OutcomeCode<Success>>): void;
    } & Step)
  | { readonly name: 'shown'; readonly offers: ObtainedOffers };

/** What a session is about. */
export interface Attempt<Success extends SuccessCode = 'rendered'> {
  readonly options: Omit<OfferOptions<Success>, 'onEvent'>;
  /** The placement, or why the options describe none. */
  readonly placement: Placement | Failure;
}

/** What surrounds a session. */
interface Surroundings<Success extends SuccessCode = 'rendered'> extends ConsentScope {
  readonly trace: Trace<Success>;
  /** Where events and orders are stored. */
  readonly storage: SessionStorage;
  /** Milliseconds in which displays gather into one batch. */
  readonly gatherMs?: number;
}

/** One attempt to show offers to one shopper, from consent to delivery. */
export interface OfferSession<Success extends SuccessCode = 'rendered'> {
  readonly state: State<Success>;
  /** The queue, while there is one. */
  readonly queue: SessionQueue | undefined;
  /** Calls back with each new state. */
  subscribe(listener: (state: State<Success>) => void): void;
  /** Takes a later decision on consent, or a source of decisions. */
  consent(decision: unknown): void;
  /** The shopper closes the offers. */
  dismiss(by: DismissEvent['by']): void;
  /** Forgets the orders that this device remembers, and begins anew with another attempt. */
  restart(attempt: Attempt<Success>): void;
  /** Opens the queue anew: it captures the page's `fetch` and storage when it is opened. */
  reopenQueue(): SessionQueue;
  flush(): Promise<void>;
  explain(): Explanation<Success>;
  /** Ends the session. What was tracked stays on the device until it is delivered. */
  destroy(): void;
}

const NO_CONSENT = 'Call consent(true) once the shopper has agreed.';

/** What each state waits for, and what to do about it. */
const WAITING: Readonly<Partial<Record<StateName, Waiting>>> = {
  undecided: { waitingFor: 'consent', hint: NO_CONSENT },
  preparing: { waitingFor: 'page', hint: 'The page has to be loaded and idle.' },
  requesting: { waitingFor: 'relay', hint: 'The relay has not responded yet.' },
  presenting: { waitingFor: 'dialog', hint: 'Another modal dialog of the page has to be closed.' },
};

/** Opens a session. The code that shows its offers subscribes to its states. Never throws. */
export function openOfferSession<Success extends SuccessCode = 'rendered'>(
  attempt: Attempt<Success>,
  { trace, storage, gatherMs, ...scope }: Surroundings<Success>,
): OfferSession<Success> {
  const consent = openConsent();
  const listeners = new Set<(state: State<Success>) => void>();
  const clock = openClock();
  /** Decisions from before the session has begun. */
  const early: unknown[] = [];
  let state: State<Success> = { name: 'undecided' };
  let lifetime = new AbortController();
  let queue: SessionQueue | undefined;
  /** Listens for withdrawals while there is consent but no queue yet. */
  let watch: { close(): void } | undefined;
  let forgetting: Promise<unknown> | undefined;
  let hasBegun = false;

  const signal = 'code' in attempt.placement ? undefined : attempt.options.signal;
  consent.subscribe(decided);
  // So that the caller has its session before the first event, and a mount that React undoes at once does nothing.
  queueMicrotask(begin);
  if (signal?.aborted) queueMicrotask(destroy);
  signal?.addEventListener('abort', destroy);

  return {
    get state() {
      return state;
    },
    get queue() {
      return queue;
    },
    subscribe: (listener) => void listeners.add(listener),
    consent(decision) {
      if (hasBegun) consent.set(decision, 'consent()');
      else early.push(decision);
    },
    dismiss(by) {
      const { name, offers } = state as Extract<State, { name: 'shown' }>;
      if (name === 'shown' && move('dismiss', { name: 'dismissed' })) offers.reporter.dismissed(by);
    },
    restart(changed) {
      if (!move('restart', { name: 'undecided' })) return;
      attempt = changed;
      trace.restart();
      storage.forgetOrders();
      forgetting = queue?.notes.sweep(() => false);
      const { options, placement } = attempt;
      if ('code' in placement) end('invalid', placement);
      // A source is called once.
      else if (typeof options.consent !== 'function')
        consent.set('consent' in options ? options.consent : true, 'option');
      else if (consent.state === 'given') prepare();
    },
    reopenQueue,
    async flush() {
      await queue?.flush();
    },
    explain: () => trace.explain(consent.decision, WAITING[state.name] ?? {}),
    destroy,
  };

  function begin(): void {
    const { options, placement } = attempt;
    if (state.name === 'destroyed') return;
    hasBegun = true;
    if ('code' in placement) return end('invalid', placement);
    const reason = placement.warnings.join(' ');
    // oxlint-disable-next-line no-console -- once: nobody would notice that something was left out
    if (reason) console.warn(`offerlet: ${reason}`);
    if (reason) trace.emit({ type: 'error', reason });
    storage.resume(endpoint());
    consent.begin(options, scope);
    for (const decision of early) consent.set(decision, 'consent()');
  }

  function destroy(): void {
    const isOpen = !trace.outcome;
    if (!move('destroy', { name: 'destroyed' })) return;
    signal?.removeEventListener('abort', destroy);
    consent.close();
    void takeQueue()?.close();
    listeners.clear();
    if (isOpen) trace.end(outcome('no_offers', 'Destroyed before any offers were shown'));
  }

  function decided({ state: decision, before }: ConsentChange): void {
    if (decision === 'given') prepare();
    else if (decision === 'denied') deny();
    // What was recorded with consent is neither sent nor cleared before the next decision.
    else if (before === 'given' && move('undecided', { name: 'undecided' })) {
      void takeQueue()?.suspend();
      trace.end(outcome('consent_denied', 'Consent is undecided again', NO_CONSENT));
    }
  }

  /** Takes the offers down and clears what this page, or an earlier one, was allowed to store. */
  function deny(): void {
    if (!move('denied', { name: 'denied' })) return;
    const open = takeQueue();
    const { isElsewhere } = consent;
    // When the page has given consent, one mount that denies it says nothing about what is stored.
    const isOwnOnly = !open && scope.page?.decision?.isGiven;
    if (!isOwnOnly && (open ?? !isElsewhere)) storage.forgetOrders();
    if (isElsewhere) open?.rows.withdrawn();
    else if (open) void open.withdraw();
    else if (!isOwnOnly) storage.withdraw(endpoint());
    trace.end(outcome('consent_denied', 'There is no consent', NO_CONSENT));
  }

  function takeQueue(): SessionQueue | undefined {
    const open = queue;
    queue = undefined;
    watch?.close();
    return open;
  }

  /** Consent was withdrawn in another tab, or by another mount. */
  function withdrawn(): void {
    consent.withdraw();
    scope.page?.withdraw();
  }

  function prepare(): void {
    if (!TRANSITIONS[state.name].given) return;
    lifetime = new AbortController();
    const { signal } = lifetime;
    if (!queue) watch = storage.onWithdrawal(withdrawn);
    if (trace.outcome) trace.restart();
    move('given', {
      name: 'preparing',
      signal,
      next: (prefetched) => void request(signal, prefetched),
      fail: failing(signal),
    });
  }

  async function request(signal: AbortSignal, prefetched?: unknown): Promise<void> {
    const { placement, options } = attempt;
    const { fetch, headers } = options;
    if (signal.aborted || 'code' in placement || !move('next', { name: 'requesting' })) return;
    const fail = failing(signal);
    const context: OfferContext = {
      placement,
      access: { fetch, headers, clock },
      prefetched,
      storage,
      trace: trace as Trace<never>,
      signal,
      queue: () => queue,
    };
    try {
      await forgetting;
      throwIfAborted(signal);
      if (!queue) reopenQueue();
      // With offers at hand, nothing is awaited in between.
      if (!prefetched) await nextTask();
      throwIfAborted(signal);
      const found = await findOffers(context);
      throwIfAborted(signal);
      if ('code' in found) return fail(found);
      move('next', { name: 'received', found, signal, fail, next: () => count(found, context) });
    } catch (error) {
      fail(outcome('network_error', `The offers could not be shown (${reasonOf(error)})`, 'Please report this.'));
    }
  }

  function count(found: FoundOffers, context: OfferContext): void {
    const { signal } = context;
    if (signal.aborted || state.name !== 'received') return;
    const offers = countOffers(found, context);
    const fail = failing(signal);
    if ('code' in offers) return fail(offers);
    const next = (outcome: Outcome<OutcomeCode<Success>>): void => {
      if (!signal.aborted && move('next', { name: 'shown', offers })) trace.end(outcome);
    };
    move('next', { name: 'presenting', offers, signal, fail, next });
  }

  /** Returns the function that ends the current attempt without offers. */
  function failing(signal: AbortSignal): (failure: Failure) => void {
    return (failure) => {
      if (signal.aborted) return;
      // What earlier pages have left is sent all the same.
      if (state.name === 'preparing' && !queue) reopenQueue();
      end('failed', failure);
    };
  }

  function end(name: 'failed' | 'invalid', failure: Failure): void {
    if (move(name === 'failed' ? 'fail' : name, { name })) trace.end(failure);
  }

  /** Goes to a state, unless the table has none for the input. Returns whether it did. */
  function move(input: Input, to: State<Success>): boolean {
    if (TRANSITIONS[state.name][input] !== to.name) return false;
    state = to;
    // What is on the page, or on its way there, goes with everything but success.
    if (input !== 'next' && input !== 'given' && input !== 'dismiss') lifetime.abort(input);
    for (const listener of listeners) listener(state);
    return true;
  }

  function endpoint(): string {
    return 'code' in attempt.placement ? '' : `${attempt.placement.relay}/events/batch`;
  }

  function reopenQueue(): SessionQueue {
    void queue?.close();
    const { fetch, headers } = attempt.options;
    watch?.close();
    return (queue = storage.openQueue({
      endpoint: endpoint(),
      fetch,
      headers,
      clock,
      onEvent: trace.emit,
      onWithdrawn: withdrawn,
      gatherMs,
    }));
  }
}

/** Resolves in a separate task, after `ms`, so that the current task stays short and input is handled in between. */
export function nextTask(ms?: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
