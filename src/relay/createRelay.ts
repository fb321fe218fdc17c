import { refuseBrowser } from '../wire/refuseBrowser.ts';
import { createHandler } from './createHandler.ts';
import { readOptions } from './options/readOptions.ts';
import type { RelayOptions } from './options/relayOptions.ts';
import { fromRequest } from './runtime/fromRequest.ts';
import { rememberHandler, type From } from './runtime/request.ts';

/** Responds to a page's request. Never throws, never rejects. */
export type Relay = (request: Request, from?: From) => Promise<Response>;

refuseBrowser('offerlet/relay');

/** Creates a relay, the only holder of the key, to be mounted in a merchant's backend. Throws a `RelayConfigError`. */
export function createRelay(options: RelayOptions): Relay {
  refuseBrowser('offerlet/relay');
  const handler = createHandler(readOptions(options));
  const keepBody = options.context !== undefined;
  const relay: Relay = async (request, from) => {
    const { status, headers, body } = await handler(fromRequest(request, { keepBody }), from ?? {});
    return new Response(body === '' ? null : body, { status, headers });
  };
  rememberHandler(relay, handler);
  return relay;
}
