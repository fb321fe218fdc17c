import { randomUUID } from 'node:crypto';
import { printableJson } from '../text/printable.ts';
import { own } from '../wire/json.ts';
import type { Environment } from '../wire/keys.ts';
import {
  readApiKeyHeader,
  type RequestSource,
  hashKey,
  type NetworkContext,
  type NetworkControls,
  type NetworkMeasure,
  type NetworkRoute,
  type RouteParams,
  surfaceError,
  surfaceAt,
} from './context.ts';
import { createProcessCache } from './createProcessCache.ts';
import { type Database, DatabaseUnavailableError, SlowReadError, UnconfirmedCommitError } from './database/database.ts';
import { type Billing, createBilling } from './events/createBilling.ts';
import { createEventStore } from './events/eventStore.ts';
import { applyFault, replacesResponse, takeFault } from './faults.ts';
import { type NetworkState, readNetworkState } from './networkState.ts';
import { createRouter, routeFor, type RouteMatch } from './router.ts';
import { readClock, readSetting, type Shares } from './settings.ts';

/** One log entry. It holds ids only: no key, no query string, nothing about a shopper. */
export interface NetworkLogEntry {
  readonly at: string;
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly request_id?: string;
  readonly method?: string;
  /** The route's pattern, never the path with its values. */
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
}

/** Writes a log entry. */
export type NetworkLog = (entry: NetworkLogEntry) => void;

/** Writes each entry to stderr as one line of JSON that neither a terminal nor a CI system takes for a command. */
export function logToStderr(entry: NetworkLogEntry): void {
  process.stderr.write(`${printableJson(entry)}\n`);
}

/** Milliseconds that requests in progress have when the network closes. */
const DRAIN_MS = 5_000;

/** Seconds after which a read that took too long may be worth another attempt: clients do not wait that long. */
const SLOW_RETRY_SECONDS = 300;
const TOO_SLOW =
  'This takes longer than the network lets it. Ask for less: a shorter range, a filter or fewer breakdowns.';

/** What `createFetch` needs. */
interface FetchOptions {
  readonly db: Database;
  readonly environment: Environment;
  readonly routes: readonly NetworkRoute[];
  /** Where callers reach the network; by default each request's own origin. */
  readonly networkUrl?: string | (() => string) | undefined;
  /** Whether a proxy of this address may say by X-Forwarded-Proto how it was called. */
  readonly isTrustedProxy?: (ip: string) => boolean;
  readonly measure?: NetworkMeasure;
  /** Maximum offers in one response. */
  readonly maxOffers?: number | undefined;
  readonly controls: NetworkControls;
  readonly log: NetworkLog;
}

/** A request, and what is known of it before its route is. */
interface Call {
  readonly request: Request;
  readonly path: string;
  readonly requestId: string;
  readonly caller: RequestSource;
}

/**
 * Responds to requests by their routes: gives each its context, keeps the process's cache true, lets scripted faults interfere
 * in staging, and logs. `drain` resolves when no request is in progress, or after a few seconds.
 */
