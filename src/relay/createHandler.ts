import { TIME_HEADER } from '../wire/events.ts';
import { isNestedDeeper, parseJson } from '../wire/json.ts';
import { JSON_MAX_DEPTH } from '../wire/limits.ts';
import { asRelayError, RelayConfigError, RelayError, errorReply, jsonReply, type Reply } from './errors.ts';
import { type CorrectTime, createEventRoutes, readCorrection } from './events/createEventRoutes.ts';
import { createCounting } from './createCounting.ts';
import { createRecords } from './createRecords.ts';
import { withDeadline } from '../http/withDeadline.ts';
import { createRateCounter } from './rateLimits.ts';
import { type Caller, readCaller } from './readCaller.ts';
import type { Client } from './readClient.ts';
import { checkNetwork } from './options/networkAccess.ts';
import type { RelaySettings } from './options/readOptions.ts';
import type { Authorize } from './options/relayOptions.ts';
import { createPrefetch, type PrefetchRead } from './prefetch.ts';
import { createRecommend } from './recommend.ts';
import { readAsker } from './repeatResponses.ts';
import { bodyUnreadable, type RelayRequest, type RequestInfo, type RespondDirectly } from './runtime.ts';
import { createTelemetry, explain, type RelayGauge } from './telemetry.ts';
import { createUpstream, type NetworkState, type Upstream } from './createUpstream.ts';

const POSTS = ['/recommendations', '/events', '/events/batch'] as const;
type PostRoute = (typeof POSTS)[number];
const GETS = ['/health', '/ready'] as const;
const ROUTES = [...POSTS, ...GETS] as const;
type Route = (typeof ROUTES)[number];

/** The relay on any runtime. Neither method throws or rejects. */
export interface Handler {
  readonly respond: RespondDirectly;
  readonly prefetch: PrefetchRead;
  /** What it is like at this moment; for several shops, of those that were used so far. */
  gauges(): readonly RelayGauge[];
}

/** Whether a page may use the relay: one of its own origin, one of an allowed origin, or neither. */
type OriginVerdict = 'own' | 'allowed' | 'foreign';

/** A request, and what was found out about it before it is handled. */
interface Visit {
  readonly request: RelayRequest;
  readonly route: Route | undefined;
  readonly verdict: OriginVerdict;
  readonly caller: Caller;
}

/** Calls of one client that may wait for one path of the network at a time: a small part of the connections. */
const CALLS_PER_CLIENT = 64;

