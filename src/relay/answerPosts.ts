import { parseJson } from '../wire/json.ts';
import { JSON_MAX_DEPTH } from '../wire/limits.ts';
import { ask } from './offers/recommend.ts';
import { networkOf } from './limits/callerAddress.ts';
import { createDelivery, judgeBatch } from './events/deliverEvents.ts';
import { RelayError } from './errors.ts';
import type { Incoming } from './runtime/exchange.ts';
import { isNestedDeeper } from './limits/isNestedDeeper.ts';
import { judgeEvent, type Judged } from './events/checkEvent.ts';
import { createLedger } from './seen/createLedger.ts';
import type { Log } from './log.ts';
import type { Measure } from './metrics.ts';
import type { Reply } from './reply.ts';
import type { Route } from './route.ts';
import type { Settings } from './options/settings.ts';
import { createUpstream, type Upstream } from './upstream/createUpstream.ts';

export type PostRoute = Exclude<Route, '/health'>;

/** Answers the three routes that reach the network. */
export interface Posts {
  /** Throws a `RelayError` when the relay itself refuses. */
  answer(
    route: PostRoute,
    about: { incoming: Incoming; address: string | undefined; requestId: string },
  ): Promise<Reply>;
  /** The network failed so often that it is left alone for now. */
  isPaused(): boolean;
}

/** The three routes on one network and one ledger. */
export function answerPosts(
  settings: Settings,
  means: { fetch: typeof globalThis.fetch | undefined; log: Log; measure: Measure },
): Posts {
  const { now, limits, limiter, timeouts } = settings;
  const { log, measure } = means;
  const upstream = (path: PostRoute, timeoutMs: number): Upstream =>
    createUpstream({
      ...means,
      url: settings.baseUrl + path,
      apiKey: settings.apiKey,
      version: settings.version,
      timeoutMs,
      answerBytes: limits.answerBytes,
      now,
    });
  const recommendations = upstream('/recommendations', timeouts.recommendations);
  const single = upstream('/events', timeouts.events);
  const batch = upstream('/events/batch', timeouts.events);
  const ledger = createLedger({
    seen: settings.seen,
    timeoutMs: timeouts.seen,
    isNetworkIdempotent: settings.forwardEventIds,
    now,
    log,
    measure,
  });
  const delivery = createDelivery({
    single: single.call,
    batch: batch.call,
    ledger,
    keepIds: settings.forwardEventIds,
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
    if (!limiter) return;
    const counts = new Map<string, number>();
    for (const one of judged) if (one.ok) counts.set(one.event.session_id, (counts.get(one.event.session_id) ?? 0) + 1);
    for (const [session, count] of counts) await spend(session, 'session', count);
  }

  async function answer(
    route: PostRoute,
    { incoming, address, requestId }: { incoming: Incoming; address: string | undefined; requestId: string },
  ): Promise<Reply> {
    checkType(incoming);
    const from = address === undefined ? undefined : networkOf(address);
    await spend(from, 'address', 1);
    const maxBytes = route === '/recommendations' ? limits.recommendationsBytes : limits.eventsBytes;
    const page = parseJson(await incoming.read({ maxBytes, timeoutMs: timeouts.body }));
    if (page === undefined)
      throw new RelayError('The request body is not JSON.', { status: 400, code: 'invalid_json' });
    if (isNestedDeeper(page, JSON_MAX_DEPTH))
      throw new RelayError(`The request body nests objects and lists more than ${JSON_MAX_DEPTH} levels deep.`, {
        status: 400,
        code: 'nested_too_deep',
      });
    switch (route) {
      case '/recommendations':
        return ask({ incoming, page, address, requestId }, { settings, call: recommendations.call });
      case '/events': {
        const judged = judgeEvent(page, now());
        await spendSessions([judged]);
        return delivery.single(judged, { requestId, sender: from ?? sessionOf([judged]) });
      }
      case '/events/batch': {
        const judged = judgeBatch(page, now());
        await spendSessions(judged);
        return delivery.batch(judged, { requestId, sender: from ?? sessionOf(judged) });
      }
    }
  }

  return { answer, isPaused: () => [recommendations, single, batch].some((each) => each.isOpen()) };
}

/** The session of the first event that may go on. */
function sessionOf(judged: readonly Judged[]): string | undefined {
  for (const one of judged) if (one.ok) return one.event.session_id;
  return undefined;
}

function checkType(incoming: Incoming): void {
  // Only this type forces a preflight, which rules out forms of other sites.
  if (!/^application\/json\s*(;|$)/i.test(incoming.header('content-type') ?? '')) {
    throw new RelayError('Send application/json.', { status: 415, code: 'unsupported_media_type' });
  }
  if ((incoming.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new RelayError('Send the body as it is, not compressed.', { status: 415, code: 'unsupported_encoding' });
  }
}
