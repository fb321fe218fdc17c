import { RelayError, type RelayContext, type RelayOptions } from '../relay.ts';
import { isIPv4, readAddressSpace } from '../http/addressSpace.ts';
import { fetchText } from '../http/fetchText.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { isLoopbackHost } from '../wire/keys.ts';
import { UsageError } from '../program/ExitError.ts';

/** Milliseconds that the shop has by default: a page waits for it, and an order is one look-up. */
export const SHOP_CONTEXT_MS = 300;
/** Shortest secret: nobody guesses 24 random characters. */
const SECRET_MIN_LENGTH = 24;
const RESPONSE_MAX_BYTES = 64 * 1024;

/** Where the shop says what it knows, and how long that may take. */
export interface ShopContextOptions {
  readonly url: string;
  readonly secret: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Returns a `context` that calls the shop's own backend over HTTP: with the page's request as the body, the shopper's
 * cookies, and the secret as `Authorization: Bearer …`. The shop responds with what `context` returns, or with 204.
 */
export function createShopContext({
  url,
  secret,
  timeoutMs,
}: ShopContextOptions): NonNullable<RelayOptions['context']> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || new URL(url).username !== '')
    throw new UsageError('--context is not a URL. Use something like https://shop.example/offers-context.');
  if (url.startsWith('http:') && !isPrivateHost(new URL(url).hostname))
    throw new UsageError(
      '--context is not https, so the secret and the shopper’s cookies would be sent in the clear. Use https, or a name of your private network.',
    );
  if (secret === undefined || secret.length < SECRET_MIN_LENGTH)
    throw new UsageError(
      `OFFERLET_CONTEXT_SECRET is ${secret === undefined ? 'missing' : 'too short'}. Use ${SECRET_MIN_LENGTH} random characters or more; your backend must refuse requests without it.`,
    );

  return async (request): Promise<RelayContext | undefined> => {
    // A backend that prefetches has said what it knows.
    if (request.method !== 'POST') return undefined;
    const cookie = request.headers.get('cookie');
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      accept: 'application/json',
      ...(cookie !== null && { cookie }),
    };
    const init = { method: 'POST', headers, body: await request.text() };
    const { response, text } = await fetchText(url, init, { ms: timeoutMs, maxBytes: RESPONSE_MAX_BYTES });
    if (response.status === 204) return undefined;
    if (response.status === 403)
      throw new RelayError('The shop refused the request.', { status: 403, code: 'refused_by_shop' });
    if (response.status !== 200)
      throw new Error(`--context responded with ${response.status}. Respond with 200 or 204.`);
    const known = parseJson(text);
    if (!isObject(known)) throw new Error('--context did not respond with a JSON object.');
    return known;
  };
}

/** Whether a host is of this machine or of a private network: containers reach each other by names without a dot. */
function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIPv4(address) || address.includes(':')) return readAddressSpace(address) !== 'public';
  return isLoopbackHost(hostname) || /^[\w-]+$|\.(internal|local)$/.test(hostname);
}
