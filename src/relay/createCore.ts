import { answerPosts } from './answerPosts.ts';
import { readAddress } from './limits/callerAddress.ts';
import { RelayError } from './errors.ts';
import type { Core, From, Incoming } from './runtime/exchange.ts';
import { createLog, explain } from './log.ts';
import { createMeasure } from './metrics.ts';
import type { RelayOptions } from './options/options.ts';
import { corsHeaders, judgeOrigin, PREFLIGHT_HEADERS, type OriginVerdict } from './origin.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';
import { methodsOf, routeOf, type Route } from './route.ts';
import { readOptions } from './options/settings.ts';

/** What a request turned into, and the headers that its answer has on top of the usual ones. */
interface Turn {
  readonly reply: Reply;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  readonly problem?: string;
}

/** The relay on any runtime: routes, judges the origin, answers, logs. */
export function createCore(options: RelayOptions): Core {
  const settings = readOptions(options);
  const log = createLog(options.onLog, settings.apiKey);
  const measure = createMeasure(options.onMetric);
  const posts = answerPosts(settings, { fetch: options.fetch, log, measure });

  function health(): Reply {
    const network = posts.isPaused() ? 'failing' : 'ok';
    return jsonReply(200, {
      status: 'ok',
      environment: settings.environment ?? null,
      sandbox: settings.sandbox === 'always',
      network,
    });
  }

  async function take(
    incoming: Incoming,
    about: { route: Route | undefined; verdict: OriginVerdict; from: From; requestId: string },
  ): Promise<Turn> {
    const { route, verdict, from, requestId } = about;
    const { method } = incoming;
    if (!route) return refusal(new RelayError('There is nothing here.', { status: 404, code: 'not_found' }));
    if (verdict === 'foreign') return refusal(FOREIGN);
    const allow = methodsOf(route);
    if (method === 'OPTIONS')
      return {
        reply: { status: 204, body: '' },
        headers: { allow, ...(verdict === 'allowed' ? PREFLIGHT_HEADERS : {}) },
      };
    const isFitting = route === '/health' ? method === 'GET' || method === 'HEAD' : method === 'POST';
    if (!isFitting)
      return {
        ...refusal(new RelayError(`This address takes ${allow}.`, { status: 405, code: 'method_not_allowed' })),
        headers: { allow },
      };
    if (route === '/health') return { reply: health() };
    try {
      return {
        reply: await posts.answer(route, {
          incoming,
          address: addressOf(incoming, from, settings.addressHeader),
          requestId,
        }),
      };
    } catch (error) {
      return refusal(
        error instanceof RelayError
          ? error
          : new RelayError('The relay failed.', { status: 500, code: 'internal', cause: error }),
      );
    }
  }

  function note(
    incoming: Incoming,
    { turn, route, requestId, ms }: { turn: Turn; route: Route | undefined; requestId: string; ms: number },
  ): void {
    const { status, events } = turn.reply;
    if (route === '/health' && status === 200) return;
    const method = /^[A-Z]{3,7}$/.test(incoming.method) ? incoming.method : '(odd method)';
    log({
      level: status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info',
      message: `${method} ${route ?? '(unknown path)'}`,
      request_id: requestId,
      ...(route && { route }),
      status,
      ms,
      ...(events !== undefined && { events }),
      ...(turn.problem !== undefined && { error: turn.problem }),
    });
    measure({ name: 'request', value: ms, ...(route && { route }), status });
  }

  return async (incoming, from) => {
    const started = settings.now();
    const requestId = readRequestId(incoming.header('x-request-id'));
    const origin = incoming.header('origin');
    const verdict = judgeOrigin(incoming, settings.allowedOrigins);
    const route = findRoute(incoming.pathname, settings.basePath, from);
    const turn = await take(incoming, { route, verdict, from, requestId });
    note(incoming, { turn, route, requestId, ms: settings.now() - started });
    const { status, body, retryAfter } = turn.reply;
    return {
      status,
      headers: {
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
        'cache-control': 'no-store',
        'x-request-id': requestId,
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
        ...corsHeaders(origin, verdict),
        ...turn.headers,
      },
      body: incoming.method === 'HEAD' ? '' : body,
    };
  };
}

const FOREIGN = new RelayError("Pages of this origin may not use the relay: it is not in the relay's allowedOrigins.", {
  status: 403,
  code: 'foreign_origin',
});

function refusal(error: RelayError): Turn {
  return {
    reply: errorReply(error),
    problem: error.cause === undefined ? error.message : `${error.message} ${explain(error.cause)}`,
  };
}

function findRoute(pathname: string, basePath: string, { mountedAt }: From): Route | undefined {
  const route = routeOf(pathname, basePath);
  if (route || typeof mountedAt !== 'string' || mountedAt === '') return route;
  // Mounted under a framework's prefix without saying so in basePath.
  return pathname.startsWith(`${mountedAt}/`) ? routeOf(pathname.slice(mountedAt.length), basePath) : undefined;
}

function readRequestId(given: string | null): string {
  return given !== null && /^[\w.-]{8,64}$/.test(given) ? given : crypto.randomUUID();
}

function addressOf(incoming: Incoming, { ip }: From, header: string | undefined): string | undefined {
  // The last address is the one that the merchant's own proxy saw; those before it are the caller's own words.
  const told = header === undefined ? undefined : incoming.header(header)?.split(',').at(-1)?.trim();
  return readAddress(told || ip);
}
