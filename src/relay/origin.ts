/** Whether a page of this origin may use the relay, and whether it must be told so. */
export type OriginVerdict = 'own' | 'allowed' | 'foreign';

/**
 * Judges the Origin header. No header is no browser's cross-origin request. A page on the relay's own origin says so by
 * Sec-Fetch-Site, which scripts cannot set; browsers that do not send it are known by the Host.
 */
export function judgeOrigin(
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

/** The headers that let an allowed page read the answer: its exact origin, never `*`, never credentials. */
export function corsHeaders(origin: string | null, verdict: OriginVerdict): Record<string, string> {
  if (verdict !== 'allowed' || origin === null) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Retry-After, X-Request-Id',
    vary: 'Origin',
  };
}

/** What a preflight is told. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, x-request-id',
  'access-control-max-age': '7200',
};

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
