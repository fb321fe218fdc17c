import { randomUUID } from 'node:crypto';
import type { Environment } from '../../wire/keys.ts';
import type { NetworkContext, NetworkControls, Route } from '../context.ts';
import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/unavailable.ts';
import { replacesAnswer, strike, takeFault } from '../faults/strike.ts';
import { refuseEvents } from '../ingest/refuseEvents.ts';
import { keyOf } from '../keys/authenticate.ts';
import { hashKey } from '../keys/createKey.ts';
import { readState, type NetworkState } from '../settings.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { createRecall, type Recall } from './recall.ts';
import { routeFor, routeTable, type Match } from './routeTable.ts';
import { surfaceError, surfaceOf } from './surfaceError.ts';

/** Who sent a request, and how a scripted fault ends the connection. */
export interface Caller {
  readonly ip?: string | undefined;
  /** Ends the connection without an answer. */
  readonly drop?: () => void;
}

/** What answers requests. */
export interface FetchOptions {
  readonly db: Database;
  readonly environment: Environment;
  readonly routes: readonly Route[];
  readonly metrics: Metrics;
  readonly log: Log;
  readonly baseUrl?: string | (() => string) | undefined;
  readonly controls: NetworkControls;
}

/** Answers requests by the routes, and knows when all are answered. */
export function createFetch(options: FetchOptions): {
  fetch(request: Request, from?: Caller): Promise<Response>;
  drain(): Promise<void>;
} {
  const find = routeTable(options.routes);
  const underWay = new Set<Promise<unknown>>();
  const recall = createRecall(options.db.kind === 'pglite');

  async function answer(request: Request, from: Caller): Promise<Response> {
    const started = performance.now();
    const requestId = randomUUID();
    const path = new URL(request.url).pathname;
    const match = find(path);
    const response = match
      ? await serve(request, { match, from, requestId, path })
      : surfaceError(
          surfaceOf(path),
          404,
          `There is nothing at this path${find(`${path}/`) ? ': it ends with a slash' : ''}.`,
        );
    const headers = new Headers(response.headers);
    headers.set('x-request-id', requestId);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    const entry = {
      route: match?.routes[0].pattern ?? 'none',
      method: request.method,
      status: response.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    };
    options.metrics.observe(entry);
    options.log({ at: new Date().toISOString(), level: 'info', message: 'answered', request_id: requestId, ...entry });
    return new Response(request.method === 'HEAD' ? null : response.body, { status: response.status, headers });
  }

  async function serve(
    request: Request,
    call: { match: Match; from: Caller; requestId: string; path: string },
  ): Promise<Response> {
    const { match, from, requestId, path } = call;
    const { params } = match;
    const chosen = routeFor(match, request.method);
    if ('allow' in chosen) {
      const message = `${request.method} is not allowed here.`;
      return surfaceError(match.routes[0].surface, 405, message, { allow: chosen.allow.join(', ') });
    }
    const { route } = chosen;
    // The Recommendations API changes nothing that is remembered; anything else may.
    const mayChange = route.surface !== 'partner';
    if (mayChange) recall.forget();
    try {
      const context = createContext(request, { ...options, recall, requestId, path, from });
      if (options.environment !== 'staging' || route.surface === 'sandbox' || !(await context.state()).isFaulty)
        return await route.handler(request, context, params);
      const fault = await takeFault(options.db, path);
      recall.forget();
      if (!fault) return await route.handler(request, context, params);
      const copy = replacesAnswer(fault) && fault.after_commit !== true ? request.clone() : request;
      return await strike(fault, {
        surface: route.surface,
        ...(from.drop ? { drop: from.drop } : {}),
        serve: () => route.handler(request, { ...context, fault }, params),
        refuse: () => refuseEvents(copy, context, path),
      });
    } catch (error) {
      return failed(error, route, requestId);
    } finally {
      if (mayChange) recall.forget();
    }
  }

  function failed(error: unknown, route: Route, requestId: string): Response {
    const isGone = error instanceof DatabaseUnavailableError;
    // The message and the place in our code; a database's detail could hold values.
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    options.log({ at: new Date().toISOString(), level: 'error', message, request_id: requestId, route: route.pattern });
    if (isGone)
      return surfaceError(route.surface, 503, 'The network cannot reach its data right now. Try again.', {
        'retry-after': '1',
      });
    return surfaceError(route.surface, 500, 'Something went wrong inside the network.');
  }

  return {
    async fetch(request, from = {}) {
      const answering = answer(request, from);
      underWay.add(answering);
      try {
        return await answering;
      } finally {
        underWay.delete(answering);
      }
    },
    async drain() {
      await Promise.allSettled(underWay);
    },
  };
}

/** What a route gets; the clock, the settings, the faults and the key are read once, in one statement, when first asked for. */
function createContext(
  request: Request,
  options: FetchOptions & { recall: Recall; requestId: string; path: string; from: Caller },
): NetworkContext & { state(): Promise<NetworkState> } {
  const { db, environment, recall, requestId, path, from } = options;
  const given = typeof options.baseUrl === 'function' ? options.baseUrl() : options.baseUrl;
  const began = new Date();
  const key = keyOf(request);
  const hash = key ? hashKey(key) : undefined;
  let reading: Promise<NetworkState> | undefined;
  const state = (): Promise<NetworkState> =>
    (reading ??= recall.once(`state ${hash} ${path}`, () => readState(db, path, hash)));
  return {
    db,
    environment,
    recall,
    requestId,
    baseUrl: (given ?? new URL(request.url).origin).replace(/\/+$/, ''),
    ip: from.ip,
    state,
    // The clock is a staging control: production ignores one that a staging network set in the same database.
    now: async () => (environment === 'staging' ? (await state()).clock : undefined) ?? began,
    settings: async () => (await state()).settings,
    caller: async () => (await state()).key,
    controls: environment === 'staging' ? options.controls : undefined,
  };
}
