import { readHostName } from '../http/refuseForeign.ts';
import { partnerError } from '../wire/errors.ts';
import { hashText } from '../wire/hash.ts';
import { parseJson } from '../wire/json.ts';
import { isLoopbackHost } from '../wire/keys.ts';
import type { Relay } from './createRelay.ts';
import { asRelayError, RelayError, type Reply } from './errors.ts';
import type { Prefetched, PrefetchRequest } from './prefetch.ts';
import { createRateLimiter } from './rateLimits.ts';
import { fromNode, writeReply, type NodeHandler, type NodeRequest } from './runtime.ts';
import type { LogEntry } from './telemetry.ts';

/** What a backend may send: offers are requested with 16 KiB, and this adds what only `prefetch` takes. */
const PREFETCH_BODY = { maxBytes: 32 * 1024, timeoutMs: 10_000, isKept: false };
/** Guesses of the token that one address has, at once and per second. */
const GUESSES = { burst: 10, perSecond: 0.1 };

export interface PrefetchRouteOptions {
  readonly relay: Pick<Relay, 'prefetch'>;
  /** Every request needs it. Without, the route must be served on a loopback address only. */
  readonly token?: string | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** Returns prefetched offers as HTML, with what the body says of their looks. */
  render(offers: Prefetched, looks: Looks): { readonly html: string; readonly styleHash: string };
}

/** Fields of the body that only the HTML needs. */
interface Looks {
  readonly locale?: string | undefined;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  readonly messages?: Readonly<Record<string, string>> | undefined;
  readonly maxOffers?: number | undefined;
  readonly stylesheet?: string | undefined;
  readonly streamed?: boolean | undefined;
}

function looksOf(given: unknown): Looks {
  const looks = (given ?? {}) as Looks & { max_offers?: number };
  const { locale, theme, messages, max_offers: maxOffers, stylesheet, streamed } = looks;
  return { locale, theme, messages, maxOffers, stylesheet, streamed };
}

/**
 * Returns `relay.prefetch` as a route for backends in other languages. The body is what `prefetch` and `renderOffers` take; the
 * shopper's headers are those of the request. Nothing of a body is read before it is known that its sender may send one.
 */
export function createPrefetchRoute({ relay, token, onLog, render }: PrefetchRouteOptions): NodeHandler {
  const guesses = createRateLimiter({ perAddress: GUESSES, perNetwork: GUESSES, perSession: GUESSES });

  async function refusalOf(message: NodeRequest): Promise<Reply | undefined> {
    const { headers, method, socket } = message;
    if (BROWSER_HEADERS.some((name) => headers[name] !== undefined))
      return refuse(403, 'This path is for servers. Browsers may not use it.');
    if (token === undefined && !isLoopbackHost(readHostName(headerText(message, 'host')) ?? ''))
      return refuse(403, 'Without a token, this path is used as http://127.0.0.1 only.');
    if (token !== undefined && !(await isSame(headerText(message, 'authorization'), `Bearer ${token}`))) {
      const waitMs = Number(guesses.take(socket.remoteAddress ?? '', 'address', 1));
      onLog?.({ level: 'warn', message: 'A request to /prefetch had a wrong token.', status: waitMs > 0 ? 429 : 401 });
      if (waitMs > 0)
        return refuse(429, 'Too many wrong tokens. Slow down.', { 'retry-after': String(Math.ceil(waitMs / 1_000)) });
      return refuse(401, 'Send the token as Authorization: Bearer ….');
    }
    if (method !== 'POST') return refuse(405, 'This path accepts POST.', { allow: 'POST' });
    if (!/^application\/json\s*(;|$)/i.test(headerText(message, 'content-type')))
      return refuse(415, 'Send the body as application/json.');
    return undefined;
  }

  async function answer(message: NodeRequest): Promise<Reply> {
    const refusal = await refusalOf(message);
    if (refusal) return refusal;
    try {
      const bytes = await fromNode(message).read(PREFETCH_BODY);
      const given = parseJson(new TextDecoder().decode(bytes));
      if (given === undefined)
        throw new RelayError('The request body is not JSON.', { status: 400, code: 'invalid_json' });
      // The page's own request, as the backend passes it on: neither this body nor this connection is the shopper's.
      const { url, headers } = fromNode(message).toRequest();
      const offers = await relay.prefetch(new Request(url, { headers }), given as PrefetchRequest);
      if (!offers) return { status: 204, body: '', headers: NOT_STORED };
      const { html, styleHash } = render(offers, looksOf(given));
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ ...offers, html, style_hash: styleHash }) };
    } catch (error) {
      const { status, code, message: problem } = asRelayError(error);
      onLog?.({ level: 'warn', message: 'A body of /prefetch was refused.', status, code, error: problem });
      return refuse(status, problem);
    }
  }

  return (message, response) => void answer(message).then((reply) => writeReply(reply, { message, response }));
}

function headerText(message: NodeRequest, name: string): string {
  const value = message.headers[name];
  return typeof value === 'string' ? value : '';
}

const NOT_STORED = { 'cache-control': 'no-store' };
const JSON_HEADERS = { ...NOT_STORED, 'content-type': 'application/json' };
/** Browsers send one of these with every request to a server that can be theirs. Node's `fetch` sends Sec-Fetch-Mode. */
const BROWSER_HEADERS = ['origin', 'sec-fetch-site', 'sec-fetch-dest'];

/** Whether two texts are the same, in a time that says nothing of them. */
async function isSame(given: string, wanted: string): Promise<boolean> {
  return (await hashText(given)) === (await hashText(wanted));
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(partnerError(message)) };
}
