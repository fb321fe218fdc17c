import type { SessionQueue } from '../queue/openCore.ts';
import { type ClockedAccess, createPost, SECRET, LATE, within } from '../queue/createPost.ts';
import { isBot, type RecommendationRequest } from '../wire/offers/request.ts';
import { type JsonObject, own, parseJson, type Problem, plainText, readCappedText } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import { mismatchOf, PREFETCHED_MAX_AGE_MS } from '../wire/offers/prefetched.ts';
import type { PlacedGroup, RecommendationResponse, SafeResponse } from '../wire/offers/response.ts';
import { reasonOf } from '../wire/errors.ts';
import { containsSecret, type Placement } from './checkOptions.ts';
import { createReporter, type Reporter } from './createReporter.ts';
import { type Failure, outcome, type Trace } from './openTrace.ts';
import { openOrderMemory, orderKeyOf, type OrderMemory, type SessionStorage } from './sessionStorage.ts';
import { RELAY_TIMEOUT_MS, RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { hashEmail } from '../wire/hash.ts';

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
      // Frames whose storage is blocked are refused locks as well. They share it with nobody.
      if (signal.aborted) reject(error as Error);
      else find().catch(reject);
    });
  });
}

async function recallOrRequest(
  { placement, access, prefetched, trace, signal }: OfferContext,
  body: RecommendationRequest & JsonObject,
  memory: OrderMemory,
): Promise<FoundOffers | Failure> {
  const { relay } = placement;
  const stored = await memory.recall();
  const remembered = read(stored);
  const found = { memory, body, isRemembered: remembered.ok, isPrefetched: false };
  const offered = prefetched ? readPrefetched(prefetched, body) : undefined;
  const whyNot = remembered.ok ? 'The order is remembered on this device' : offered;
  if (offered) trace.prefetched = typeof whyNot === 'string' ? `Not used. ${whyNot}` : 'Used';
  if (remembered.ok) return { ...found, response: remembered.value, json: stored };
  if (typeof offered === 'object')
    return { ...found, response: offered, json: own(prefetched, 'response'), isPrefetched: true };
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
  return { ...found, response: fresh.value, json };
}

/** Returns the response in prefetched offers, or why they are not used. Nothing in them is trusted more than a response. */
function readPrefetched(prefetched: unknown, request: RecommendationRequest): SafeResponse | string {
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
  const response = memory.isNew() && readPrefetched(prefetched, placement.request);
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

/** Returns the request body, with a plain email replaced by its hash. */
export async function buildRequest({ request, isSandbox }: Placement): Promise<RecommendationRequest & JsonObject> {
  const { email, ...user_details } = request.user_details ?? {};
  if (email !== undefined) user_details.email_hash = await hashEmail(email);
  const custom_metadata = isSandbox ? { ...request.custom_metadata, is_sandbox: true } : request.custom_metadata;
  return { ...request, user_details, custom_metadata };
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
  // Its own signal takes the listeners away once the request has ended.
  signal.addEventListener('abort', stop, abort);
  const isBlocked = watchPolicy(relay, abort.signal);
  const read = async (): Promise<{ ok: boolean; status: number; json: unknown }> => {
    const response = await createPost(access)(url, body, { signal: abort.signal });
    const { ok, status } = response;
    return { ok, status, json: parseJson((await readCappedText(response, RESPONSE_MAX_BYTES)) ?? '') };
  };
  try {
    const { ok, status, json } = await within(RELAY_TIMEOUT_MS, read());
    return ok && json !== undefined ? { json } : refusal(url, ok, status, json);
  } catch (error) {
    if (error === SECRET) return containsSecret('The headers');
    const [message, hint] =
      error === LATE
        ? [
            `did not respond within ${RELAY_TIMEOUT_MS / 1_000} s`,
            'Check that the relay and the network behind it are up.',
          ]
        : isBlocked()
          ? ['was blocked by the Content-Security-Policy of this page', `Add ${new URL(url).origin} to connect-src.`]
          : [
              `could not be reached (${reasonOf(error)})`,
              'Check that the relay is up, allows this origin, does not redirect, and is not blocked in this browser.',
            ];
    return outcome('network_error', `${url} ${message}`, hint);
  } finally {
    stop();
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
function watchPolicy(relay: string, signal: AbortSignal): () => boolean {
  let isBlocked = false;
  const listen = (event: Event): void => {
    const { effectiveDirective, blockedURI } = event as Partial<SecurityPolicyViolationEvent>;
    isBlocked ||= effectiveDirective === 'connect-src' && `${blockedURI}`.startsWith(new URL(relay).origin);
  };
  globalThis.addEventListener?.('securitypolicyviolation', listen, { signal });
  return () => isBlocked;
}
