import { createHash, timingSafeEqual } from 'node:crypto';
import type { PrefetchRequest, Relay } from '../relay.ts';
import { partnerError } from '../wire/errors.ts';
import { parseJson } from '../wire/json.ts';
import { isLoopbackHost } from '../wire/keys.ts';

/** The path of the route, below where it is mounted. */
export const PREFETCH_PATH = '/prefetch';
/** Shortest token: nobody guesses 24 random characters. */
export const TOKEN_MIN_LENGTH = 24;

/**
 * Returns `relay.prefetch` as a route for backends in other languages. The body is what `prefetch` takes; the shopper's
 * headers are those of the request. Requests of browsers are refused. With a token, every request needs it; without, the
 * route must be served on a loopback address only.
 */
export function createPrefetchRoute(relay: Pick<Relay, 'prefetch'>, token?: string) {
  return async (request: Request): Promise<Response> => {
    const { headers, method } = request;
    if (isOfBrowser(headers)) return refuse(403, 'This path is for servers. Browsers may not use it.');
    if (token === undefined && !isLoopbackHost(new URL(request.url).hostname))
      return refuse(403, 'Without a token, this path is used as http://127.0.0.1 only.');
    if (token !== undefined && !isSame(headers.get('authorization') ?? '', `Bearer ${token}`))
      return refuse(401, 'Send the token as Authorization: Bearer ….');
    if (method !== 'POST') return refuse(405, 'This path accepts POST.', { allow: 'POST' });
    if (!/^application\/json\s*(;|$)/i.test(headers.get('content-type') ?? ''))
      return refuse(415, 'Send the body as application/json.');
    const given = parseJson(await request.text());
    if (given === undefined) return refuse(400, 'The request body is not JSON.');
    const page = new Request(request.url, { headers });
    const offers = await relay.prefetch(page, given as PrefetchRequest);
    return offers ? Response.json(offers, { headers: NOT_STORED }) : new Response(null, { status: 204 });
  };
}

const NOT_STORED = { 'cache-control': 'no-store' };

/** Browsers send one of these with every request to a server that can be theirs. Node's `fetch` sends Sec-Fetch-Mode. */
function isOfBrowser(headers: Headers): boolean {
  return ['origin', 'sec-fetch-site', 'sec-fetch-dest'].some((name) => headers.has(name));
}

/** Whether two texts are the same, in a time that does not say how much of them is. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}

function refuse(status: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json(partnerError(message), { status, headers: { ...NOT_STORED, ...headers } });
}
