import type { Network } from '../network.ts';
import { looksSecret } from '../wire/keys.ts';
import type { Responder } from './startNetwork.ts';
import { refuseForeign } from '../http/refuseForeign.ts';

/** The path of the controls, on the network and on the shop's origin. */
export const CONTROL_PATH = '/sandbox';

/** Controls that return keys and nothing else. */
const KEY_CONTROLS = /^\/sandbox\/(?:keys|channels)(?:\/|$)/i;
/** Response fields that contain keys. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['keys', 'key', 'api_key']);

/** Stands for a text that contains a key. */
const HIDDEN = '[hidden: contains a key]';

/** What the control surface needs. */
export interface ControlSurfaceOptions {
  readonly network: Pick<Network, 'fetch'>;
  /** The URL of the network itself. */
  readonly url: string;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts?: readonly string[];
}

/**
 * Offers the network's controls on the shop's origin. Only the shop's own pages and programs of this machine may call it,
 * and it returns no keys, because its responses reach a browser.
 */
export function controlSurface(options: ControlSurfaceOptions): Responder {
  const { network, url } = options;
  return async (request, from) => {
    const { pathname, search } = new URL(request.url);
    const refused = refuseForeign(request, { ip: from.ip, hosts: options.hosts });
    if (refused) return refused;
    if (isKeyControl(pathname))
      return refuse(403, `This control returns a key, which must not reach a browser. Call it at ${url}${pathname}.`);
    const hasBody = request.body !== null;
    const forwarded = new Request(`${url}${pathname}${search}`, {
      method: request.method,
      headers: hasBody ? { 'content-type': request.headers.get('content-type') ?? 'application/json' } : {},
      ...(hasBody ? { body: request.body, duplex: 'half' } : {}),
    } as RequestInit);
    // The caller was checked above. For the network this is a request from its own process.
    return withoutKeys(await network.fetch(forwarded));
  };
}

/** Decodes the path first: the network would read `%6beys` as `keys`. */
function isKeyControl(pathname: string): boolean {
  try {
    return KEY_CONTROLS.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

async function withoutKeys(response: Response): Promise<Response> {
  const text = await response.text();
  const headers = new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  for (const name of ['content-type', 'allow', 'retry-after', 'x-request-id']) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const isJson = headers.get('content-type')?.includes('json') === true;
  const safe = isJson && text !== '' ? JSON.stringify(JSON.parse(text, omitKeys)) : text;
  // A field's name, or a body that is not JSON, cannot be changed without changing what it says.
  if (looksSecret(safe))
    return refuse(
      502,
      'The response contains a key outside of the values of its fields, so all of it was withheld from the browser.',
    );
  return new Response(safe === '' ? null : safe, { status: response.status, headers });
}

/** Omits the fields that are for keys, and hides a key that somebody has written elsewhere, such as into an event. */
function omitKeys(name: string, value: unknown): unknown {
  if (KEY_FIELDS.has(name)) return undefined;
  return typeof value === 'string' && looksSecret(value) ? HIDDEN : value;
}

function refuse(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { 'cache-control': 'no-store' } });
}
