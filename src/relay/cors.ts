/** Whether a page may use the relay: one of its own origin, one of an allowed origin, or neither. */
export type OriginVerdict = 'own' | 'allowed' | 'foreign';

/**
 * Reads the Origin header. A request without one is not a browser's cross-origin request. A page on the relay's own
 * origin has a Sec-Fetch-Site that says so, which scripts cannot set; in browsers that do not send it the Host decides.
 */
export function originVerdict(
  request: { header(name: string): string | null; host: string },
  allowed: ReadonlySet<string>,
): OriginVerdict {
  const origin = request.header('origin');
  if (origin === null) return 'own';
  if (allowed.has(origin)) return 'allowed';
  const site = request.header('sec-fetch-site');
  if (site !== null) return site === 'same-origin' ? 'own' : 'foreign';
  return hostOf(origin) === request.host ? 'own' : 'foreign';
}

const EXPOSED = 'Retry-After, X-Request-Id';

/** The headers that let an allowed page read the response: its exact origin, never `*`, never credentials. */
export function corsHeaders(origin: string | null): Record<string, string> {
  return {
    'access-control-allow-origin': origin ?? 'null',
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  };
}

/**
 * The headers that let any page or worker read the response. Only for a relay that decides by a token: without
 * credentials, and with nothing in a cookie to borrow, a foreign page has no more than its own token.
 */
export const ANY_ORIGIN_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};

/** The headers of the response to a preflight, for a caller that may go on. */
export function preflightHeaders(caller: OriginVerdict | 'authorized'): Record<string, string> {
  if (caller !== 'allowed' && caller !== 'authorized') return {};
  return {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': `content-type, x-request-id${caller === 'authorized' ? ', authorization' : ''}`,
    'access-control-max-age': '7200',
  };
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
