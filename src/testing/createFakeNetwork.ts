import { partnerError } from '../wire/errors.ts';
import {
  batchResponse,
  batchStatus,
  parseBatch,
  type BatchResult,
  type WireEvent,
  judgeEvent,
  readEvent,
  type EventSession,
} from '../wire/events.ts';
import type { Problem } from '../wire/json.ts';
import { parseRecommendationRequest } from '../wire/offers/parseRecommendationRequest.ts';
import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { RecommendationResponse } from '../wire/offers/response.ts';
import { EXAMPLE_FOOTER } from './exampleOffers.ts';
import { readFakeOffers, type FakeCatalogue, type FakeOffers } from './fakeOffers.ts';

/** An event that the network has stored. */
export type DeliveredEvent = WireEvent & { readonly event_id: string };

/** Something that reached the network, as the sandbox's GET /sandbox/events lists it. */
export interface Receipt {
  /** The event as it arrived; a `WireEvent` unless it was refused. */
  readonly event: unknown;
  readonly status: 'stored' | 'duplicate' | 'refused';
  readonly received_at: Date;
  /** Why it was refused. */
  readonly reason?: string;
}

/** A network in memory, without keys or a database. */
export interface FakeNetwork {
  /** Handles what a relay sends. */
  readonly fetch: typeof globalThis.fetch;
  readonly delivered: readonly DeliveredEvent[];
  readonly receipts: readonly Receipt[];
  readonly requests: readonly RecommendationRequest[];
  setOffers(offers: FakeOffers): void;
  /** The URLs that the offers open. */
  targets(): ReadonlySet<string>;
  reset(): void;
}

/** Creates a network that returns these offers and stores events by the same rules as the sandbox network. */
export function createFakeNetwork(options: { offers: FakeOffers | undefined; now(): number }): FakeNetwork {
  const delivered: DeliveredEvent[] = [];
  const receipts: Receipt[] = [];
  const requests: RecommendationRequest[] = [];
  const sessions = new Map<string, EventSession>();
  const stored = new Set<string>();
  let catalogue: FakeCatalogue = readFakeOffers(options.offers);

  function recommend(json: unknown): Response {
    const parsed = parseRecommendationRequest(json);
    if (!parsed.ok) return refusal('The recommendations request is not valid.', parsed.problems);
    requests.push(parsed.value);
    const { recommendations, items } = catalogue;
    // A UUID, as every network sends it, and the same in every run.
    const session_id = `00000000-0000-4000-8000-${String(sessions.size + 1).padStart(12, '0')}`;
    const insertions = Object.fromEntries(items.map((item) => [item.insertion_id, item]));
    sessions.set(session_id, { created_at: new Date(options.now()), insertions });
    const heading = 'From our partners';
    const body: RecommendationResponse = {
      session_id,
      recommendations,
      recommendation_groups: items.length > 0 ? [{ id: 'group_0', heading, slot_context: 'HERO', items }] : [],
      footer: EXAMPLE_FOOTER,
    };
    return Response.json(body);
  }

  function accept(raw: unknown, index: number): BatchResult {
    const received_at = new Date(options.now());
    const read = readEvent(raw);
    const verdict = read.ok
      ? judgeEvent(read.event, sessions.get(read.event.session_id.toLowerCase()), options.now())
      : read;
    if (!verdict.ok) {
      const { error } = verdict;
      receipts.push({ event: raw, status: 'refused', received_at, reason: `${error.code}: ${error.message}` });
      return { index, success: false, error };
    }
    const event: DeliveredEvent = { ...verdict.event, event_id: verdict.event.event_id ?? `event-${stored.size + 1}` };
    const identity = `${event.session_id.toLowerCase()} ${event.event_id}`;
    const status = stored.has(identity) ? 'duplicate' : 'stored';
    receipts.push({ event, status, received_at });
    stored.add(identity);
    if (status === 'stored') delivered.push(event);
    return { index, success: true };
  }

  async function respond(request: Request): Promise<Response> {
    const json: unknown = await request.json();
    const { pathname } = new URL(request.url);
    if (pathname === '/recommendations') return recommend(json);
    if (pathname === '/events') {
      const { error } = accept(json, 0);
      if (!error) return new Response(null, { status: 201 });
      return refusal('The event was refused.', [{ path: '', message: `${error.code}: ${error.message}` }]);
    }
    const batch = parseBatch(json);
    if (!batch.ok) return refusal('The batch is not valid.', batch.problems);
    const results = batch.value.map(accept);
    const body = batchResponse(results);
    return Response.json(body, { status: batchStatus(body) });
  }

  return {
    fetch: (input, init) => respond(new Request(input, init)),
    delivered,
    receipts,
    requests,
    setOffers(offers) {
      catalogue = readFakeOffers(offers);
    },
    targets: () => new Set(Object.values(catalogue.recommendations).map(({ offer }) => offer.target_url)),
    reset() {
      delivered.length = receipts.length = requests.length = 0;
      sessions.clear();
      stored.clear();
    },
  };
}

function refusal(message: string, problems: readonly Problem[]): Response {
  return Response.json(partnerError(message, problems), { status: 400 });
}