/** Returns the relay for any runtime: routes, checks origin, limits and body, replies, logs. */
export function createHandler(settings: RelaySettings & { readonly shop?: string }): Handler {
  const { timeouts } = settings;
  const telemetry = createTelemetry(settings);
  const rates = createRateCounter(settings.rateLimit, { timeoutMs: timeouts.dedupe, measure: telemetry.measure });
  const upstreams = {
    recommendations: open('/recommendations', timeouts.recommendations),
    one: open('/events', timeouts.events),
    batch: open('/events/batch', timeouts.events),
  };
  const { ledger } = settings.dedupe;
  const counting = ledger && createCounting({ ledger, telemetry, timeoutMs: timeouts.dedupe, now: settings.time });
  const records = createRecords({ telemetry, timeoutMs: timeouts.records, time: settings.time });
  const recommend = createRecommend(settings, { upstream: upstreams.recommendations, counting, records, telemetry });
  const events = createEventRoutes({
    settings,
    rates,
    telemetry,
    counting,
    records,
    one: upstreams.one,
    batch: upstreams.batch,
  });
  let isWarned = false;
  let isCompared = false;

  function open(path: PostRoute, timeoutMs: number): Upstream {
    return createUpstream({
      url: settings.networkUrl + path,
      route: path,
      apiKey: settings.apiKey,
      version: settings.version,
      timeoutMs,
      responseBytes: settings.limits.answerBytes,
      callsPerClient: settings.rateLimit ? CALLS_PER_CLIENT : Infinity,
      fetch: settings.fetch,
      telemetry,
      onKeyRefused: compareKeyOnce,
    });
  }

  /** Says with the first refusal of the key whether it is one for another environment than the network's. */
  function compareKeyOnce(): void {
    if (isCompared) return;
    isCompared = true;
    const { apiKey, networkUrl, fetch } = settings;
    checkNetwork({ apiKey, networkUrl, ...(fetch && { fetch }) }).catch((error: unknown) => {
      telemetry.log({ level: 'error', message: 'Key and network do not match.', error: explain(error) });
    });
  }

  async function answer(visit: Visit): Promise<Reply> {
    const { request, route, verdict } = visit;
    const { method } = request;
    const { authorize } = request.own ?? settings;
    if (!route) return errorReply(NOT_FOUND);
    if (verdict === 'foreign' && !authorize) return errorReply(FOREIGN);
    const allow = isPost(route) ? 'POST, OPTIONS' : 'GET, HEAD, OPTIONS';
    const isAllowed = isPost(route) ? method === 'POST' : method === 'GET' || method === 'HEAD';
    if (method === 'OPTIONS') {
      const caller = authorize ? 'authorized' : verdict;
      return { status: 204, body: '', headers: { allow, ...preflightHeaders(caller) } };
    }
    if (!isAllowed) {
      const error = new RelayError(`This path accepts ${allow}.`, { status: 405, code: 'method_not_allowed' });
      return { ...errorReply(error), headers: { allow } };
    }
    try {
      return isPost(route) ? await post(visit, route) : health(route);
    } catch (error) {
      if (error instanceof RelayConfigError)
        return errorReply(new RelayError(NOT_CONFIGURED, { status: 500, code: 'invalid_option', cause: error }));
      return errorReply(asRelayError(error));
    }
  }

  /** What real calls have found of the network: the worst of its paths, as far as there were calls. */
  function networkState(): NetworkState {
    const found = Object.values(upstreams).map((upstream) => upstream.state());
    return (['failing', 'key_refused', 'ok'] as const).find((state) => found.includes(state)) ?? 'unknown';
  }

  /** `/health` is about this process, which runs; `/ready` also about whether the network can be used. */
  function health(route: (typeof GETS)[number]): Reply {
    const network = networkState();
    const isReady = route === '/health' || network === 'ok' || network === 'unknown';
    return jsonReply(isReady ? 200 : 503, {
      status: isReady ? 'ok' : 'not_ready',
      environment: settings.environment ?? null,
      sandbox: settings.sandbox === 'always',
      network,
    });
  }

  function gauges(): readonly RelayGauge[] {
    const remembered = settings.dedupe.size?.();
    const network = networkState();
    const all: RelayGauge[] = [
      { name: 'network_down', value: network === 'ok' || network === 'unknown' ? 0 : 1 },
      { name: 'owed_events', value: events.owed() },
      ...(remembered === undefined ? [] : [{ name: 'remembered_events', value: remembered } as const]),
      ...Object.entries(upstreams).map(([name, upstream]) => {
        const route = name === 'one' ? '/events' : name === 'batch' ? '/events/batch' : `/${name}`;
        return { name: 'circuit_open', route, value: upstream.isOpen() ? 1 : 0 } as const;
      }),
    ];
    return settings.shop === undefined ? all : all.map((gauge) => ({ ...gauge, shop: settings.shop as string }));
  }

  async function post({ request, caller }: Visit, route: PostRoute): Promise<Reply> {
    const { client } = caller;
    warnOnce(request, client);
    const { authorize } = request.own ?? settings;
    // Each await costs a turn of the queue, and most requests need neither.
    if (rates.isOn) await rates.spendRequest(client);
    if (authorize) await checkAuthorized(authorize, { request, client });
    checkType(request);
    const page = await readJson(request, route);
    switch (route) {
      case '/recommendations':
        return recommend({ request, page, asker: readAsker(page, client), caller });
      case '/events':
        return events.one(page, caller, correctionFor(request.search));
      case '/events/batch':
        return events.batch(page, caller, correctionFor(request.search));
    }
  }

  function correctionFor(search: string): CorrectTime | undefined {
    return settings.correctTime && search !== '' ? readCorrection(search, settings.time()) : undefined;
  }

  /** Says with the first request that clients cannot be told apart: before, nobody knows what the runtime passes. */
  function warnOnce(request: RelayRequest, client: Client | undefined): void {
    if (isWarned || !settings.rateLimit) return;
    if (client) return;
    isWarned = true;
    telemetry.log({ level: 'warn', message: request.header('x-forwarded-for') === null ? NO_ADDRESS : PROXIED });
  }

  async function checkAuthorized(
    authorize: Authorize,
    { request, client }: { request: RelayRequest; client: Client | undefined },
  ): Promise<void> {
    const late = (): RelayError =>
      new RelayError('The relay could not check in time whether this request is authorized. Try again later.', {
        status: 503,
        code: 'authorize_timeout',
        retryAfterMs: AUTHORIZE_RETRY_MS,
      });
    const reason: unknown = await withDeadline(authorize(request.header), {
      ms: timeouts.authorize,
      late,
    });
    if (reason === undefined) return;
    await rates.spendUnauthorized(client);
    const message = typeof reason === 'string' && reason !== '' ? reason : 'This request is not authorized.';
    throw new RelayError(message, { status: 401, code: 'unauthorized' });
  }

  async function readJson(request: RelayRequest, route: PostRoute): Promise<unknown> {
    const isRecommendation = route === '/recommendations';
    const bytes = await request.read({
      maxBytes: isRecommendation ? settings.limits.recommendationsBytes : settings.limits.eventsBytes,
      timeoutMs: timeouts.body,
      isKept: isRecommendation && (request.own ?? settings).context !== undefined,
    });
    const json = parseJson(decode(bytes));
    if (json === undefined) {
      const problem = bytes.length > 0 ? 'is not JSON.' : 'is empty. The shopper may have left the page.';
      throw new RelayError(`The request body ${problem}`, { status: 400, code: 'invalid_json' });
    }
    if (isNestedDeeper(json, JSON_MAX_DEPTH))
      throw new RelayError(`The request body nests objects and lists more than ${JSON_MAX_DEPTH} levels deep.`, {
        status: 400,
        code: 'nested_too_deep',
      });
    return json;
  }

  function note({ request, route, caller }: Visit, { status, events, problem, code }: Reply, ms: number): void {
    const isAsked = route !== undefined && !isPost(route);
    if (isAsked && (status < 400 || code === undefined)) return;
    telemetry.measure({ name: 'request', value: ms, ...(route && { route }), status });
    const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
    // Most relays log no success, and what is not logged is not composed.
    if (level === 'info' && !telemetry.isVerbose) return;
    const method = /^[A-Z]{3,7}$/.test(request.method) ? request.method : '(odd method)';
    telemetry.log({
      level,
      message: `${method} ${route ?? '(unknown path)'}`,
      request_id: caller.requestId,
      ...(route && { route }),
      status,
      ms,
      ...(events !== undefined && { events }),
      ...(code !== undefined && { code }),
      ...(problem !== undefined && { error: problem }),
    });
  }

  async function respond(request: RelayRequest, info: RequestInfo): Promise<Reply> {
    const started = performance.now();
    const visit: Visit = {
      request,
      route: findRoute(request.pathname, { basePath: settings.basePath, mountedAt: info.mountedAt }),
      verdict: originVerdict(request, settings.allowedOrigins),
      caller: readCaller(request, info, settings),
    };
    const reply = await answer(visit);
    note(visit, reply, Math.round(performance.now() - started));
    const { status, body } = reply;
    const headers: Record<string, string> = { 'cache-control': 'no-store', 'x-request-id': visit.caller.requestId };
    if (settings.correctTime) headers[TIME_HEADER] = String(Math.round(settings.time()));
    if (body !== '') headers['content-type'] = 'application/json';
    // The state of a relay without allowed origins is for its own.
    if ((request.own ?? settings).authorize && isPost(visit.route)) Object.assign(headers, ANY_ORIGIN_HEADERS);
    else if (visit.verdict === 'allowed') Object.assign(headers, corsHeaders(request.header('origin')));
    if (reply.headers) Object.assign(headers, reply.headers);
    return { status, headers, body: request.method === 'HEAD' ? '' : body };
  }

  return { respond, gauges, prefetch: createPrefetch({ settings, rates, telemetry, recommend }) };
}

