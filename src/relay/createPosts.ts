import { isNestedDeeper, parseJson } from '../wire/json.ts';
import { JSON_MAX_DEPTH } from '../wire/limits.ts';
import { RelayError } from './errors.ts';
import { checkBatch, checkEvent, type CheckedEvent } from './events/checkEvent.ts';
import { createDelivery } from './events/createDelivery.ts';
import { createForwardBatch, createForwardOne } from './events/forwardEvents.ts';
import { createForwardOnce } from './events/forwardOnce.ts';
import { networkOf } from './limits/readIpAddress.ts';
import { createRecommend } from './offers/recommend.ts';
import type { RelaySettings } from './options/readOptions.ts';
import type { Reply } from './reply.ts';
import type { RelayRequest } from './runtime/request.ts';
import { createLedger } from './seen/createLedger.ts';
import { sessionKey } from './seen/eventKeys.ts';
import type { Telemetry } from './telemetry.ts';
import { createUpstream, type Upstream } from './upstream/createUpstream.ts';
import { withDeadline } from '../http/withDeadline.ts';

export type PostRoute = '/recommendations' | '/events' | '/events/batch';

/** A POST of a page. */
export interface Post {
  readonly route: PostRoute;
  readonly request: RelayRequest;
  readonly address: string | undefined;
  readonly requestId: string;
}

/** The three routes that reach the network. */
export interface Posts {
  /** Replies to a POST. Throws a `RelayError` when the relay itself refuses it. */
  reply(post: Post): Promise<Reply>;
  /** Whether the network failed so often that it is left alone for now. */
  isPaused(): boolean;
}

/** Milliseconds after which a page may come back when the rate limiter failed. */
const LIMITER_RETRY_MS = 5_000;

/** Returns the three routes, on one network and one ledger. */
export function createPosts(settings: RelaySettings, telemetry: Telemetry): Posts {
  const { now, limits, limiter, timeouts, forwardEventIds: keepIds } = settings;
  const upstreams = {
    recommendations: open('/recommendations', timeouts.recommendations),
    one: open('/events', timeouts.events),
    batch: open('/events/batch', timeouts.events),
  };
  const ledger = createLedger({
    seen: settings.seen,
    timeoutMs: timeouts.seen,
    isNetworkIdempotent: keepIds,
    now,
    telemetry,
  });
  const once = createForwardOnce({ ledger, telemetry });
  const delivery = createDelivery({
    forwardOne: once(createForwardOne(upstreams.one, { keepIds })),
    forwardBatch: once(createForwardBatch(upstreams.batch, { keepIds })),
    telemetry,
  });
  const recommend = createRecommend(settings, upstreams.recommendations);

  function open(path: PostRoute, timeoutMs: number): Upstream {
    const { baseUrl, apiKey, version, fetch } = settings;
    return createUpstream({
      url: baseUrl + path,
      apiKey,
      version,
      timeoutMs,
      responseBytes: limits.answerBytes,
      fetch,
      now,
      telemetry,
    });
  }

  async function reply({ route, request, address, requestId }: Post): Promise<Reply> {
    checkType(request);
    const network = address === undefined ? undefined : networkOf(address);
    if (network !== undefined) await spend('address', network, 1);
    const page = await readJson(route, request);
    switch (route) {
      case '/recommendations':
        return recommend({ request, page, address, source: { requestId, sender: network } });
      case '/events': {
        const checked = checkEvent(page, now());
        await spendSessions([checked]);
        return delivery.one(checked, { requestId, sender: network ?? firstSession([checked]) });
      }
      case '/events/batch': {
        const checked = checkBatch(page, now());
        await spendSessions(checked);
        return delivery.batch(checked, { requestId, sender: network ?? firstSession(checked) });
      }
    }
  }

  async function readJson(route: PostRoute, request: RelayRequest): Promise<unknown> {
    const maxBytes = route === '/recommendations' ? limits.recommendationsBytes : limits.eventsBytes;
    const isKept = route === '/recommendations' && settings.context !== undefined;
    const json = parseJson(await request.read({ maxBytes, timeoutMs: timeouts.body, isKept }));
    if (json === undefined)
      throw new RelayError('The request body is not JSON.', { status: 400, code: 'invalid_json' });
    if (isNestedDeeper(json, JSON_MAX_DEPTH))
      throw new RelayError(`The request body nests objects and lists more than ${JSON_MAX_DEPTH} levels deep.`, {
        status: 400,
        code: 'nested_too_deep',
      });
    return json;
  }

  async function spend(kind: 'address' | 'session', key: string, cost: number): Promise<void> {
    const waitMs = await askLimiter(key, kind, cost);
    if (waitMs <= 0) return;
    telemetry.measure({ name: 'rate_limited', value: 1 });
    throw new RelayError('Too many requests. Slow down.', { status: 429, code: 'rate_limited', retryAfterMs: waitMs });
  }

  /** The limiter's reply. One that hangs fails like one that throws. */
  async function askLimiter(key: string, kind: 'address' | 'session', cost: number): Promise<number> {
    if (!limiter) return 0;
    try {
      const taken = limiter.take(key, kind, cost);
      // A limiter in memory needs no timer.
      const late = (): Error => new Error(`no reply within ${timeouts.seen} ms`);
      const waitMs: unknown =
        typeof taken === 'number' ? taken : await withDeadline(Promise.resolve(taken), { ms: timeouts.seen, late });
      if (typeof waitMs === 'number' && Number.isFinite(waitMs)) return waitMs;
      throw new TypeError(`take() returned ${String(waitMs)} instead of a number of milliseconds`);
    } catch (error) {
      telemetry.measure({ name: 'limiter_failed', value: 1 });
      throw new RelayError('The relay cannot check its rate limit. Try again later.', {
        status: 503,
        code: 'limiter_unavailable',
        retryAfterMs: LIMITER_RETRY_MS,
        cause: error,
      });
    }
  }

  async function spendSessions(checked: readonly CheckedEvent[]): Promise<void> {
    if (!limiter) return;
    const counts = new Map<string, number>();
    for (const each of checked) {
      if (!each.ok) continue;
      const session = sessionKey(each.value.session_id);
      counts.set(session, (counts.get(session) ?? 0) + 1);
    }
    for (const [session, count] of counts) await spend('session', session, count);
  }

  return { reply, isPaused: () => Object.values(upstreams).some((upstream) => upstream.isOpen()) };
}

function firstSession(checked: readonly CheckedEvent[]): string | undefined {
  for (const each of checked) if (each.ok) return sessionKey(each.value.session_id);
  return undefined;
}

function checkType(request: RelayRequest): void {
  // Only this type forces a preflight, which rules out forms of other sites.
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? ''))
    throw new RelayError('Send the body as application/json.', { status: 415, code: 'unsupported_media_type' });
  if ((request.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new RelayError('Send the body uncompressed.', { status: 415, code: 'unsupported_encoding' });
}
