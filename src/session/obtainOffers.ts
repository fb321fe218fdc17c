import type { SessionQueue } from '../queue/openSessionQueue.ts';
import type { ClockedAccess } from '../queue/sending/sendBatch.ts';
import { isBot } from '../wire/isBot.ts';
import { own, type JsonObject } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import { mismatchOf, PREFETCHED_MAX_AGE_MS } from '../wire/offers/prefetched.ts';
import type { PlacedGroup, RecommendationResponse, SafeResponse } from '../wire/offers/response.ts';
import { reasonOf } from '../wire/errors.ts';
import type { Placement } from './checkOptions.ts';
import { createReporter, type Reporter } from './createReporter.ts';
import { outcome, type Failure } from './events.ts';
import type { Trace } from './openTrace.ts';
import { openOrderMemory, orderKeyOf, type OrderMemory } from './orderMemory.ts';
import { buildRequest, requestOffers } from './requestOffers.ts';
import type { SessionStorage } from './sessionStorage.ts';

/** What offers are obtained with. */
export interface OfferContext {
  readonly placement: Placement;
  readonly access: ClockedAccess;
  /** Offers that the server has requested already. */
  readonly prefetched?: unknown;
  readonly storage: SessionStorage;
  readonly trace: Pick<Trace<never>, 'request' | 'response' | 'prefetched' | 'emit'>;
  /** Aborted when the offers are not wanted any more. */
  readonly signal: AbortSignal;
  /** Returns the session's queue, while it has one. */
  queue(): SessionQueue | undefined;
}

/** A valid response, and the memory of the order that it is for. */
export interface FoundOffers {
  readonly memory: OrderMemory;
  readonly body: JsonObject;
  readonly response: SafeResponse;
  /** The same before it was validated. */
  readonly json: unknown;
  /** It was requested by an earlier page. */
  readonly isRemembered: boolean;
  /** It was requested by the server that rendered the page. */
  readonly isPrefetched: boolean;
  /** Stores a new response. Other tabs of the order wait for it. */
  keep?(): void;
}

/** Offers that can be shown, and where to report what becomes of them. */
export interface ObtainedOffers {
  readonly response: SafeResponse;
  readonly groups: readonly PlacedGroup[];
  readonly count: number;
  readonly reporter: Reporter;
  /** Resolves once what was reported so far is in storage. */
  written(): Promise<unknown>;
  /** Resolves to an outcome if the shopper has closed these offers, here or in another tab, while they waited or since they were requested. */
  dismissal(hasWaited: boolean): Promise<Failure | undefined>;
}

/**
 * Resolves to the response for an order, remembered or requested, or to why there is none. Of tabs that open together, only
 * one sends a request. Rejects when it is aborted.
 */
export async function findOffers(context: OfferContext): Promise<FoundOffers | Failure> {
  const { placement, storage, trace, signal, queue } = context;
  const { relay, view, mode, isSandbox } = placement;
  const body = await buildRequest(placement);
  const key = orderKeyOf(placement);
  const memory = openOrderMemory({ key, notes: () => queue()?.notes, syncStorage: storage.syncStorage, signal });
  const dismissed = await dismissalOf(memory, placement);
  if (dismissed) return dismissed;
  const user_details = Object.keys(body.user_details ?? {});
  trace.request = { relay, view, display_mode: mode, user_details, isSandbox, isRemembering: key !== undefined };
  throwIfAborted(signal);
  // Only https pages have locks.
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  return new Promise((resolve, reject) => {
    const find = async (): Promise<void> => {
      const found = await recallOrRequest(context, body, memory);
      if ('code' in found || found.isRemembered || !found.response.groups[0]) return resolve(found);
      const keep = (): Promise<void> => memory.keep(toStorable(found.response));
      if (!storage.isNotified) {
        await keep();
        return resolve(found);
      }
      // Offers are painted before they are stored. The lock waits for both: the next tab must find them.
      await new Promise<void>((release) => {
        signal.addEventListener('abort', () => release());
        resolve({ ...found, keep: () => void keep().then(release) });
      });
    };
    const locked = key && locks ? locks.request(key, { signal }, find) : find();
    locked.catch((error: unknown) => {
      // Frames whose storage is blocked are refused locks, too. They share it with nobody.
      if (signal.aborted) reject(error as Error);
      else find().catch(reject);
    });
  });
}

async function recallOrRequest(
  { placement, access, prefetched, trace, signal }: OfferContext,
  body: JsonObject,
  memory: OrderMemory,
): Promise<FoundOffers | Failure> {
  const { relay } = placement;
  const stored = await memory.recall();
  const remembered = read(stored);
  const isRemembered = remembered.ok;
  const offered = prefetched ? readPrefetched(prefetched, placement) : undefined;
  const whyNot = isRemembered ? 'The order is remembered on this device' : offered;
  if (offered) trace.prefetched = typeof whyNot === 'string' ? `Not used. ${whyNot}` : 'Used';
  if (isRemembered)
    return { memory, body, response: remembered.value, json: stored, isRemembered, isPrefetched: false };
  if (typeof offered === 'object')
    return { memory, body, response: offered, json: own(prefetched, 'response'), isRemembered, isPrefetched: true };
  const reply = await requestOffers({ relay, access, body, signal });
  if ('code' in reply) return reply;
  const { json } = reply;
  const fresh = read(json);
  if (!fresh.ok) {
    const { path, message } = fresh.problems[0] ?? {};
    return outcome(
      'network_error',
      `The response of ${relay} could not be understood: ${path} ${message}`,
      'Check that an offerlet relay is mounted there.',
    );
  }
  throwIfAborted(signal);
  return { memory, body, response: fresh.value, json, isRemembered, isPrefetched: false };
}

