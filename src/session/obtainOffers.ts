import type { SessionQueue } from '../queue/openSessionQueue.ts';
import { type ClockedAccess, createPost, SECRET } from '../queue/sending/sendBatch.ts';
import { isBot } from '../wire/isBot.ts';
import { type JsonObject, own, parseJson, type Problem } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import { mismatchOf, PREFETCHED_MAX_AGE_MS } from '../wire/offers/prefetched.ts';
import type { PlacedGroup, RecommendationResponse, SafeResponse } from '../wire/offers/response.ts';
import { reasonOf } from '../wire/errors.ts';
import { containsSecret, type Placement } from './checkOptions.ts';
import { createReporter, type Reporter } from './createReporter.ts';
import { type Failure, outcome } from './events.ts';
import type { Trace } from './openTrace.ts';
import { lockOrder, openOrderMemory, type OrderLock, orderKeyOf, type OrderMemory } from './orderMemory.ts';
import type { SessionStorage } from './sessionStorage.ts';
import { LATE, within } from '../queue/within.ts';
import { RELAY_TIMEOUT_MS, RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { hashEmail } from '../wire/offers/hashEmail.ts';
import { plainText } from '../wire/plainText.ts';
import { readCappedText } from '../wire/readCapped.ts';

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
  /** Opens the queue, unless there is one. */
  openQueue(): void;
}

