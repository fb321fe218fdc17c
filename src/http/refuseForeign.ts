import { isLoopbackAddress, isLoopbackHost } from '../wire/keys.ts';

/** Where a request came from, and which host names besides this machine's own may be called. */
export interface LocalAccess {
  /** The IP address of the caller, where a server knows it. */
  readonly ip?: string | undefined;
  /** Host names allowed with `--control-host`, as `URL` writes them. */
  readonly hosts?: readonly string[] | undefined;
  /** Whether the program has the option `--control-host`, for the messages; true by default. */
  readonly controlHost?: boolean | undefined;
  /** Whether links of other sites may open it; false by default. For pages that do nothing by being opened. */
  readonly allowVisits?: boolean | undefined;
}

/** Names of headers that reverse proxies add to the requests that they forward. */
const FORWARDING_HEADER =
  /forward|(client|real|user|connecting)[-_]?ip|original|rewrite|cdn[-_]loop|^via$|^x[-_](host|scheme|proxy|envoy)/;

/**
 * Returns a 403 unless the request comes from a program on this machine, or from a page of the same origin. Three kinds of
 * strangers can reach a port of this machine: websites in the same browser, directly or by DNS rebinding; callers of a
 * reverse proxy that runs here; and, on an open port, other machines.
 */
export function refuseForeign(request: Request, access: LocalAccess): Response | undefined {
  const reason = hostReason(request, access) ?? forwardedReason(request, access) ?? originReason(request, access);
  return reason === undefined
    ? undefined
    : Response.json({ message: reason }, { status: 403, headers: { 'cache-control': 'no-store' } });
}

/** Whether a request only reads. */
export function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hostReason(request: Request, { ip, hosts = [], controlHost = true }: LocalAccess): string | undefined {
  const header = request.headers.get('host');
  // Neither a Host header nor an address: the request was made in this process, and its URL may be any name.
  if (header === null && ip === undefined) return undefined;
  const url = new URL(request.url).hostname;
  // A request may name one host in its request line and another in its Host header: both must be allowed.
  const names = header === null ? [url] : [url, readHostName(header) ?? header];
  const isAllowed = (name: string): boolean => hosts.includes(name);
  const foreign = names.find((name) => !isLoopbackHost(name) && !isAllowed(name));
  if (foreign !== undefined) {
    const name = foreign.replaceAll(/[^\w.:[\]-]/g, '').slice(0, 80);
    return `This is not available at the host name "${name}". Use 127.0.0.1 or localhost${controlHost ? `, or allow the name with --control-host ${name}` : ''}.`;
  }
  // Who calls an allowed name is on another machine or in another container. Anybody can send "Host: localhost", so
  // a server that does not say where a request came from gets no further.
  if ((ip !== undefined && isLoopbackAddress(ip)) || names.every(isAllowed)) return undefined;
  if (!ip) return 'This server does not pass on the IP address of the caller, who may be on another machine.';
  const elsewhere = ' To call it from elsewhere, allow a host name with --control-host NAME and use that name.';
  return `This is available to callers on this machine only.${controlHost ? elsewhere : ''}`;
}

function forwardedReason({ headers }: Request, { controlHost = true }: LocalAccess): string | undefined {
  const name = [...headers.keys()].find((key) => FORWARDING_HEADER.test(key));
  return name === undefined
    ? undefined
    : `This does not accept requests that a proxy forwarded; this one has the header "${name}". Call it directly, at 127.0.0.1${controlHost ? ' or at a host name allowed with --control-host' : ''}.`;
}

function originReason(request: Request, { allowVisits = false }: LocalAccess): string | undefined {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  // `none` is the address bar, which only reads. `same-site` would be any other port of this machine.
  const isVisit = allowVisits && isReading(request) && request.headers.get('sec-fetch-dest') === 'document';
  const isOwnSite = isVisit || site === null || site === 'same-origin' || (site === 'none' && isReading(request));
  return isOwnSite && (origin === null || origin === new URL(request.url).origin)
    ? undefined
    : 'This does not accept requests from pages of another origin.';
}
/**
 * The host name of `localhost`, `ci.example.` or `[::1]:4600` as `URL` writes it, without the port and a dot at its end;
 * `undefined` for anything else.
 */
export function readHostName(text: string): string | undefined {
  // A path, a query or credentials would parse as part of a URL and name another host than the text shows.
  if (text === '' || /[\s/?#@\\]/.test(text)) return undefined;
  const url = `http://${text}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : undefined;
}