function isPost(route: Route | undefined): route is PostRoute {
  return POSTS.some((post) => post === route);
}

/** For the page, when an option that is read with the first request cannot be used. The log has the option. */
export const NOT_CONFIGURED = 'The relay is not configured. Its log says what is missing.';
const NOT_FOUND = new RelayError('There is nothing here.', { status: 404, code: 'not_found' });
const FOREIGN = new RelayError("This origin may not use the relay, because it is not in the relay's allowedOrigins.", {
  status: 403,
  code: 'foreign_origin',
});
const NO_ADDRESS =
  'The runtime passes no IP address, so all clients share one rate limit. Pass { ip } with the request, or set addressHeader.';
const PROXIED =
  'Requests come through a proxy on this machine or network, so all clients share one rate limit. Set addressHeader to the header in which it passes their IP address.';
/** Milliseconds after which a page may come back when `authorize` took too long. */
const AUTHORIZE_RETRY_MS = 5_000;

/** The route of a path, compared exactly: nothing is decoded, nothing is taken from the query. */
function findRoute(
  pathname: string,
  { basePath, mountedAt }: { basePath: string; mountedAt: string | undefined },
): Route | undefined {
  const route = ROUTES.find((each) => pathname === basePath + each);
  if (route || typeof mountedAt !== 'string' || mountedAt === '') return route;
  // Mounted under a framework's prefix that basePath does not mention.
  return ROUTES.find((each) => pathname === mountedAt + basePath + each);
}