/** Returns the response in prefetched offers, or why they are not used. Nothing in them is trusted more than a response. */
function readPrefetched(prefetched: unknown, { request }: Placement): SafeResponse | string {
  const mismatch = mismatchOf(prefetched, request);
  if (mismatch) return mismatch;
  if (performance.now() > PREFETCHED_MAX_AGE_MS) return 'The page has been open for more than ten minutes';
  const found = read(own(prefetched, 'response'));
  return found.ok
    ? found.value
    : `They could not be understood: ${found.problems[0]?.path} ${found.problems[0]?.message}`;
}

/**
 * Returns prefetched offers of an order of which this device remembers nothing, as far as that can be read synchronously: they
 * may be painted before `findOffers` says whether they are counted. Stores and reports nothing.
 */
export function peekOffers(
  prefetched: unknown,
  placement: Placement,
  { syncStorage }: SessionStorage,
): Pick<ObtainedOffers, 'response' | 'groups'> | undefined {
  const memory = openOrderMemory({ key: orderKeyOf(placement), notes: () => undefined, syncStorage });
  const response = memory.isNew() && readPrefetched(prefetched, placement);
  if (!response || typeof response === 'string') return undefined;
  const groups = firstOffers(response.groups, placement.maxOffers);
  return { response, groups };
}

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}

/** Returns the offers of a response, reported as loaded, or why none of them can be shown. */
export function countOffers(
  { memory, response, isRemembered, isPrefetched, keep }: FoundOffers,
  { placement, trace, queue }: OfferContext,
): ObtainedOffers | Failure {
  const { session_id, left_out, sandbox: isSandbox } = response;
  const groups = firstOffers(response.groups, placement.maxOffers);
  const count = groups.reduce((sum, { offers }) => sum + offers.length, 0);
  const isCounted = isSandbox || !isBot((globalThis.navigator as { userAgent?: string } | undefined)?.userAgent ?? '');
  trace.response = { session_id, offers: count, isSandbox, isRemembered, isPrefetched, isCounted };
  for (const { offer_id, reason } of left_out) trace.emit({ type: 'leftOut', offer_id, reason });

  let written: Promise<unknown> = Promise.resolve();
  const reporter = createReporter({
    session_id,
    emit: trace.emit,
    // The page that requested a remembered response reports it.
    isLoaded: isRemembered,
    // Other sessions of this order count for themselves.
    once: (name) => memory.once(`${session_id} ${name}`),
    onDismissed: () => void (placement.mode !== 'INLINE' && memory.once('closed')),
    track(event) {
      if (!isCounted) return;
      const tracked = queue()
        ?.track(event)
        .catch((error: unknown) => trace.emit({ type: 'error', reason: reasonOf(error) }));
      written = Promise.all([written, tracked]);
    },
  });
  // Stored before they are counted. Counted before they are shown, where a page waits for a dialog.
  keep?.();
  reporter.loaded();
  const dismissal = (hasWaited: boolean): Promise<Failure | undefined> => dismissalOf(memory, placement, hasWaited);
  if (count > 0) return { response, groups, count, reporter, written: () => written, dismissal };
  const first = left_out[0];
  return outcome(
    'no_offers',
    'The relay returned no offers that can be shown',
    first && `${left_out.length} left out. Reason of the first: ${first.reason}.`,
  );
}

/** Returns the groups with at most `most` offers in all, without empty groups. */
export function firstOffers(groups: readonly PlacedGroup[], most = Infinity): PlacedGroup[] {
  let left = most;
  return groups
    .map((group) => {
      const offers = group.offers.slice(0, left);
      left -= offers.length;
      return { ...group, offers };
    })
    .filter((group) => group.offers.length > 0);
}

/** Throws if the signal is aborted. React Native's signals have no method for it. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw Error('Aborted');
}

async function dismissalOf(memory: OrderMemory, { mode }: Placement, hasWaited = true): Promise<Failure | undefined> {
  return mode !== 'INLINE' && (hasWaited ? await memory.has('closed') : memory.hasNow('closed'))
    ? outcome(
        'already_shown',
        'The shopper has already closed the offers of this order',
        'Use another order_id to show them again.',
      )
    : undefined;
}

/**
 * Returns the part of a response that is stored: the validated fields that are shown again, in the wire's own shape, so
 * that they are validated again when they are read.
 */
export function toStorable({ session_id, groups, footer, sandbox }: SafeResponse): RecommendationResponse {
  const all = groups.flatMap(({ offers }) => offers);
  return {
    session_id,
    sandbox,
    footer,
    recommendations: Object.fromEntries(
      all.map(({ offer_id, advertiser, offer }) => [offer_id, { advertiser, offer }]),
    ),
    recommendation_groups: groups.map(({ offers, ...group }) => ({
      ...group,
      items: offers.map(({ offer_id, advertiser_id, insertion_id }, insertion_order) => ({
        offer_id,
        advertiser_id,
        insertion_id,
        insertion_order,
      })),
    })),
  };
}
