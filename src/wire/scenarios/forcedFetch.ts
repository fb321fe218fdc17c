import { batchResponse, batchStatus, readBatchResponse, type Refusal, type BatchResult } from '../events.ts';
import { type Forcing, type RouteFault, type OfferChanges, PROMO_CODE } from './scenarios.ts';
import { own, parseJson, isObject, type JsonObject } from '../json.ts';
import { readGroups } from '../offers/readRecommendations.ts';
import { COPY_MAX } from '../limits.ts';

type Fetch = typeof globalThis.fetch;

/** A `fetch` that calls `onForced` for a request whose response is not the server's, or not in its time. */
export type ForcedFetch = (...of: [...Parameters<Fetch>, onForced?: () => void]) => Promise<Response>;

/** Wraps a `fetch` so that it plays the server's part of a scenario. Requests to other routes pass through unchanged. */
export function forcedFetch(fetch: Fetch, { response: changes, faults = [] }: Forcing): ForcedFetch {
  const remaining = new Map(faults.map((fault) => [fault, fault.times ?? Infinity]));

  return async (input, init, onForced) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, globalThis.location?.href);
    const body = await bodyOf(input, init);
    const fault = faults.find(
      (candidate) =>
        pathname.endsWith(candidate.route) &&
        (remaining.get(candidate) ?? 0) > 0 &&
        hasAnyIndex(body, candidate.fail_indexes),
    );
    if (fault) {
      onForced?.();
      remaining.set(fault, (remaining.get(fault) ?? 0) - 1);
      return applyFault(fault, { fetch, input, init, body });
    }
    const response = await fetch(input, init);
    if (!changes || !response.ok || !pathname.endsWith('/recommendations')) return response;
    onForced?.();
    return Response.json(reshape(await response.json(), changes), { status: response.status });
  };
}

interface ForcedRequest {
  readonly fetch: Fetch;
  readonly input: Parameters<Fetch>[0];
  readonly init: RequestInit | undefined;
  readonly body: string;
}

async function applyFault(fault: RouteFault, request: ForcedRequest): Promise<Response> {
  const { status, delay_ms, fail_indexes, drop_connection, after_commit, retry_after } = fault;
  const { fetch, input, init } = request;
  if (delay_ms) await delay(delay_ms, input instanceof Request ? input.signal : init?.signal);
  if (after_commit) await fetch(input, init);
  if (drop_connection) throw new TypeError('Failed to fetch: the scenario closed the connection.');
  if (fail_indexes) return refuseSome(fault, request);
  if (status === undefined) return fetch(input, init);
  const headers: HeadersInit = retry_after === undefined ? {} : { 'retry-after': String(retry_after) };
  return Response.json({ message: `The scenario returns status ${status}.` }, { status, headers });
}

/** Refuses the named events and forwards the others. The response combines both. */
async function refuseSome(
  { fail_indexes = [], retryable = true }: RouteFault,
  { fetch, input, init, body }: ForcedRequest,
): Promise<Response> {
  const events = readEventList(body);
  const indexes = [...events.keys()];
  const forwarded = indexes.filter((index) => !fail_indexes.includes(index));
  const error = { code: 'SCENARIO', message: 'The scenario refuses this event.', retryable };
  const results: BatchResult[] = indexes.map((index) => ({ index, success: false, error }));
  if (forwarded.length > 0) {
    const rest = JSON.stringify({ events: forwarded.map((index) => events[index]) });
    const response = await fetch(input, { ...init, body: rest });
    if (!response.ok) return response;
    const read = readBatchResponse(await response.json(), forwarded.length);
    for (const [position, index] of forwarded.entries()) {
      const result = read[position] ?? 'unknown';
      const { code = '', message = '', retryable = true }: Partial<Refusal> = typeof result === 'object' ? result : {};
      results[index] =
        result === 'accepted'
          ? { index, success: true }
          : { index, success: false, error: { code, message, retryable } };
    }
  }
  return Response.json(batchResponse(results), { status: batchStatus(batchResponse(results)) });
}

