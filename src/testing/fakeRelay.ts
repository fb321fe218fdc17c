import { createHandler, type Handler } from '../relay/createHandler.ts';
import { readOptions } from '../relay/options/readOptions.ts';
import type { RelayOptions } from '../relay/options/relayOptions.ts';
import { fromRequest, type RelayRequest } from '../relay/runtime.ts';
import { createDedupeMemory } from '../relay/dedupe/createDedupeMemory.ts';
import { EVENT_NAMES, type EventName } from '../wire/events.ts';
import type { RecommendationRequest } from '../wire/offers/request.ts';
import { forcedFetch } from '../wire/scenarios/forcedFetch.ts';
import { SCENARIOS, type Scenario, type ScenarioName, findScenario } from '../wire/scenarios/scenarios.ts';
import { type DeliveredEvent, type Receipt, createFakeNetwork } from './createFakeNetwork.ts';
import { type EventFields, describeDelivery, matchesFields } from './describeDelivery.ts';
import type { FakeOffers } from './fakeOffers.ts';
import { requireFetch } from './environment.ts';
import { EXAMPLE_OFFERS } from './exampleOffers.ts';
import { partnerError } from '../wire/errors.ts';
import { isObject, own, parseJson, oneOf } from '../wire/json.ts';

/** The options of a fake relay. */
export interface FakeRelayOptions {
  /** A scenario of docs/guides/test-your-integration.md#scenarios. By default nothing goes wrong. */
  readonly scenario?: ScenarioName | undefined;
  /** A number of example offers, or your own offers; three examples by default. */
  readonly offers?: FakeOffers | undefined;
  /** Marks the offers as a test, so that the widget shows its Sandbox mark; true by default. */
  readonly sandbox?: boolean | undefined;
  /**
   * Where the relay is mounted, as a path or a URL such as `/offers`. Requests to any other path get a 404, as they will in
   * production. By default every path is right.
   */
  readonly relay?: string | undefined;
  /** What your relay's `context` adds to the page's request. By default nothing. */
  readonly context?: RelayOptions['context'];
  /** The time at which the network's clock stands still. By default it is this machine's clock. */
  readonly now?: Date | number | string | undefined;
}

/**
 * A relay with a network in memory: no port, no key, no database. It responds to a request for any path that ends in one of
 * the relay's routes, from any origin. It never rejects.
 */
export interface FakeRelay {
  (request: Request): Promise<Response>;
  /** The events that the network has stored, each once, in the order in which they arrived. */
  readonly delivered: readonly DeliveredEvent[];
  /** Every event that arrived, duplicates and refused events included. */
  readonly receipts: readonly Receipt[];
  /** The requests for offers that the network accepted. */
  readonly requests: readonly RecommendationRequest[];
  /** Resolves to the first delivered event with this name and these fields. Rejects and says what was delivered instead. */
  whenDelivered(name: EventName, fields?: EventFields, options?: { timeout?: number }): Promise<DeliveredEvent>;
  /** Plays another scenario from now on, or none. */
  setScenario(name?: ScenarioName): void;
  /** Returns other offers from now on. */
  setOffers(offers: FakeOffers): void;
  /** Forgets what happened, and starts again with the options that it was created with. */
  reset(): void;
  /** @internal The URLs that its offers open. */
  targets(): ReadonlySet<string>;
}

/** The host of the network. No such host exists, and nothing is sent to it. */
const NETWORK = 'https://network.offerlet.test';
const ROUTES = ['/recommendations', '/events/batch', '/events', '/health'];
/** Milliseconds between two polls for delivered events. */
const POLL_MS = 20;
/** The clock of this machine, even while a test fakes its timers. */
const { setTimeout, performance } = globalThis;