function checkType(request: RelayRequest): void {
  // Only this type forces a preflight, which rules out forms of other sites.
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? ''))
    throw new RelayError('Send the body as application/json.', { status: 415, code: 'unsupported_media_type' });
  if ((request.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new RelayError('Send the body uncompressed.', { status: 415, code: 'unsupported_encoding' });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw bodyUnreadable(error);
  }
}

/**
 * Reads the Origin header. A request without one is not a browser's cross-origin request. A page on the relay's own
 * origin has a Sec-Fetch-Site that says so, which scripts cannot set; in browsers that do not send it the Host decides.
 */
function originVerdict(request: RelayRequest, allowed: ReadonlySet<string>): OriginVerdict {
  const origin = request.header('origin');
  if (origin === null) return 'own';
  if (allowed.has(origin)) return 'allowed';
  const site = request.header('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? 'own' : 'foreign';
  return URL.canParse(origin) && new URL(origin).host === request.host ? 'own' : 'foreign';
}

const EXPOSED = `Retry-After, X-Request-Id, ${TIME_HEADER}`;

/** The headers that let an allowed page read the response: its exact origin, never `*`, never credentials. */
function corsHeaders(origin: string | null): Record<string, string> {
  return {
    'access-control-allow-origin': origin ?? 'null',
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  };
}

/**
 * The headers that let any page or worker read the response. Only for a relay that decides by a token: without
 * credentials, and with nothing in a cookie to borrow, a foreign page has no more than its own token.
 */
const ANY_ORIGIN_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};

/** The headers of the response to a preflight, for a caller that may go on. */
function preflightHeaders(caller: OriginVerdict | 'authorized'): Record<string, string> {
  if (caller !== 'allowed' && caller !== 'authorized') return {};
  return {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': `content-type, x-request-id${caller === 'authorized' ? ', authorization' : ''}`,
    'access-control-max-age': '7200',
  };
}
