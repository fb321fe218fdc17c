/** What a request for a resource needs from a policy. */
export interface PolicyRequest {
  readonly directive: 'script-src' | 'connect-src' | 'img-src';
  readonly url: string;
  readonly page: string;
}

/** The directives that replace one that is missing, in order. */
const FALLBACKS = { 'script-src': ['script-src-elem'], 'connect-src': [], 'img-src': [] } as const;

/**
 * Whether Content-Security-Policies allow a request, as far as that can be read from them. Returns undefined for scripts
 * that are allowed by a nonce or a hash, which only a browser can tell.
 */
export function isAllowed(policies: readonly string[], { directive, url, page }: PolicyRequest): boolean | undefined {
  const verdicts = policies.map((policy) => {
    const directives = parsePolicy(policy);
    const names = [...FALLBACKS[directive], directive, 'default-src'];
    const sources = names.map((name) => directives.get(name)).find((found) => found !== undefined);
    if (sources === undefined) return true;
    if (sources.some((source) => matches(source, { url, page }))) return true;
    const isByNonce = sources.some((source) => /^'(nonce-|sha\d|strict-dynamic)/i.test(source));
    return directive === 'script-src' && isByNonce ? undefined : false;
  });
  return verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true;
}

function parsePolicy(policy: string): Map<string, readonly string[]> {
  const directives = new Map<string, readonly string[]>();
  // Two headers of the same name arrive joined by a comma. Each is a policy of its own; the stricter directive is checked.
  for (const part of policy.split(/[;,]/)) {
    const [name = '', ...sources] = part.trim().split(/\s+/);
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return directives;
}

function matches(source: string, { url, page }: { url: string; page: string }): boolean {
  const target = new URL(url);
  if (source === '*') return /^(https?|wss?):$/.test(target.protocol);
  if (/^'self'$/i.test(source)) return target.origin === new URL(page).origin;
  if (/^[a-z][a-z0-9+.-]*:$/i.test(source)) return target.protocol === source.toLowerCase();
  const [, scheme, host = '', port, path = ''] =
    /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:']+)(?::(\d+|\*))?(\/.*)?$/i.exec(source) ?? [];
  if (host === '') return false;
  const isScheme =
    scheme === undefined ? /^https?:$/.test(target.protocol) : `${scheme.toLowerCase()}:` === target.protocol;
  const isHost = host.startsWith('*.')
    ? target.hostname.endsWith(host.slice(1).toLowerCase())
    : target.hostname === host.toLowerCase();
  const isPort = port === '*' || (port === undefined ? '' : portOf(target.protocol, port)) === target.port;
  const isPath = path === '' || (path.endsWith('/') ? target.pathname.startsWith(path) : target.pathname === path);
  return isScheme && isHost && isPort && isPath;
}

/** A port as a URL has it: empty if it is the default of the scheme. */
function portOf(protocol: string, port: string): string {
  return new URL(`${protocol}//host:${port}`).port;
}