/** Creates a fake relay for tests: the relay itself, in front of a network in memory that plays a scenario. */
export function fakeRelay(options: FakeRelayOptions = {}): FakeRelay {
  requireFetch();
  const now = readClock(options.now);
  const network = createFakeNetwork({ offers: options.offers, now });
  const origins = new Set<string>();
  let scenario: Scenario | undefined = requireScenario(options.scenario);
  let dedupe = createDedupeMemory({ now });
  let requestId = 0;
  let handler = openRelay();

  /** A separate relay for each scenario: the circuit breaker of the last one would hold up the next. */
  function openRelay(): Handler {
    const { sandbox = true } = options;
    const settings = readOptions({
      apiKey: 'adnet_rk_test_kit',
      version: '1.0.0',
      networkUrl: NETWORK,
      forwardEventIds: true,
      rateLimit: false,
      sandbox,
      context: options.context,
      dedupe,
      now,
      fetch: forcedFetch(network.fetch, scenario ?? {}),
      // A test that plays an outage has no use for its log.
      onLog: () => undefined,
    });
    return createHandler({ ...settings, allowedOrigins: origins });
  }

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const route = ROUTES.find((candidate) => pathname.endsWith(candidate));
    const origin = request.headers.get('origin');
    if (origin !== null) origins.add(origin);
    const mountedAt = route && pathname.slice(0, -route.length);
    if (options.relay !== undefined && request.method === 'POST') {
      const urlOf = (path: string): string => new URL(path || '/', request.url).href.replace(/\/$/, '');
      if (urlOf(options.relay) !== urlOf(mountedAt ?? pathname)) return wrongPath(pathname, options.relay, origin);
    }
    const info = { mountedAt };
    const { status, headers, body } = await handler.respond(withRequestId(fromRequest(request)), info);
    return new Response(body === '' ? null : body, { status, ...(headers && { headers }) });
  }

  function withRequestId(request: RelayRequest): RelayRequest {
    const id = `request-${++requestId}`;
    return { ...request, header: (name) => request.header(name) ?? (name === 'x-request-id' ? id : null) };
  }

  async function whenDelivered(
    name: EventName,
    fields: EventFields = {},
    { timeout = 5_000 }: { timeout?: number } = {},
  ): Promise<DeliveredEvent> {
    const deadline = performance.now() + timeout;
    for (;;) {
      const found = network.delivered.find((event) => event.event_name === name && matchesFields(event, fields));
      if (found) return found;
      if (performance.now() >= deadline) throw new Error(describeDelivery({ name, fields, network, scenario }));
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  return Object.assign(respond, {
    delivered: network.delivered,
    receipts: network.receipts,
    requests: network.requests,
    whenDelivered,
    setScenario(name?: ScenarioName): void {
      scenario = requireScenario(name);
      handler = openRelay();
    },
    setOffers(offers: FakeOffers): void {
      network.setOffers(offers);
      // The last one would repeat its responses.
      handler = openRelay();
    },
    targets: network.targets,
    reset(): void {
      network.reset();
      network.setOffers(options.offers ?? EXAMPLE_OFFERS.length);
      scenario = requireScenario(options.scenario);
      dedupe = createDedupeMemory({ now });
      requestId = 0;
      handler = openRelay();
    },
  });
}

/** The response of a server that has its relay at another path. */
function wrongPath(pathname: string, relay: string, origin: string | null): Response {
  const message = `The page requested ${pathname}, and the relay is at ${relay}. Correct the relay of the page, or the option relay of the test.`;
  const headers = { 'access-control-allow-origin': origin ?? '*' };
  return Response.json(partnerError(message), { status: 404, headers });
}

function readClock(now: FakeRelayOptions['now']): () => number {
  if (now === undefined) return Date.now;
  const time = new Date(now).getTime();
  if (Number.isNaN(time))
    throw new Error(`now is not a valid date: "${String(now)}". Use something like "2026-11-21".`);
  return () => time;
}

/** Returns the scenario that a test names, and undefined when it names none. Throws an error that lists all when the name is unknown. */
export function requireScenario(name: ScenarioName | undefined): Scenario | undefined {
  const scenario = findScenario(name);
  if (name === undefined || scenario) return scenario;
  const names = SCENARIOS.map((known) => known.name).join(', ');
  throw new Error(
    `There is no scenario "${name}". Use one of ${names}; docs/guides/test-your-integration.md#scenarios describes them.`,
  );
}

/** The parts of a request by which the kit recognizes one of offerlet's. */
interface RequestParts {
  readonly url: string;
  readonly method: string;
  /** Reads the body. */
  text(): Promise<string>;
}

/**
 * Whether a request is one that offerlet sends to its relay, wherever that is mounted. A shop may have its own path
 * `/recommendations`.
 */
export async function isForRelay(request: RequestParts): Promise<boolean> {
  const { url, method } = request;
  const { pathname } = new URL(url);
  const isOffers = pathname.endsWith('/recommendations');
  if (!isOffers && !/\/events(\/batch)?$/.test(pathname)) return false;
  if (method === 'OPTIONS') return true;
  if (method !== 'POST') return false;
  const json = parseJson(await request.text());
  if (isOffers) return isObject(own(json, 'placement_details'));
  const events: unknown = own(json, 'events') ?? [json];
  return Array.isArray(events) && events.some((event) => oneOf(EVENT_NAMES, own(event, 'event_name')) !== undefined);
}
