import type { PageQueue } from '../queue/openPageQueue.ts';
import type { RelayAccess } from '../queue/sending/createPost.ts';
import type { Backing } from './browserBacking.ts';
import type { Placement } from './checkOptions.ts';
import { nextTask } from './nextTask.ts';
import { obtainOffers, type ObtainedOffers, type RawExchange } from './obtainOffers.ts';
import type { Trace } from './openTrace.ts';
import type { ConsentSource, OfferOptions } from './options.ts';
import { outcome, type Failure, type Outcome, type OutcomeCode, type SuccessCode } from './outcome.ts';
import { throwIfAborted } from './throwIfAborted.ts';
import { reasonOf } from '../wire/reasonOf.ts';

/** What a session is about. */
export interface LifecycleSubject<Success extends SuccessCode = 'rendered'> {
  readonly options: OfferOptions<Success> & RelayAccess;
  /** The placement, or why the options describe none. */
  readonly placement: Placement | Failure;
}

/** What surrounds a session: a page, or whatever else shows offers. */
export interface LifecycleHost<Success extends SuccessCode = 'rendered'> {
  readonly trace: Trace<Success>;
  /** Where events and orders are stored. */
  readonly backing: Backing;
  /** Milliseconds in which displays gather into one batch. */
  readonly gatherMs?: number;
  /** The shopper has already decided for the whole page, so a no of this session says nothing about what is stored. */
  readonly isDecided?: boolean | undefined;
  /** Called when consent was withdrawn in another tab, or by another session. */
  onWithdrawn?(): void;
  /** Resolves once offers may be requested, or to the outcome that says why they never may. */
  whenReady(): Promise<Failure | undefined>;
  /** Called with a sandbox response, before anything is counted. */
  inspect(exchange: RawExchange): Promise<unknown>;
  /** Shows the offers until `signal` aborts. Resolves to how that went. */
  present(offers: ObtainedOffers, signal: AbortSignal): Promise<Outcome<OutcomeCode<Success>>>;
}

/** One attempt to show offers to one shopper, from consent to delivery. */
export interface Lifecycle<Success extends SuccessCode = 'rendered'> {
  flush(): Promise<void>;
  /** Returns the queue, while there is one. */
  queue(): PageQueue | undefined;
  /** A later decision: yes starts what waited for it, no ends the session and clears what is stored. */
  consent(isGiven: boolean): void;
  /** Forgets the orders that this device remembers, and begins anew. */
  restart(subject: LifecycleSubject<Success>): void;
  /** Opens the queue anew. A queue captures the page's `fetch` and storage when it is opened. */
  reopenQueue(): PageQueue;
  /** Ends the session. What was tracked stays on the device until it is delivered. */
  close(): void;
}

type Consent = NonNullable<OfferOptions['consent']>;

/** Maximum milliseconds for which what is asked for anew waits until what came before is cleared: storage may hang. */
const CLEARING_MS = 4_000;

