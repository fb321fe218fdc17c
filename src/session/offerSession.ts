import { openClock } from '../queue/createPost.ts';
export { nextTask } from '../queue/createPost.ts';
import type { SessionQueue } from '../queue/openCore.ts';
import { reasonText } from '../wire/errors.ts';
import { own } from '../wire/json.ts';
import { nameOf, type Placement, type OfferOptions } from './checkOptions.ts';
import { openConsent, type ConsentEntry, type ConsentScope, type ConsentSource } from './consent.ts';
import { findOffers, type FoundOffers, type LoadedOffers, type OfferContext, type Prefetched } from './findOffers.ts';
import {
  isDeveloping,
  tellDeveloper,
  warn,
  NO_CONSENT,
  outcome,
  type DismissEvent,
  type Failure,
  type FailureCode,
  type Outcome,
  type OutcomeCode,
  type Explanation,
  type Trace,
} from './openTrace.ts';
import type { SessionStorage } from './sessionStorage.ts';

/** Shows offers. It is called each time consent is given, and `signal` is aborted when they must leave. */
export type Show<Code extends string> = (
  session: OfferSession<Code>,
  signal: AbortSignal,
) => Promise<Shown<Code> | Failure>;

/** Offers that are shown, and the outcome that says so. */
export interface Shown<Code extends string = OutcomeCode> {
  readonly offers: LoadedOffers;
  readonly outcome: Outcome<Code>;
}

/** What surrounds a session. */
interface Surroundings<Code extends string> extends ConsentScope {
  readonly trace: Trace<Code | FailureCode>;
  /** Where events and orders are stored. */
  readonly storage: SessionStorage;
  readonly show: Show<Code>;
  /** The prefix of the attributes that the options were read from, for messages. */
  readonly prefix?: string | undefined;
  /** Resolves once somebody sees the page: nothing is requested or stored before. */
  whenActive?(signal: AbortSignal): Promise<void>;
  /** Called when the session was destroyed. */
  onDestroyed?(): void;
  /** Milliseconds in which displays gather into one batch. */
  readonly gatherMs?: number;
}

/** One attempt to show offers to one shopper, from consent to delivery. */
export interface OfferSession<Code extends string = OutcomeCode> {
  /** The queue, while there is one. */
  readonly queue: SessionQueue | undefined;
  /** The offers that were shown last. */
  readonly shown: LoadedOffers | undefined;
  /** Whether the shopper sees them, and may close them. */
  readonly isOpen: boolean;
  /** Resolves to the response for the order, or to why there is none. Rejects when `signal` is aborted. */
  find(signal: AbortSignal, prefetched: Prefetched): Promise<FoundOffers | Failure>;
  /** Takes a later decision on consent, or a source of decisions. */
  consent(decision: unknown): void;
  /** The shopper closes the offers. */
  dismiss(by: DismissEvent['by']): void;
  /** Where there is consent, forgets the orders that this device remembers, and shows offers for another placement. */
  again(placement: Placement | Failure): void;
  flush(): Promise<void>;
  explain(): Explanation<Code | FailureCode>;
  /** Ends the session. What was tracked stays on the device until it is delivered. */
  destroy(): void;
}

/** Milliseconds after which a decision that is pending is told to a developer. */
const UNDECIDED_MS = 1_000;

