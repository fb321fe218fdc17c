import type { Network } from '../network.ts';
import { looksSecret } from '../wire/keys.ts';
import type { Answerer } from './serve.ts';
import { refuseForeign } from '../guard/refuseForeign.ts';

/** Where a network has its controls, and the shop's origin has them too. */
export const CONTROL_PATH = '/sandbox';

/** Controls whose only answer is a key. */
const KEY_CONTROLS = /^\/sandbox\/(?:keys|channels)(?:\/|$)/i;
/** Fields of answers that hold keys. */
const KEY_FIELDS: ReadonlySet<string> = new Set(['keys', 'key', 'api_key']);

/** What the controls of another origin need. */
export interface ControlSurfaceOptions {
  readonly network: Pick<Network, 'fetch'>;
  /** Where the network itself listens. */
  readonly address: string;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts?: readonly string[];
}

/**
 * The network's controls for the pages of another origin of this machine: only for its own pages, and without any key,
 * because what is answered here reaches a browser.
 */
export function controlSurface(options: ControlSurfaceOptions): Answerer {
  const { network, address } = options;
  return async (request, from) => {
    const { pathname, search } = new URL(request.url);
    const refused = refuseForeign(request, { ip: from.ip, hosts: options.hosts });
    if (refused) return refused;
    if (isKeyControl(pathname))
      return refuse(403, `Keys never reach a browser: ask the network itself, at ${address}${pathname}.`);
    const hasBody = request.body !== null;
    const asked = new Request(`${address}${pathname}${search}`, {
      method: request.method,
      headers: hasBody ? { 'content-type': request.headers.get('content-type') ?? 'application/json' } : {},
      ...(hasBody ? { body: request.body, duplex: 'half' } : {}),
    } as RequestInit);
    // The caller was checked above: to the network this is a request of its own process.
    return withoutKeys(await network.fetch(asked));
  };
}

/** Encoded letters would say `keys` to the network and something else here. */
function isKeyControl(pathname: string): boolean {
  try {
    return KEY_CONTROLS.test(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

async function withoutKeys(answer: Response): Promise<Response> {
  const text = await answer.text();
  const headers = new Headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  for (const name of ['content-type', 'allow', 'retry-after', 'x-request-id']) {
    const value = answer.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const isJson = headers.get('content-type')?.includes('json') === true;
  const safe = isJson && text !== '' ? JSON.stringify(JSON.parse(text, leaveOut)) : text;
  // Whatever else may come to hold one: better no answer than a key.
  if (looksSecret(safe)) return refuse(502, 'The answer holds a key, which must not reach a browser.');
  return new Response(safe === '' ? null : safe, { status: answer.status, headers });
}

function leaveOut(name: string, value: unknown): unknown {
  return KEY_FIELDS.has(name) ? undefined : value;
}

function refuse(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { 'cache-control': 'no-store' } });
}
