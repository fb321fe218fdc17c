import { randomUUID } from 'node:crypto';
import { printableJson } from '../text/printable.ts';
import { isObject, own } from '../wire/json.ts';
import type { Environment } from '../wire/keys.ts';
import {
  readApiKeyHeader,
  type RequestSource,
  hashKey,
  type KeyRow,
  type NetworkContext,
  type NetworkControls,
  type NetworkMeasure,
  type NetworkRoute,
  type RouteParams,
  surfaceError,
  surfaceAt,
} from './context.ts';
import { createProcessCache, readVersions, VERSION_NAMES, type Versions } from './createProcessCache.ts';
import {
  type Database,
  DatabaseUnavailableError,
  type Queries,
  SlowReadError,
  UnconfirmedCommitError,
} from './database/database.ts';
import { type Billing, createBilling } from './events/createBilling.ts';
import { createEventStore } from './events/eventStore.ts';
import { applyFault, replacesResponse, takeFault } from './faults.ts';
import { readClock, readSetting, type ReportingSettings, type Shares } from './settings.ts';

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
  const find = routeTable(options.routes);
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
    const headers = new Headers(response.headers);
    headers.set('x-request-id', requestId);
    if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
    const entry = {
      route: match?.routes[0].pattern ?? 'none',
      method: request.method,
      status: response.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    };
    log({ at: new Date().toISOString(), level: 'info', message: 'responded', request_id: requestId, ...entry });
    const { ms, ...labels } = entry;
    measure({ name: 'request', value: ms, ...labels });
    return new Response(request.method === 'HEAD' ? null : response.body, { status: response.status, headers });
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

/** What each request reads again, because another process may have changed it. */
interface NetworkState {
  /** The stopped clock, if it is stopped. */
  readonly clock: Date | undefined;
  readonly settings: ReportingSettings;
  readonly versions: Versions;
  /** Whether a scripted fault waits for this path. */
  readonly isFaulty: boolean;
  /** The key that the request carries, if it exists. */
  readonly key: KeyRow | undefined;
}

/** The settings that every request reads. */
const READ_SETTINGS = ['clock', 'reporting', ...VERSION_NAMES].map((name) => `'${name}'`).join(', ');

/**
 * Reads what every request needs, in one statement: the clock, the settings, the versions of what is cached, whether a fault
 * waits for the path, and the key with this hash.
 */
export async function readNetworkState(db: Queries, path: string, keyHash: string | undefined): Promise<NetworkState> {
  const [row] = await db.hot<{ settings: unknown; is_faulty: boolean; key: KeyJson | null }>(
    `SELECT (SELECT json_object_agg(name, value) FROM settings WHERE name IN (${READ_SETTINGS})) AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty,
       (SELECT json_build_object('id', id, 'key_hash', key_hash, 'kind', kind, 'environment', environment, 'issued_in', issued_in,
          'channel_id', channel_id, 'publisher_id', publisher_id, 'expires_at', expires_at, 'revoked_at', revoked_at,
          'publisher_removed', EXISTS (SELECT 1 FROM publishers WHERE publisher_remote_id = api_keys.publisher_id AND removed_at IS NOT NULL))
        FROM api_keys WHERE key_hash = $2) AS key`,
    [path, keyHash ?? null],
  );
  const settings = row?.settings;
  const clock = own(settings, 'clock');
  const reporting = own(settings, 'reporting');
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(reporting) ? (reporting as ReportingSettings) : {},
    versions: readVersions(settings),
    isFaulty: row?.is_faulty === true,
    key: row?.key
      ? { ...row.key, expires_at: readTime(row.key.expires_at), revoked_at: readTime(row.key.revoked_at) }
      : undefined,
  };
}

/** A key's row as JSON: times as text. */
type KeyJson = Omit<KeyRow, 'expires_at' | 'revoked_at'> & Record<'expires_at' | 'revoked_at', string | null>;

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** The routes of a path, one per set of methods, with the values of its `{names}`. */
interface RouteMatch {
  readonly routes: readonly [NetworkRoute, ...NetworkRoute[]];
  readonly params: RouteParams;
}

/** Finds the routes of a path: exact paths first, then patterns in order. Paths are not normalized: neither `//` nor a missing final slash matches. */
function routeTable(routes: readonly NetworkRoute[]): (path: string) => RouteMatch | undefined {
  const byPattern = new Map<string, [NetworkRoute, ...NetworkRoute[]]>();
  for (const route of routes) {
    const found = byPattern.get(route.pattern);
    if (found) found.push(route);
    else byPattern.set(route.pattern, [route]);
  }
  const patterns = [...byPattern].filter(([pattern]) => pattern.includes('{'));
  const expressions = patterns.map(([pattern, routes]) => ({ routes, expression: compile(pattern) }));
  return (path) => {
    const exact = path.includes('{') ? undefined : byPattern.get(path);
    if (exact) return { routes: exact, params: {} };
    for (const { routes, expression } of expressions) {
      const match = expression.exec(path);
      const params = match && decode(match.groups ?? {});
      if (params) return { routes, params };
    }
    return undefined;
  };
}

/** The route for a method, or the methods that the path accepts. */
function routeFor(
  { routes }: RouteMatch,
  method: string,
): { readonly route: NetworkRoute } | { readonly allow: readonly string[] } {
  const route = routes.find(({ methods }) => methods === '*' || methods.includes(method));
  return route ? { route } : { allow: [...new Set(routes.flatMap(({ methods }) => [...methods]))] };
}

function compile(pattern: string): RegExp {
  const parts = pattern.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name ? `(?<${name}>[^/]+)` : part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}

function decode(groups: Readonly<Record<string, string>>): RouteParams | undefined {
  try {
    const params = Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)] as const);
    // No id or name contains U+0000, and PostgreSQL cannot store it.
    return params.some(([, value]) => value.includes('\0')) ? undefined : Object.fromEntries(params);
  } catch {
    return undefined;
  }
}
