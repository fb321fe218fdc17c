import { ANY_ORIGIN_HEADERS, corsHeaders, originVerdict, preflightHeaders, type OriginVerdict } from './cors.ts';
import { createPosts, type PostRoute } from './createPosts.ts';
import { RelayConfigError, RelayError } from './errors.ts';
import { readIpAddress } from './limits/readIpAddress.ts';
import type { RelaySettings } from './options/readOptions.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';
import type { From, Handler, RelayRequest } from './runtime/request.ts';
import { createTelemetry } from './telemetry.ts';

type Route = PostRoute | '/health';

const ROUTES: readonly Route[] = ['/recommendations', '/events', '/events/batch', '/health'];

/** A request, and what was found out about it before it is handled. */
interface Visit {
  readonly request: RelayRequest;
  readonly route: Route | undefined;
  readonly verdict: OriginVerdict;
  readonly address: string | undefined;
  readonly requestId: string;
}

/** A reply, and the headers that it has on top of the usual ones. */
interface Handled {
  readonly reply: Reply;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the relay for any runtime: routes, checks the origin, replies, logs. */
export function createHandler(settings: RelaySettings): Handler {
  const telemetry = createTelemetry(settings);
  const posts = createPosts(settings, telemetry);
  const { authorize } = settings;

  async function handle(visit: Visit): Promise<Handled> {
    const { request, route, verdict } = visit;
    const { method } = request;
    if (!route) return refuse(NOT_FOUND);
    if (verdict === 'foreign' && !authorize) return refuse(FOREIGN);
    const allow = route === '/health' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS';
    if (method === 'OPTIONS') {
      const caller = authorize ? 'authorized' : verdict;
      return { reply: { status: 204, body: '' }, headers: { allow, ...preflightHeaders(caller) } };
    }
    const isAllowed = route === '/health' ? method === 'GET' || method === 'HEAD' : method === 'POST';
    if (!isAllowed) {
      const error = new RelayError(`This path accepts ${allow}.`, { status: 405, code: 'method_not_allowed' });
      return { ...refuse(error), headers: { allow } };
    }
    if (route === '/health') return { reply: health() };
    try {
      const reason = await authorize?.(request.header);
      if (reason !== undefined) return refuse(new RelayError(reason, { status: 401, code: 'unauthorized' }));
      return { reply: await posts.reply({ ...visit, route }) };
    } catch (error) {
      if (error instanceof RelayConfigError)
        return refuse(new RelayError(NOT_CONFIGURED, { status: 500, code: 'invalid_option', cause: error }));
      if (error instanceof RelayError) return refuse(error);
      return refuse(new RelayError('The relay failed.', { status: 500, code: 'internal', cause: error }));
    }
  }

  function health(): Reply {
    return jsonReply(200, {
      status: 'ok',
      environment: settings.environment ?? null,
      sandbox: settings.sandbox === 'always',
      network: posts.isPaused() ? 'failing' : 'ok',
    });
  }

  function note({ request, route, requestId }: Visit, { reply }: Handled, ms: number): void {
    const { status, events, problem } = reply;
    if (status < 400 && (route === '/health' || !telemetry.isVerbose)) return;
    const method = /^[A-Z]{3,7}$/.test(request.method) ? request.method : '(odd method)';
    telemetry.log({
      level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
      message: `${method} ${route ?? '(unknown path)'}`,
      request_id: requestId,
      ...(route && { route }),
      status,
      ms,
      ...(events !== undefined && { events }),
      ...(problem !== undefined && { error: problem }),
    });
    telemetry.measure({ name: 'request', value: ms, ...(route && { route }), status });
  }

  return async (request, from) => {
    const started = settings.now();
    const visit: Visit = {
      request,
      route: findRoute(request.pathname, { basePath: settings.basePath, mountedAt: from.mountedAt }),
      verdict: originVerdict(request, settings.allowedOrigins),
      address: addressOf(request, from, settings.addressHeader),
      requestId: readRequestId(request.header('x-request-id')),
    };
    const handled = await handle(visit);
    note(visit, handled, settings.now() - started);
    const { status, body, retryAfter } = handled.reply;
    const headers: Record<string, string> = { 'cache-control': 'no-store', 'x-request-id': visit.requestId };
    if (body !== '') headers['content-type'] = 'application/json';
    if (retryAfter !== undefined) headers['retry-after'] = retryAfter;
    // The state of a relay without allowed origins is for its own.
    if (authorize && visit.route !== '/health') Object.assign(headers, ANY_ORIGIN_HEADERS);
    else if (visit.verdict === 'allowed') Object.assign(headers, corsHeaders(request.header('origin')));
    if (handled.headers) Object.assign(headers, handled.headers);
    return { status, headers, body: request.method === 'HEAD' ? '' : body };
  };
}

/** For the page, when an option that is read with the first request cannot be used. The log has the option. */
export const NOT_CONFIGURED = 'The relay is not configured. Its log says what is missing.';
const NOT_FOUND = new RelayError('There is nothing here.', { status: 404, code: 'not_found' });
const FOREIGN = new RelayError("This origin may not use the relay, because it is not in the relay's allowedOrigins.", {
  status: 403,
  code: 'foreign_origin',
});

function refuse(error: RelayError): Handled {
  return { reply: errorReply(error) };
}

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

function readRequestId(given: string | null): string {
  return given !== null && /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function addressOf(request: RelayRequest, { ip }: From, header: string | undefined): string | undefined {
  // The last address is the one that the merchant's own proxy saw; those before it are the caller's own claims.
  const claimed = header === undefined ? undefined : request.header(header)?.split(',').at(-1)?.trim();
  return readIpAddress(claimed) ?? readIpAddress(ip);
}
