import { parseJson } from '../wire/json.ts';
import { ask } from './ask.ts';
import { createDelivery, judgeBatch } from './deliver.ts';
import { RelayError } from './errors.ts';
import { judgeEvent, type Judged } from './judgeEvent.ts';
import { createLedger } from './ledger.ts';
import { createLog, explain } from './log.ts';
import { createMeasure } from './metrics.ts';
import type { RelayOptions } from './options.ts';
import { corsHeaders, judgeOrigin, PREFLIGHT_HEADERS } from './origin.ts';
import { readBody } from './readBody.ts';
import { refuseBrowser } from './refuseBrowser.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';
import { methodsOf, routeOf, type Route } from './route.ts';
import { readOptions } from './settings.ts';
import { createUpstream } from './upstream.ts';

/** What is known about a request besides itself. */
export interface From {
  /** The address that it came from. */
  ip?: string;
  /** The part of the path that a framework has taken off already or matched its mount by, such as `/offers`. */
  mountedAt?: string;
}

/** Answers a page's request. Never throws, never rejects. */
export type Relay = (request: Request, from?: From) => Promise<Response>;

refuseBrowser('offerlet/relay');

/** A relay: the only holder of the key, to be mounted in a merchant's backend. Throws a `RelayConfigError` on a bad option. */
export function createRelay(options: RelayOptions): Relay {
  refuseBrowser('offerlet/relay');
  const settings = readOptions(options);
  const { apiKey, version, now, limits, limiter, timeouts } = settings;
  const log = createLog(options.onLog, apiKey);
  const measure = createMeasure(options.onMetric);
  const upstream = (path: Route, timeoutMs: number): ReturnType<typeof createUpstream> =>
    createUpstream({
      url: settings.baseUrl + path,
      apiKey,
      version,
      timeoutMs,
      answerBytes: limits.answerBytes,
      now,
      log,
      measure,
      fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    });
  const recommendations = upstream('/recommendations', timeouts.recommendations);
  const events = upstream('/events', timeouts.events);
  const batches = upstream('/events/batch', timeouts.events);
  const ledger = createLedger({
    seen: settings.seen,
    isNetworkIdempotent: settings.forwardEventIds,
    now,
    log,
    measure,
  });
  const delivery = createDelivery({
    single: events.call,
    batch: batches.call,
    ledger,
    keepIds: settings.forwardEventIds,
    now,
    measure,
  });

  async function spend(key: string | undefined, kind: 'address' | 'session', cost: number): Promise<void> {
    if (!limiter || key === undefined) return;
    const waitMs = await limiter.take(key, kind, cost);
    if (waitMs <= 0) return;
    measure({ name: 'rate_limited', value: 1 });
    throw new RelayError('Too many requests: slow down.', { status: 429, code: 'rate_limited', retryAfterMs: waitMs });
  }

  async function spendSessions(judged: readonly Judged[]): Promise<void> {
    const counts = new Map<string, number>();
    for (const one of judged) if (one.ok) counts.set(one.event.session_id, (counts.get(one.event.session_id) ?? 0) + 1);
    for (const [session, count] of counts) await spend(session, 'session', count);
  }

  async function answer(
    route: Exclude<Route, '/health'>,
    { request, address, requestId }: { request: Request; address: string | undefined; requestId: string },
  ): Promise<Reply> {
    checkHeaders(request.headers);
    await spend(address, 'address', 1);
    // A context that reads the body gets a copy; without one nothing is copied.
    const asked = settings.context && route === '/recommendations' ? request.clone() : request;
    const maxBytes = route === '/recommendations' ? limits.recommendationsBytes : limits.eventsBytes;
    const page = parseJson(await readBody(request, { maxBytes, timeoutMs: timeouts.body }));
    if (page === undefined)
      throw new RelayError('The request body is not JSON.', { status: 400, code: 'invalid_json' });
    switch (route) {
      case '/recommendations':
        return ask({ request: asked, page, address, requestId }, { settings, call: recommendations.call });
      case '/events': {
        const judged = judgeEvent(page, now());
        await spendSessions([judged]);
        return delivery.single(judged, requestId);
      }
      case '/events/batch': {
        const judged = judgeBatch(page, now());
        await spendSessions(judged);
        return delivery.batch(judged, requestId);
      }
    }
  }

  function health(): Reply {
    const isFailing = recommendations.isOpen() || events.isOpen() || batches.isOpen();
    return jsonReply(200, {
      status: 'ok',
      environment: settings.environment ?? null,
      sandbox: settings.sandbox,
      network: isFailing ? 'failing' : 'ok',
    });
  }

  return async (request, from) => {
    const started = now();
    const requestId = readRequestId(request.headers.get('x-request-id'));
    const origin = request.headers.get('origin');
    const verdict = judgeOrigin(request, settings.allowedOrigins);
    const route = findRoute(new URL(request.url).pathname, settings.basePath, from);
    const headers: Record<string, string> = {
      ...corsHeaders(origin, verdict),
      'cache-control': 'no-store',
      'x-request-id': requestId,
    };
    let reply: Reply;
    let problem: string | undefined;
    try {
      if (!route) throw new RelayError('There is nothing here.', { status: 404, code: 'not_found' });
      if (verdict === 'foreign')
        throw new RelayError("Pages of this origin may not use the relay: it is not in the relay's allowedOrigins.", {
          status: 403,
          code: 'foreign_origin',
        });
      if (request.method === 'OPTIONS') {
        headers['allow'] = methodsOf(route);
        if (verdict === 'allowed') Object.assign(headers, PREFLIGHT_HEADERS);
        reply = { status: 204, body: '' };
      } else if (
        route === '/health' ? request.method !== 'GET' && request.method !== 'HEAD' : request.method !== 'POST'
      ) {
        headers['allow'] = methodsOf(route);
        throw new RelayError(`This address takes ${methodsOf(route)}.`, { status: 405, code: 'method_not_allowed' });
      } else {
        reply =
          route === '/health'
            ? health()
            : await answer(route, { request, address: addressOf(request, from, settings.addressHeader), requestId });
      }
    } catch (error) {
      const known =
        error instanceof RelayError
          ? error
          : new RelayError('The relay failed.', { status: 500, code: 'internal', cause: error });
      problem = known.cause === undefined ? known.message : `${known.message} ${explain(known.cause)}`;
      reply = errorReply(known);
    }
    if (route !== '/health' || reply.status !== 200) {
      const level = reply.status >= 500 ? 'error' : reply.status >= 400 ? 'warn' : 'info';
      const ms = now() - started;
      log({
        level,
        message: `${request.method.slice(0, 10)} ${route ?? '(unknown path)'}`,
        request_id: requestId,
        ...(route && { route }),
        status: reply.status,
        ms,
        ...(reply.events !== undefined && { events: reply.events }),
        ...(problem !== undefined && { error: problem }),
      });
      measure({ name: 'request', value: ms, ...(route && { route }), status: reply.status });
    }
    if (reply.retryAfter !== undefined) headers['retry-after'] = reply.retryAfter;
    if (reply.body !== '') headers['content-type'] = 'application/json';
    const isBodiless = request.method === 'HEAD' || reply.body === '';
    return new Response(isBodiless ? null : reply.body, { status: reply.status, headers });
  };
}

function findRoute(pathname: string, basePath: string, from: From | undefined): Route | undefined {
  const route = routeOf(pathname, basePath);
  const mount = typeof from?.mountedAt === 'string' ? from.mountedAt : '';
  if (route || mount === '') return route;
  // Mounted under a framework's prefix without saying so in basePath.
  return pathname.startsWith(`${mount}/`) ? routeOf(pathname.slice(mount.length), basePath) : undefined;
}

function checkHeaders(headers: Headers): void {
  const type = headers.get('content-type') ?? '';
  // Only this type forces a preflight, which rules out forms of other sites.
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new RelayError('Send application/json.', { status: 415, code: 'unsupported_media_type' });
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new RelayError('Send the body as it is, not compressed.', { status: 415, code: 'unsupported_encoding' });
}

function readRequestId(given: string | null): string {
  return given !== null && /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function addressOf(request: Request, from: From | undefined, header: string | undefined): string | undefined {
  // The last address is the one that our own proxy saw; those before it are the caller's own words.
  const told = header === undefined ? undefined : request.headers.get(header)?.split(',').at(-1)?.trim();
  const address = told || from?.ip;
  return typeof address === 'string' && address.length <= 64 ? address : undefined;
}
