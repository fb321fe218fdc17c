import { randomUUID } from 'node:crypto';
import { printableJson } from '../http/printable.ts';
import { partnerError } from '../wire/errors.ts';
import { type Problem, isNestedDeeper, readCapped } from '../wire/json.ts';
import { DatabaseUnavailableError } from './database/database.ts';

/** The interfaces that report errors in different shapes; `sandbox` and `page` use the shape of `partner`. */
export type Surface = 'channel' | 'reporting' | 'partner' | 'sandbox' | 'page';

/** The values of a pattern's `{names}`, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** One path and how to respond to its requests. */
export interface Route<Context> {
  /** Methods it accepts; any other gets a 405. `'*'`: the handler checks the method itself. */
  readonly methods: readonly string[] | '*';
  /** An exact path. `{name}` matches one whole segment: `/adnet/publishers/details/{id}/`. */
  readonly pattern: string;
  /** Decides the shape of a 404, 405, 500 or 503. */
  readonly surface: Surface;
  /** Responds to a request. If it throws, the caller gets a 500, or a 503 when the database is unavailable. */
  handler(request: Request, context: Context, params: RouteParams): Promise<Response>;
  /** Records a request to which a scripted fault responds in the handler's place. */
  recordRefused?(request: Request, context: Context): Promise<void>;
}

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

/** Who sent a request. */
export interface Caller {
  /** Its IP address, where the server knows it. */
  readonly ip?: string | undefined;
  /** Ends the connection without a response, as a scripted fault may require. */
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
interface FetchOptions<Context> {
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

/** The routes of a path, one per set of methods, with the values of its `{names}`. */
interface RouteMatch<Context> {
  readonly routes: readonly [Route<Context>, ...Route<Context>[]];
  readonly params: RouteParams;
}

/** Finds the routes of a path: exact paths first, then patterns in order. Paths are not normalized: neither `//` nor a missing final slash matches. */
function routeTable<Context>(routes: readonly Route<Context>[]): (path: string) => RouteMatch<Context> | undefined {
  const byPattern = new Map<string, [Route<Context>, ...Route<Context>[]]>();
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
function routeFor<Context>(
  { routes }: RouteMatch<Context>,
  method: string,
): { readonly route: Route<Context> } | { readonly allow: readonly string[] } {
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

/** An error response in the shape of its surface (docs/project/wire.md#errors). */
export function surfaceError(
  surface: Surface,
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  return Response.json(body(surface, status, message), { status, headers: headers ?? {} });
}

function body(surface: Surface, status: number, message: string): unknown {
  switch (surface) {
    case 'reporting':
      return { detail: message };
    case 'channel':
      return status === 404 || status === 409 ? { error: message } : { detail: message };
    case 'partner':
    case 'sandbox':
    case 'page':
      return { message };
  }
}

/** An error response of the Recommendations API, which the sandbox controls use as well. */
export function partnerRefusal(status: number, message: string, problems: readonly Problem[] = []): Response {
  return Response.json(partnerError(message, problems), { status });
}

/** Maximum nesting of lists and objects: more than a relay lets through, and well below what overflows a stack. */
const MAX_DEPTH = 100;

/** A body's JSON value, or the error status and message. */
type JsonBody =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`, and stops reading above that. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonBody> {
  const tooLarge = { ok: false, status: 413, message: `The body is larger than ${maxBytes} bytes.` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const bytes = await readCapped(request.body, maxBytes);
  if (!bytes) return tooLarge;
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
    if (!isNestedDeeper(json, MAX_DEPTH)) return { ok: true, json };
    return { ok: false, status: 400, message: `The body is nested more than ${MAX_DEPTH} levels deep.` };
  } catch {
    return { ok: false, status: 400, message: 'The body is not valid JSON in UTF-8.' };
  }
}

/** Counts the requests of this process, for `/sandbox/metrics`. */
interface Metrics {
  /** Counts one response. */
  observe(response: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly ms: number;
  }): void;
  /** The counters in Prometheus' text format. */
  text(): string;
}

interface Series {
  count: number;
  seconds: number;
}

/** Counters of one process, all at zero. */
export function createMetrics(): Metrics {
  const series = new Map<string, Series>();
  const started = performance.now();
  return {
    observe({ route, method, status, ms }) {
      const labels = `method="${escape(method)}",route="${escape(route)}",status="${status}"`;
      const entry = series.get(labels) ?? { count: 0, seconds: 0 };
      series.set(labels, { count: entry.count + 1, seconds: entry.seconds + ms / 1_000 });
    },
    text() {
      const lines = [...series].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [
        '# HELP offerlet_requests_total Requests that got a response.',
        '# TYPE offerlet_requests_total counter',
        ...lines.map(([labels, { count }]) => `offerlet_requests_total{${labels}} ${count}`),
        '# HELP offerlet_request_seconds_total Seconds spent on responding.',
        '# TYPE offerlet_request_seconds_total counter',
        ...lines.map(([labels, { seconds }]) => `offerlet_request_seconds_total{${labels}} ${seconds.toFixed(6)}`),
        '# HELP offerlet_uptime_seconds Seconds since this process started.',
        '# TYPE offerlet_uptime_seconds gauge',
        `offerlet_uptime_seconds ${((performance.now() - started) / 1_000).toFixed(3)}`,
        '# HELP offerlet_memory_bytes Resident memory of this process.',
        '# TYPE offerlet_memory_bytes gauge',
        `offerlet_memory_bytes ${process.memoryUsage.rss()}`,
        '',
      ].join('\n');
    },
  };
}

function escape(label: string): string {
  return label.replaceAll(/["\\\n]/g, '_').slice(0, 200);
}
