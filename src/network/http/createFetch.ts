import { randomUUID } from 'node:crypto';
import { DatabaseUnavailableError } from '../database/DatabaseUnavailableError.ts';
import type { NetworkLog } from './log.ts';
import type { Metrics } from './createMetrics.ts';
import type { Route, RouteParams, Surface } from './route.ts';
import { routeFor, routeTable, type RouteMatch } from './routeTable.ts';
import { surfaceError } from './surfaceError.ts';

/** Milliseconds that requests in progress have when the network closes. */
const DRAIN_MS = 5_000;

/** Who sent a request. */
export interface Caller {
  /** Its IP address, where the server knows it. */
  readonly ip?: string | undefined;
  /** Ends the connection without a response, as a scripted fault may ask for. */
  readonly drop?: (() => void) | undefined;
}

/** A request and the route that was found for it. */
export interface RouteCall<Context> {
  readonly request: Request;
  readonly route: Route<Context>;
  readonly params: RouteParams;
  readonly path: string;
  readonly requestId: string;
  readonly caller: Caller;
}

/** What `createFetch` needs. */
export interface FetchOptions<Context> {
  readonly routes: readonly Route<Context>[];
  /** Responds to a request with its route. */
  run(call: RouteCall<Context>): Promise<Response>;
  /** The surface of a path that no route matches. */
  surfaceOf(path: string): Surface;
  readonly metrics: Metrics;
  readonly log: NetworkLog;
}

/** Responds to requests by their routes, with errors, logs and metrics; `drain` resolves when no request is in progress, or after a few seconds. */
export function createFetch<Context>(options: FetchOptions<Context>): {
  fetch(request: Request, from?: Caller): Promise<Response>;
  drain(): Promise<void>;
} {
  const { metrics, log } = options;
  const find = routeTable(options.routes);
  const inProgress = new Set<Promise<unknown>>();

  async function respond(request: Request, caller: Caller): Promise<Response> {
    const started = performance.now();
    const requestId = randomUUID();
    const path = new URL(request.url).pathname;
    const match = find(path);
    const response = match ? await runMatch(match, { request, path, requestId, caller }) : notFound(path);
    const headers = new Headers(response.headers);
    headers.set('x-request-id', requestId);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    const entry = {
      route: match?.routes[0].pattern ?? 'none',
      method: request.method,
      status: response.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    };
    metrics.observe(entry);
    log({ at: new Date().toISOString(), level: 'info', message: 'responded', request_id: requestId, ...entry });
    return new Response(request.method === 'HEAD' ? null : response.body, { status: response.status, headers });
  }

  async function runMatch(
    match: RouteMatch<Context>,
    call: Omit<RouteCall<Context>, 'route' | 'params'>,
  ): Promise<Response> {
    const chosen = routeFor(match, call.request.method);
    if ('allow' in chosen) {
      const message = `${call.request.method} is not allowed here.`;
      return surfaceError(match.routes[0].surface, 405, message, { allow: chosen.allow.join(', ') });
    }
    const { route } = chosen;
    try {
      return await options.run({ ...call, route, params: match.params });
    } catch (error) {
      return failed(error, route, call.requestId);
    }
  }

  function notFound(path: string): Response {
    const hint = find(`${path}/`) ? ' The path needs a slash at the end.' : '';
    return surfaceError(options.surfaceOf(path), 404, `There is nothing at this path.${hint}`);
  }

  function failed(error: unknown, route: Route<Context>, requestId: string): Response {
    // The message and the stack only: a database error's detail may hold values.
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log({ at: new Date().toISOString(), level: 'error', message, request_id: requestId, route: route.pattern });
    if (!(error instanceof DatabaseUnavailableError))
      return surfaceError(route.surface, 500, 'The network failed to process this request.');
    const unavailable = error.isElsewhere
      ? 'A part of the database cannot be reached, and this request needs it. Try again.'
      : 'The network cannot reach its database right now. Try again.';
    return surfaceError(route.surface, 503, unavailable, { 'retry-after': '1' });
  }

  return {
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
