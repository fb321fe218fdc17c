import { createCore } from './createCore.ts';
import { rememberCore, type From } from './runtime/exchange.ts';
import { fromRequest } from './runtime/fromRequest.ts';
import type { RelayOptions } from './options/options.ts';
import { refuseBrowser } from '../wire/refuseBrowser.ts';

/** Answers a page's request. Never throws, never rejects. */
export type Relay = (request: Request, from?: From) => Promise<Response>;

refuseBrowser('offerlet/relay');

/** A relay: the only holder of the key, to be mounted in a merchant's backend. Throws a `RelayConfigError` on a bad option. */
export function createRelay(options: RelayOptions): Relay {
  refuseBrowser('offerlet/relay');
  const core = createCore(options);
  const keepBody = options.context !== undefined;
  const relay: Relay = async (request, from) => {
    const { status, headers, body } = await core(fromRequest(request, { keepBody }), from ?? {});
    return new Response(body === '' ? null : body, { status, headers });
  };
  rememberCore(relay, core);
  return relay;
}