/** Opens a session, which requests offers once it has consent. It never throws: the trace says how it ended. */
export function openLifecycle<Success extends SuccessCode = 'rendered'>(
  subject: LifecycleSubject<Success>,
  host: LifecycleHost<Success>,
): Lifecycle<Success> {
  const { trace, isDecided, backing, gatherMs } = host;
  let { options, placement } = subject;
  let lifetime = new AbortController();
  let queue: PageQueue | undefined;
  /** Undefined until there is a decision. */
  let isAllowed: boolean | undefined;
  /** While there is consent but no queue yet, which has a channel of its own. */
  let waiting: ReturnType<Backing['onForeignWithdrawal']>;
  let forgetting: Promise<unknown> | undefined;
  let isClosed = false;
  /** Ends the consent source. */
  let unsubscribe: (() => void) | undefined;
  const { consent = !hasPrivacySignal() } = options ?? {};
  void begin(consent, options?.consent !== undefined ? 'option' : consent ? 'default' : 'Global Privacy Control');

  return {
    async flush() {
      await queue?.flush();
    },
    queue: () => queue,
    consent: (isGiven) => change(isGiven, 'consent()'),
    restart(changed) {
      ({ options, placement } = changed);
      backing.forgetOrders();
      forgetting = queue?.notes.sweep(() => false);
      const { consent = true } = options;
      // A source is called once.
      beginAgain(typeof consent === 'function' ? (isAllowed ?? consent) : consent, 'option');
    },
    reopenQueue,
    close() {
      isClosed = true;
      attempt(unsubscribe);
      lifetime.abort();
      waiting?.close();
      void queue?.close();
      trace.end(outcome('no_offers', 'Closed before any offers were shown'));
    },
  };

  function change(isGiven: boolean, by: string): void {
    if (isClosed || 'code' in placement || isGiven === isAllowed) return;
    if (isGiven) beginAgain(true, by);
    else deny(by);
  }

  function listen(source: ConsentSource): void {
    if (unsubscribe) return;
    const by = source.source ?? 'function';
    unsubscribe = () => {};
    const stop = attempt(
      () => source((isGiven: unknown) => change(isGiven === true, by)),
      () => deny(by),
    );
    if (typeof stop === 'function') unsubscribe = stop;
    // The source itself may have closed the session.
    if (isClosed) attempt(unsubscribe);
  }

  function record(isGiven: boolean, by: string): void {
    isAllowed = isGiven;
    trace.consent = { isGiven, by, at: new Date().toISOString() };
  }

  async function begin(consent: Consent, by: string): Promise<void> {
    isAllowed = undefined;
    const { signal } = (lifetime = new AbortController());
    // So that the caller has its session before the first event, and a mount that React undoes at once does nothing.
    const isGiven: unknown = await Promise.resolve(consent).catch(() => false);
    if (signal.aborted) return;
    if ('code' in placement) return trace.end(placement);
    backing.remember(endpoint());
    if (typeof consent === 'function') return listen(consent);
    if (isGiven !== true) return deny(by);
    record(true, by);
    waiting?.close();
    if (!queue) waiting = backing.onForeignWithdrawal(withdrawn);
    try {
      trace.end(await show(placement, signal));
    } catch (error) {
      if (!signal.aborted)
        trace.end(
          outcome('network_error', `The offers could not be shown (${reasonOf(error)})`, 'Please report this.'),
        );
    }
  }

  async function show(placement: Placement, signal: AbortSignal): Promise<Outcome<OutcomeCode<Success>>> {
    const obstacle = await host.whenReady();
    for (const clearing of [forgetting, backing.whenCleared()])
      await Promise.race([clearing, clearing && nextTask(CLEARING_MS)]);
    throwIfAborted(signal);
    if (!queue) reopenQueue();
    await nextTask();
    throwIfAborted(signal);
    if (obstacle) return obstacle;
    const obtained = await obtainOffers({
      options,
      placement,
      trace,
      backing,
      signal,
      queue: () => queue,
      inspect: host.inspect,
    });
    return 'code' in obtained ? obtained : host.present(obtained, signal);
  }

  function beginAgain(consent: Consent, by: string): void {
    lifetime.abort();
    trace.restart();
    void begin(consent, by);
  }

  /** Takes the offers down and clears what this page, or an earlier one, was allowed to store. */
  function deny(by: string, isElsewhere?: boolean): void {
    record(false, by);
    lifetime.abort();
    waiting?.close();
    if (queue ?? !isDecided) backing.forgetOrders();
    if (queue && !isElsewhere) void queue.withdraw();
    else if (!queue && !isElsewhere && !isDecided) void backing.withdraw(endpoint());
    queue = undefined;
    trace.end(outcome('consent_denied', 'There is no consent', 'Call consent(true) once the shopper has agreed.'));
  }

  function withdrawn(): void {
    deny('elsewhere', true);
    host.onWithdrawn?.();
  }

  function endpoint(): string {
    return 'code' in placement ? '' : `${placement.relay}/events/batch`;
  }

  function reopenQueue(): PageQueue {
    void queue?.close();
    const { fetch, headers } = options;
    queue = backing.openQueue({
      endpoint: endpoint(),
      fetch,
      headers,
      onEvent: trace.emit,
      onWithdrawn: withdrawn,
      gatherMs,
    });
    waiting?.close();
    return queue;
  }
}

/** Runs the merchant's own function, which may throw. */
function attempt<T>(work: (() => T) | undefined, onError?: () => void): T | undefined {
  try {
    return work?.();
  } catch {
    onError?.();
    return undefined;
  }
}

/** Whether the browser sends Global Privacy Control. */
function hasPrivacySignal(): boolean | undefined {
  return (globalThis.navigator as { globalPrivacyControl?: boolean } | undefined)?.globalPrivacyControl;
}