/** Opens a session for a placement, or for why the options describe none. Never throws. */
export function openOfferSession<Code extends string>(
  placement: Placement | Failure,
  { trace, storage, gatherMs, show, whenActive, prefix, onDestroyed, ...scope }: Surroundings<Code>,
): OfferSession<Code> {
  const consent = openConsent();
  const clock = openClock();
  /** Decisions from before the session has begun. */
  const early: unknown[] = [];
  /** There while there is consent. Aborted when it ends, or the offers must leave. */
  let lifetime: AbortController | undefined;
  /** What is found, or was. */
  let finding: OfferContext | undefined;
  let shown: LoadedOffers | undefined;
  let isOpen = false;
  /** The shopper has closed the offers of this placement, here: consent that is given again does not bring them back. */
  let isClosed = false;
  /** The latest. It sends and takes events while there is consent. */
  let queue: SessionQueue | undefined;
  let hasBegun = false;
  let isDestroyed = false;

  let current = placement;
  /** Of the latest placement. */
  let options: Partial<OfferOptions> = 'code' in placement ? {} : placement.options;
  /** The caller's, which destroys the session. Each time that offers are shown has its own signal. */
  const callerSignal = options.signal;
  consent.subscribe(decided);
  if (callerSignal?.aborted) queueMicrotask(destroy);
  // So that the caller has its session before the first event, and a mount that React undoes at once does nothing.
  queueMicrotask(begin);
  callerSignal?.addEventListener('abort', destroy);

  const session: OfferSession<Code> = {
    get queue() {
      return lifetime && queue;
    },
    get shown() {
      return shown;
    },
    get isOpen() {
      return isOpen;
    },
    find(signal, prefetched) {
      if ('code' in current) return Promise.resolve(current);
      const { fetch, headers } = options;
      trace.waitingFor = 'relay';
      finding = {
        placement: current,
        access: { fetch, headers, clock },
        prefetched,
        orders: queue && storage.orders(queue),
        trace,
        signal,
        queue: () => session.queue,
        isClosed,
      };
      return findOffers(finding);
    },
    consent(decision) {
      if (hasBegun) consent.set(decision, 'consent()');
      else early.push(decision);
    },
    dismiss(by) {
      if (isOpen) {
        isOpen = false;
        isClosed = true;
        return shown?.reporter.dismissed(by);
      }
      if (!lifetime || trace.outcome) return;
      isClosed = true;
      // The next page must not show them either.
      finding?.memory?.once('closed');
      lifetime.abort('dismissed');
      lifetime = new AbortController();
      trace.conclude(outcome('dismissed', 'Closed before any offers were shown'));
    },
    again(changed) {
      // Only another option decides anew: under the same one, consent stays what it is.
      const before = options.consent;
      current = changed;
      if (!('code' in changed)) ({ options } = changed);
      isClosed = false;
      const isForced = hasBegun && !isDestroyed && options.consent !== before;
      if (!isForced && !lifetime) return;
      storage.clearOrders();
      abort('again');
      if (isForced) consent.begin(options, scope);
      if (consent.latest?.isGiven && !lifetime) void run();
    },
    async flush() {
      await queue?.flush();
    },
    explain() {
      const rows = [...(queue?.rows.known.values() ?? [])];
      const stored = rows.map(({ value }) => own(own(value, 'event'), 'event_id'));
      return trace.explain(consent.latest, stored, consentHint());
    },
    destroy,
  };
  return session;

  function begin(): void {
    if (isDestroyed) return;
    if ('code' in placement) return trace.conclude(placement);
    hasBegun = true;
    const reason = placement.warnings.join(' ');
    // Nobody would notice that something was left out.
    if (reason) warn(reason);
    if (reason) trace.emit({ type: 'error', reason });
    storage.resume(endpoint());
    consent.begin(options, scope);
    for (const decision of early) consent.set(decision, 'consent()');
    // Most platforms have decided by then.
    if (isDeveloping())
      setTimeout(() => consent.latest?.isGiven === undefined && !isDestroyed && tellConsent(), UNDECIDED_MS);
  }

  /** A page that waits for consent looks like one that is finished. */
  function tellConsent(): void {
    const { isGiven, by } = consent.latest ?? {};
    tellDeveloper(
      `${nameOf('consent', prefix)} is ${isGiven === undefined ? 'undecided' : `denied (${by})`}. ${consentHint()}`,
    );
  }

  function consentHint(): string {
    return (options.consent as Partial<ConsentSource> | null | undefined)?.hint ?? NO_CONSENT;
  }

  /** Shows offers, from consent to the outcome. */
  async function run(): Promise<void> {
    const started = (lifetime = new AbortController());
    const { signal } = started;
    trace.restart();
    let ended: Shown<Code> | Failure;
    try {
      // A sibling that denies in this task does not withdraw this consent: the queue opens after its message has left.
      if (whenActive) await whenActive(signal);
      if (signal.aborted) return;
      // Whatever becomes of this page: what earlier ones have left is sent, and a withdrawal elsewhere is heard.
      void queue?.close();
      const { fetch, headers } = options;
      queue = storage.openQueue({
        endpoint: endpoint(),
        fetch,
        headers,
        clock,
        onEvent: trace.emit,
        known: queue?.rows.known,
        onWithdrawn: withdraw,
        gatherMs,
      });
      ended = 'code' in current ? current : await show(session, signal);
    } catch (error) {
      if (signal.aborted) return;
      // The page must not stay locked behind a layer that did not open.
      started.abort('failed');
      return trace.conclude(
        outcome('failed', `The offers could not be shown (${reasonText(error)})`, 'Please report this.'),
      );
    }
    if (signal.aborted) return;
    if ('code' in ended) return trace.conclude(ended);
    shown = ended.offers;
    isOpen = true;
    trace.conclude(ended.outcome);
  }

  /** Takes down what is shown, or on its way there. */
  function abort(reason: string): void {
    lifetime?.abort(reason);
    lifetime = finding = undefined;
    isOpen = false;
  }

  function destroy(): void {
    if (isDestroyed) return;
    isDestroyed = true;
    const isOpen = !trace.outcome;
    abort('destroy');
    callerSignal?.removeEventListener('abort', destroy);
    consent.close();
    void queue?.close();
    if (isOpen) trace.conclude(outcome('destroyed', 'Destroyed before any offers were shown'));
    onDestroyed?.();
  }

  function decided(now: ConsentEntry | undefined, before: ConsentEntry | undefined): void {
    if (now?.isGiven) {
      if (!lifetime) void run();
    } else if (now?.isGiven === false) {
      if (now !== before) deny(now, before);
    } else if (before?.isGiven) {
      // What was recorded with consent is neither sent nor cleared before the next decision.
      abort('undecided');
      queue?.sender.stop();
      trace.conclude(outcome('consent_pending', 'Consent is undecided again', NO_CONSENT));
    }
  }

  /** Takes the offers down and clears what the denial is about. */
  function deny(denial: ConsentEntry, before: ConsentEntry | undefined): void {
    abort('denied');
    const open = queue;
    queue = undefined;
    const isOfOrigin = denial.scope === 'origin';
    if (isOfOrigin || (open && denial.scope === 'elsewhere')) storage.clearOrders();
    if (!isOfOrigin) open?.rows.withdraw();
    else if (open) void open.withdraw();
    else storage.withdraw(endpoint());
    if (before?.isGiven === false) return;
    tellConsent();
    trace.conclude(outcome('consent_denied', 'There is no consent', NO_CONSENT));
  }

  /** Consent was withdrawn in another tab, or by another mount. */
  function withdraw(): void {
    consent.withdraw();
    scope.page?.withdraw();
  }

  function endpoint(): string {
    return 'code' in placement ? '' : `${placement.relay}/events/batch`;
  }
}
