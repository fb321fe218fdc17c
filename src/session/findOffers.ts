import type { SessionQueue } from '../queue/openCore.ts';
import { childOf, type ClockedAccess, nextTask } from '../queue/createPost.ts';
import { reasonText } from '../wire/errors.ts';
import { hashEmail } from '../wire/hash.ts';
import { type JsonObject, own, type Problem } from '../wire/json.ts';
import { RELAY_TIMEOUT_MS } from '../wire/limits.ts';
import { whyUnusable } from '../wire/offers/prefetched.ts';
import { firstOffers, readRecommendations } from '../wire/offers/readRecommendations.ts';
import { isBot, NONCE_FIELD, type RecommendationRequest } from '../wire/offers/request.ts';
import type { PlacedGroup, SafeResponse } from '../wire/offers/response.ts';
import type { Placement } from './checkOptions.ts';
import { createReporter, type Reporter } from './createReporter.ts';
import { type Failure, outcome, type Trace } from './openTrace.ts';
import { openOrder, type Order, type OrderMemory, type OrderStore } from './orderMemory.ts';
import { NO_RELAY, requestOffers } from './requestOffers.ts';

/** What offers are found with. */
export interface OfferContext {
  readonly placement: Placement;
  readonly access: ClockedAccess;
  readonly prefetched: Prefetched;
  /** Where orders are remembered; undefined if nowhere. */
  readonly orders: OrderStore | undefined;
  readonly trace: Pick<Trace<never>, 'request' | 'response' | 'prefetched' | 'emit'>;
  /** Aborted when the offers are not wanted any more. */
  readonly signal: AbortSignal;
  /** The shopper has closed them before, in this session. */
  readonly isClosed: boolean;
  /** What is remembered of the order. */
  memory?: OrderMemory;
  /** Returns the session's queue, while it has one. */
  queue(): SessionQueue | undefined;
}

/** Offers that the server has requested already. */
export interface Prefetched {
  /** Returns the blocks that are here: one may be for this order. */
  find(): readonly unknown[];
  /** Whether more may come: a server can stream its page. */
  isComing(): boolean;
}

/** Milliseconds between looks for a block that is still to come. */
const LOOK_MS = 30;
/** Milliseconds that a block may take: a page may never end its HTML. */
const STREAM_MS = 2 * RELAY_TIMEOUT_MS;

/** A valid response. Nothing of it has been counted. */
export interface FoundOffers {
  readonly response: SafeResponse;
  /** The body of the request for it. */
  readonly body: JsonObject;
  /** The response before it was validated. */
  readonly json: unknown;
  /** It was in the page. */
  readonly isPrefetched: boolean;
  /** Reports the offers as loaded, and returns those that can be shown, or why there are none. */
  load(): LoadedOffers | Failure;
}

/** Offers that can be shown, and where to report what becomes of them. */
export interface LoadedOffers {
  readonly response: SafeResponse;
  readonly groups: readonly PlacedGroup[];
  readonly count: number;
  readonly reporter: Reporter;
  /** Resolves once what was reported so far is in storage. */
  written(): Promise<unknown>;
  /** Resolves to an outcome if the shopper has closed the offers meanwhile, in another tab. */
  dismissal(): Promise<Failure | undefined>;
}

/** A response, and where it is from. */
interface Found extends Pick<FoundOffers, 'response' | 'json'>, Partial<Pick<FoundOffers, 'isPrefetched'>> {
  readonly isRemembered?: boolean;
}

/**
 * Resolves to the response for an order, or to why there is none: this device remembers it, the server has prefetched it,
 * or it is requested. In a browser the request leaves in the current task, unless an email has to be hashed first.
 */
export async function findOffers(context: OfferContext): Promise<FoundOffers | Failure> {
  const { placement, trace, signal } = context;
  const { relay, view, mode, isSandbox } = placement;
  const order: Order = { store: context.orders, signal };
  const memory = (context.memory = openOrder(placement, order));
  if (context.isClosed) memory.once('closed');
  await order.identified;
  const dismissed = await dismissalOf(memory, placement);
  if (dismissed) return dismissed;
  const body = await buildRequest(placement);
  const user_details = Object.keys(body.user_details ?? {});
  throwIfAborted(signal);
  trace.request = { relay, view, display_mode: mode, user_details, isSandbox, isRemembering: !!order.key };
  const found =
    (await recall(memory)) ??
    usePrefetched(context, body) ??
    (await requestOrStreamed(context, { ...body, [NONCE_FIELD]: order.nonce }));
  if ('code' in found) return found;
  const { response, json, isRemembered = false, isPrefetched = false } = found;
  // Other tabs find what was requested before this one shows it.
  const kept = !isRemembered && response.groups[0] && memory.keep(toStorable(response));
  if (!isPrefetched) await kept;
  throwIfAborted(signal);
  if (isRemembered && context.prefetched.find()[0])
    trace.prefetched = 'Not used. The order is remembered on this device';
  return {
    response,
    json,
    body,
    isPrefetched,
    load: () => load({ response, isRemembered, isPrefetched }, memory, context),
  };
}

/** Returns what is remembered. */
async function recall(memory: OrderMemory): Promise<Found | undefined> {
  const json = await memory.recall();
  const stored = read(json);
  return stored.ok ? { response: stored.value, json, isRemembered: true } : undefined;
}