export function createFetch(options: FetchOptions): {
  fetch(request: Request, from?: RequestSource): Promise<Response>;
  drain(): Promise<void>;
  readonly billing: Billing;
} {
  const { db, environment, maxOffers, log, isTrustedProxy = () => false, measure = () => undefined } = options;
  const find = createRouter(options.routes);
  const cache = createProcessCache(db.kind === 'pglite');
  const store = createEventStore(db);
  const billing = createBilling({
    db,
    // The clock is a staging control: production ignores one that a staging network set in the same database.
    now: async () => (environment === 'staging' ? await readClock(db) : undefined) ?? new Date(),
    shares: async () => own(await readSetting(db, 'reporting'), 'shares') as Shares | undefined,
    onBilled: () => cache.clear(),
    onFailed: (error) => noteFailure(error),
  });
  const controls = environment === 'staging' ? options.controls : undefined;
  const inProgress = new Set<Promise<unknown>>();

  async function respond(request: Request, caller: RequestSource): Promise<Response> {
    const started = performance.now();
    const requestId = randomUUID();
    const path = new URL(request.url).pathname;
    const match = find(path);
    const response = match ? await runMatch(match, { request, path, requestId, caller }) : notFound(path);
    response.headers.set('x-request-id', requestId);
    if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
    const entry = {
      route: match?.routes[0].pattern ?? 'none',
      method: request.method,
      status: response.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    };
    log({ at: new Date().toISOString(), level: 'info', message: 'responded', request_id: requestId, ...entry });
    const { ms, ...labels } = entry;
    measure({ name: 'request', value: ms, ...labels });
    return request.method === 'HEAD' ? new Response(null, response) : response;
  }

  async function runMatch(match: RouteMatch, call: Call): Promise<Response> {
    const chosen = routeFor(match, call.request.method);
    if ('allow' in chosen) {
      const message = `${call.request.method} is not allowed here.`;
      return surfaceError(match.routes[0].surface, 405, message, { allow: chosen.allow.join(', ') });
    }
    const { route } = chosen;
    try {
      // The Recommendations API changes nothing that is cached but budgets; any other request may.
      if (route.surface === 'partner') return await run(route, match.params, call);
      // What this process has accepted is in its reports.
      if (route.surface === 'reporting') await billing.settled();
      cache.clear();
      return await run(route, match.params, call).finally(() => cache.clear());
    } catch (error) {
      return failed(error, route, call.requestId);
    }
  }

  async function run(route: NetworkRoute, params: RouteParams, call: Call): Promise<Response> {
    const { request, path, caller } = call;
    const context = createContext(call);
    const mayFail = environment === 'staging' && route.surface !== 'sandbox' && (await context.state()).isFaulty;
    const fault = mayFail ? await takeFault(db, path) : undefined;
    if (mayFail) cache.clear();
    if (!fault) return route.handler(request, context, params);
    const copy = replacesResponse(fault) && fault.after_commit !== true ? request.clone() : request;
    return applyFault(fault, {
      surface: route.surface,
      drop: caller.drop,
      serve: () => route.handler(request, { ...context, fault }, params),
      async refuse() {
        await route.recordRefused?.(copy, context);
      },
    });
  }

  /** The origin at which a request was sent: behind a proxy that ends TLS, the one that pages know. */
  function originOf(request: Request, { ip }: RequestSource): string {
    const url = new URL(request.url);
    const [scheme] = (request.headers.get('x-forwarded-proto') ?? '').split(',').slice(-1);
    if (scheme?.trim() === 'https' && ip !== undefined && isTrustedProxy(ip)) url.protocol = 'https:';
    return url.origin;
  }

  /** What a route gets. The clock, the settings, the faults and the key are read in one statement, when first needed. */
  function createContext({
    request,
    path,
    requestId,
    caller,
  }: Call): NetworkContext & { state(): Promise<NetworkState> } {
    const networkUrl = typeof options.networkUrl === 'function' ? options.networkUrl() : options.networkUrl;
    const started = new Date();
    const key = readApiKeyHeader(request);
    const hash = key ? hashKey(key) : undefined;
    let reading: Promise<NetworkState> | undefined;
    const state = (): Promise<NetworkState> =>
      (reading ??= cache.untilCleared(`state ${hash} ${path}`, () => readNetworkState(db, path, hash)));
    return {
      db,
      environment,
      maxOffers,
      cache,
      store,
      bill: billing.bill,
      noteFailure: (error) => noteFailure(error, { request_id: requestId }),
      requestId,
      networkUrl: (networkUrl ?? originOf(request, caller)).replace(/\/+$/, ''),
      measure,
      ip: caller.ip,
      state,
      now: async () => (environment === 'staging' ? (await state()).clock : undefined) ?? started,
      settings: async () => (await state()).settings,
      caller: async () => (await state()).key,
      versions: async () => (await state()).versions,
      controls,
    };
  }

  function notFound(path: string): Response {
    const hint = find(`${path}/`) ? ' The path needs a slash at the end.' : '';
    return surfaceError(surfaceAt(path), 404, `There is nothing at this path.${hint}`);
  }

  function failed(error: unknown, route: NetworkRoute, requestId: string): Response {
    noteFailure(error, { request_id: requestId, route: route.pattern });
    if (error instanceof UnconfirmedCommitError)
      return surfaceError(route.surface, 500, 'The database did not confirm the commit: what was sent may be stored.');
    if (error instanceof SlowReadError)
      return surfaceError(route.surface, 503, TOO_SLOW, { 'retry-after': String(SLOW_RETRY_SECONDS) });
    if (!(error instanceof DatabaseUnavailableError))
      return surfaceError(route.surface, 500, 'The network failed to process this request.');
    const unavailable = 'The network cannot reach its database right now. Try again.';
    return surfaceError(route.surface, 503, unavailable, { 'retry-after': '1' });
  }

  function noteFailure(error: unknown, about: Pick<NetworkLogEntry, 'request_id' | 'route'> = {}): void {
    // The message and the stack only: a database error's detail may hold values.
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log({ at: new Date().toISOString(), level: 'error', message, ...about });
  }

  return {
    billing,
    async fetch(request, caller = {}) {
      const responding = respond(request, caller);
      inProgress.add(responding);
      try {
        return await responding;
      } finally {
        inProgress.delete(responding);
      }
    },
    async drain() {
      let deadline: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise((resolve) => (deadline = setTimeout(resolve, DRAIN_MS)));
      await Promise.race([Promise.allSettled(inProgress), late]);
      clearTimeout(deadline);
    },
  };
}