/** A valid response, of which nothing has been stored or counted. */
export interface FoundOffers {
  readonly response: SafeResponse;
  /** The same before it was validated. */
  readonly json: unknown;
  /** Resolves to the body of the request. */
  body(): Promise<JsonObject>;
  /**
   * Stores the response, and counts it as loaded. If the device remembers another response for the order, or that the shopper
   * has closed the offers, that is used instead. Resolves to the offers, or to why there are none. Rejects when it is aborted.
   */
  settle(): Promise<ObtainedOffers | Failure>;
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

/** A valid response, and where it comes from. */
interface Found extends Pick<FoundOffers, 'response' | 'json'> {
  /** It was requested by an earlier page. */
  readonly isRemembered?: boolean;
  /** It was requested by the server that rendered the page. */
  readonly isPrefetched?: boolean;
}

/**
 * Resolves to the response for an order, remembered, prefetched or requested, or to why there is none. Stores nothing, and reads
 * what can be read synchronously: the database is left to `settle`, after the paint. Of tabs that open together, only one sends
 * a request. Rejects when it is aborted.
 */
export async function findOffers(context: OfferContext): Promise<FoundOffers | Failure> {
  const { placement, prefetched, storage, trace, signal, queue } = context;
  const { relay, view, mode, request, isSandbox } = placement;
  const key = orderKeyOf(placement);
  const memory = openOrderMemory({ key, notes: () => queue()?.notes, syncStorage: storage.syncStorage, signal });
  const user_details = Object.keys(request.user_details ?? {}).map((name) => (name === 'email' ? 'email_hash' : name));
  trace.request = { relay, view, display_mode: mode, user_details, isSandbox, isRemembering: key !== undefined };
  const offered = prefetched ? readPrefetched(prefetched, placement) : undefined;
  if (typeof offered === 'string') trace.prefetched = `Not used. ${offered}`;
  const known = knownOf(memory, placement);
  if (known) return 'code' in known ? known : settleable(known);
  if (typeof offered === 'object')
    return settleable({ response: offered, json: own(prefetched, 'response'), isPrefetched: true });

  const lock = await lockOrder(key, signal);
  const found = await recallOrRequest(context, memory, lock).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  if (!('code' in found)) return settleable(found, lock);
  lock.release();
  return found;

  function settleable(found: Found, lock?: OrderLock): FoundOffers {
    const { response, json } = found;
    return { response, json, body: () => buildRequest(placement), settle: () => settle(context, memory, found, lock) };
  }
}

async function recallOrRequest(
  { placement, access, signal, openQueue }: OfferContext,
  memory: OrderMemory,
  { hasWaited }: OrderLock,
): Promise<Found | Failure> {
  // What another tab has stored a moment ago is in the database for certain.
  if (hasWaited || !memory.isSync) {
    openQueue();
    await memory.recall();
    throwIfAborted(signal);
    const known = knownOf(memory, placement);
    if (known) return known;
  }
  const { relay } = placement;
  const reply = await requestOffers({ relay, access, body: await buildRequest(placement), signal });
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
  return { response: fresh.value, json };
}

/** Returns what is known of an order so far: its response, or that the shopper has closed the offers. */
function knownOf({ response: json, hasNow }: OrderMemory, placement: Placement): Found | Failure | undefined {
  const remembered = read(json);
  const dismissed = dismissalOf(hasNow('closed'), placement);
  return dismissed ?? (remembered.ok ? { response: remembered.value, json, isRemembered: true } : undefined);
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

function read(json: unknown): ReturnType<typeof readRecommendations> {
  return readRecommendations(json, { allowLoopback: own(json, 'sandbox') === true });
}

async function settle(
  context: OfferContext,
  memory: OrderMemory,
  found: Found,
  taken: OrderLock | undefined,
): Promise<ObtainedOffers | Failure> {
  const { placement, prefetched, storage, trace, signal, openQueue } = context;
  openQueue();
  const lock = taken ?? (await lockOrder(memory.key, signal));
  let stored: Promise<void> | undefined;
  try {
    await memory.recall();
    throwIfAborted(signal);
    const known = knownOf(memory, placement);
    if (known && 'code' in known) return known;
    const settled = known ?? found;
    if (prefetched && settled.isRemembered) trace.prefetched = 'Not used. The order is remembered on this device';
    if (settled.isPrefetched) trace.prefetched = 'Used';
    // Stored before they are counted.
    if (!settled.isRemembered && settled.response.groups[0]) stored = memory.keep(toStorable(settled.response));
    if (!storage.isNotified) await stored;
    return countOffers(settled, memory, context);
  } finally {
    // The next tab must find them.
    void Promise.resolve(stored).then(lock.release);
  }
}

/** Returns the offers of a response, reported as loaded, or why none of them can be shown. */
function countOffers(
  { response, isRemembered = false, isPrefetched = false }: Found,
  memory: OrderMemory,
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
  // Counted before they are shown, where a page waits for a dialog.
  reporter.loaded();
  const dismissal = async (hasWaited: boolean): Promise<Failure | undefined> =>
    dismissalOf(hasWaited ? await memory.has('closed') : memory.hasNow('closed'), placement);
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

function dismissalOf(isClosed: boolean, { mode }: Placement): Failure | undefined {
  return mode !== 'INLINE' && isClosed
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

/** Returns the request body, with a plain email replaced by its hash. */
export async function buildRequest({ request, isSandbox }: Placement): Promise<JsonObject> {
  const { email, ...user_details } = request.user_details ?? {};
  if (email !== undefined) user_details.email_hash = await hashEmail(email);
  const body: Record<string, unknown> = { ...request, user_details };
  if (isSandbox) body.custom_metadata = { ...request.custom_metadata, is_sandbox: true };
  return body;
}

/** Maximum errors of one response that are repeated. */
const ERRORS_MAX = 5;

/** A request to the relay. `signal` aborts it. */
interface OffersRequest {
  readonly relay: string;
  readonly access: ClockedAccess;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/**
 * Requests offers. Resolves to the relay's response as it came, or to the outcome that says why there is none. One timeout
 * covers headers and body.
 */
export async function requestOffers({
  relay,
  access,
  body,
  signal,
}: OffersRequest): Promise<{ json: unknown } | Failure> {
  const url = `${relay}/recommendations`;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  signal.addEventListener('abort', stop);
  const policy = watchPolicy(relay);
  const read = async (): Promise<{ ok: boolean; status: number; json: unknown }> => {
    const response = await createPost(access)(url, body, { signal: abort.signal });
    const { ok, status } = response;
    return { ok, status, json: parseJson((await readCappedText(response, RESPONSE_MAX_BYTES)) ?? '') };
  };
  try {
    const { ok, status, json } = await within(RELAY_TIMEOUT_MS, read());
    return ok && json !== undefined ? { json } : refusal(url, ok, status, json);
  } catch (error) {
    stop();
    if (error === SECRET) return containsSecret('The headers');
    const [message, hint] =
      error === LATE
        ? [
            `did not respond within ${RELAY_TIMEOUT_MS / 1_000} s`,
            'Check that the relay and the network behind it are up.',
          ]
        : policy.isBlocked()
          ? ['was blocked by the Content-Security-Policy of this page', `Add ${new URL(url).origin} to connect-src.`]
          : [
              `could not be reached (${reasonOf(error)})`,
              'Check that the relay is up, allows this origin, does not redirect, and is not blocked in this browser.',
            ];
    return outcome('network_error', `${url} ${message}`, hint);
  } finally {
    policy.stop();
    signal.removeEventListener('abort', stop);
  }
}

/** Returns the outcome for a response without offers. */
function refusal(url: string, ok: boolean, status: number, json: unknown): Failure {
  const errors = readErrors(json);
  const message = plainText(own(json, 'message'), 300) ?? (errors[0] ? 'not valid' : 'no reason given');
  const details = errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  const reason = ok ? 'not JSON, or above 1 MiB' : details ? message.replace(/\.?$/, ': ') + details : message;
  const failed = outcome(
    status > 399 && status < 500 ? 'refused' : 'network_error',
    `${url} responded with status ${status} (${reason})`,
    hintFor(status, errors),
  );
  return errors[0] ? { ...failed, errors } : failed;
}

/** Says what to do about a status. */
function hintFor(status: number, errors: readonly Problem[]): string {
  const fields = [...new Set(errors.flatMap(({ path }) => path || []))].join(', ');
  if (fields) return `Correct ${fields} on the page or in the context of the relay.`;
  if (status === 401 || status === 403)
    return 'Check the key of the relay, its environment, and whom the relay authorizes. Its log says more.';
  if (status === 404) return 'Check the path: the relay is not mounted there.';
  if (status === 429) return 'The limit of requests is reached. Wait, or raise the limit of the relay.';
  if (status < 400) return 'Check that an offerlet relay is mounted at this path.';
  return 'Look at the log of the relay, and check that the network behind it is up.';
}

/** Reads what the relay, or the network behind it, found wrong field by field. */
function readErrors(json: unknown): Problem[] {
  const errors = own(json, 'errors');
  return (Array.isArray(errors) ? errors.slice(0, ERRORS_MAX) : []).flatMap((error) => {
    const message = plainText(own(error, 'message'), 200);
    return message ? { path: plainText(own(error, 'path'), 100) ?? '', message } : [];
  });
}

/** Notices whether the page's policy blocks requests to the relay: the request itself fails without saying why. */
function watchPolicy(relay: string): { isBlocked(): boolean; stop(): void } {
  let isBlocked = false;
  const listen = (event: Event): void => {
    const { effectiveDirective, blockedURI } = event as Partial<SecurityPolicyViolationEvent>;
    isBlocked ||= effectiveDirective === 'connect-src' && `${blockedURI}`.startsWith(new URL(relay).origin);
  };
  globalThis.addEventListener?.('securitypolicyviolation', listen);
  return {
    isBlocked: () => isBlocked,
    stop: () => globalThis.removeEventListener?.('securitypolicyviolation', listen),
  };
}