/** Returns the response of the block that is for this order. Nothing in it is trusted more than a response. */
function usePrefetched({ prefetched, trace }: OfferContext, body: RecommendationRequest): Found | undefined {
  const blocks = prefetched.find();
  const block = blocks.find((one) => !whyUnusable(one, body)) ?? blocks[0];
  if (!block) return undefined;
  const json = own(block, 'response');
  const offered = read(json);
  const whyNot = whyUnusable(block, body) || (!offered.ok && `They ${problemOf(offered.problems)}`);
  trace.prefetched = whyNot ? `Not used. ${whyNot}` : 'Used';
  return offered.ok && !whyNot ? { response: offered.value, json, isPrefetched: true } : undefined;
}

/** Requests the offers, unless the server sends a block of them sooner, or after a failure. */
async function requestOrStreamed(
  context: OfferContext,
  body: RecommendationRequest & JsonObject,
): Promise<Found | Failure> {
  const { signal, prefetched } = context;
  // Storage, or another tab, may have taken long.
  throwIfAborted(signal);
  const request = childOf(signal);
  const requested = requestOnce({ ...context, signal: request.signal }, body);
  const stream = async (): Promise<Found | Failure> => {
    const end = performance.now() + STREAM_MS;
    while (!request.signal.aborted && prefetched.isComing() && performance.now() < end) {
      await nextTask(LOOK_MS);
      const found = usePrefetched(context, body);
      if (found) return found;
    }
    return requested;
  };
  const streamed = stream();
  const first = await Promise.race([requested.then((reply) => ('code' in reply ? streamed : reply)), streamed]);
  request.abort();
  return first;
}

/** Requests the offers. To tabs and mounts of one order that request at once, the relay gives one response. */
async function requestOnce(
  { placement: { relay }, access, signal }: OfferContext,
  body: JsonObject,
): Promise<Found | Failure> {
  const reply = await requestOffers({ relay, access, body, signal });
  if ('code' in reply) return reply;
  const { json } = reply;
  const fresh = read(json);
  if (fresh.ok) return { response: fresh.value, json };
  return outcome('network_error', `The response of ${relay} ${problemOf(fresh.problems)}`, NO_RELAY);
}

/** Says what is wrong in a response. */
function problemOf([first]: readonly Problem[]): string {
  const { path, message } = first ?? {};
  return `could not be understood: ${path && `${path} `}${message}`;
}

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}

/** Reports that offers have arrived, and returns those that can be shown. */
function load(
  { response, isRemembered, isPrefetched }: Required<Omit<Found, 'json'>>,
  memory: OrderMemory,
  { placement, trace, queue }: OfferContext,
): LoadedOffers | Failure {
  const { session_id, left_out, sandbox: isSandbox } = response;
  const groups = firstOffers(response.groups, placement.options.maxOffers);
  const count = groups.reduce((sum, { offers }) => sum + offers.length, 0);
  const isCounted = isSandbox || !isBot((globalThis.navigator as { userAgent?: string } | undefined)?.userAgent ?? '');
  trace.response = { session_id, offers: count, isSandbox, isRemembered, isPrefetched, isCounted };
  for (const { offer_id, reason } of left_out) trace.emit({ type: 'leftOut', offer_id, reason });

  let written: Promise<unknown> = Promise.resolve();
  const reporter = createReporter({
    session_id,
    emit: trace.emit,
    once: (event_id) => memory.once(event_id, () => written),
    onDismissed: () => void memory.once('closed'),
    track(event) {
      if (!isCounted) return;
      const tracked = queue()
        ?.track(event)
        .catch((error: unknown) => trace.emit({ type: 'error', reason: reasonText(error) }));
      written = written.then(() => tracked);
    },
  });
  reporter.loaded();
  const dismissal = (): Promise<Failure | undefined> => dismissalOf(memory, placement, 'dismissed');
  if (count > 0) return { response, groups, count, reporter, written: () => written, dismissal };
  const first = left_out[0];
  return outcome(
    'no_offers',
    'The relay returned no offers that can be shown',
    first && `${left_out.length} left out. Reason of the first: ${first.reason}.`,
  );
}

/** Throws if the signal is aborted. React Native's signals have no method for it. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw Error('Aborted');
}

async function dismissalOf(
  memory: OrderMemory,
  { mode }: Placement,
  code: 'already_shown' | 'dismissed' = 'already_shown',
): Promise<Failure | undefined> {
  return mode !== 'INLINE' && (await memory.has('closed'))
    ? outcome(
        code,
        'The shopper has already closed the offers of this order',
        'Use another order_id to show them again.',
      )
    : undefined;
}

/**
 * Returns the part of a response that is stored: the validated fields that are shown again, in the wire's own shape, so
 * that they are validated again when they are read.
 */
export function toStorable({ groups, left_out: _l, ...response }: SafeResponse): object {
  const all = groups.flatMap(({ offers }) => offers);
  return {
    ...response,
    recommendations: Object.fromEntries(all.map((offer) => [offer.offer_id, offer])),
    recommendation_groups: groups.map(({ offers, ...group }) => ({
      ...group,
      items: offers.map(({ advertiser: _a, offer: _o, ...item }) => item),
    })),
  };
}

/** Returns the request body, with a plain email replaced by its hash. */
export async function buildRequest({ request, isSandbox }: Placement): Promise<RecommendationRequest & JsonObject> {
  const { email, ...user_details } = request.user_details ?? {};
  if (email !== undefined) user_details.email_hash = await hashEmail(email);
  const custom_metadata = isSandbox ? { ...request.custom_metadata, is_sandbox: true } : request.custom_metadata;
  return { ...request, user_details, custom_metadata };
}