function hasAnyIndex(body: string, indexes: readonly number[] | undefined): boolean {
  return indexes === undefined || indexes.some((index) => index < readEventList(body).length);
}

function readEventList(body: string): readonly unknown[] {
  const events = own(parseJson(body), 'events');
  return Array.isArray(events) ? events : [];
}

async function bodyOf(input: Parameters<Fetch>[0], init: RequestInit | undefined): Promise<string> {
  if (typeof init?.body === 'string') return init.body;
  return input instanceof Request ? input.clone().text() : '';
}

function delay(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
}

const LONG_WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

/** Changes the offers of a recommendations response. Returns anything else unchanged. */
export function reshape(json: unknown, { offers = Infinity, copy, parts, promo }: OfferChanges): unknown {
  const before = own(json, 'recommendations');
  if (!isObject(json) || !isObject(before)) return json;
  let left = offers;
  const recommendation_groups = readGroups(json, before).map((group) => {
    const items = group.items.slice(0, left);
    left -= items.length;
    return { ...group, items };
  });
  const shown = recommendation_groups.flatMap((group) => group.items.map((item) => item.offer_id));
  const recommendations: Record<string, unknown> = {};
  for (const [index, id] of [...new Set(shown)].entries()) {
    const given = own(before, id);
    let entry: EditableOffer = { advertiser: objectAt(given, 'advertiser'), offer: objectAt(given, 'offer') };
    if (copy) entry = withLongCopy(entry);
    if (parts) entry = index === 0 ? withoutHeading(entry) : withRequiredParts(entry);
    if (promo) entry = withCode(entry);
    recommendations[id] = entry;
  }
  return { ...json, recommendations, recommendation_groups };
}

interface EditableOffer {
  advertiser: JsonObject;
  offer: JsonObject;
}

function objectAt(json: unknown, name: string): JsonObject {
  const value = own(json, name);
  return isObject(value) ? value : {};
}

function withLongCopy({ advertiser, offer }: EditableOffer): EditableOffer {
  return {
    advertiser: { ...advertiser, name: longer(COPY_MAX.name), description: longer(COPY_MAX.subheading) },
    offer: {
      ...offer,
      heading: longer(COPY_MAX.heading),
      subheading: longer(COPY_MAX.subheading),
      cta_details: {
        ...objectAt(offer, 'cta_details'),
        accept_copy: longer(COPY_MAX.cta),
        decline_copy: longer(COPY_MAX.cta),
        transition_copy: longer(COPY_MAX.subheading),
      },
      disclosure_details: { copy: longer(COPY_MAX.disclosure) },
    },
  };
}

/** Returns one word without break opportunities, then short words, up to twice the limit. */
function longer(limit: number): string {
  return `${LONG_WORD} `.concat('and so much more for you '.repeat(limit)).slice(0, limit * 2);
}

function withoutHeading({ advertiser, offer: { heading: _heading, ...offer } }: EditableOffer): EditableOffer {
  return { advertiser, offer };
}

function withRequiredParts({ advertiser, offer }: EditableOffer): EditableOffer {
  const { accept_copy, decline_copy } = objectAt(offer, 'cta_details');
  return {
    advertiser: { id: advertiser['id'], name: advertiser['name'] },
    offer: {
      id: offer['id'],
      heading: offer['heading'],
      target_url: offer['target_url'],
      cta_details: { accept_copy, decline_copy },
    },
  };
}

function withCode({ advertiser, offer }: EditableOffer): EditableOffer {
  const cta_details = { transition_copy: 'Use this code at the checkout.', ...objectAt(offer, 'cta_details') };
  return { advertiser, offer: { ...offer, cta_details, metadata: { type: 'PROMO_CODE', code: PROMO_CODE } } };
}
