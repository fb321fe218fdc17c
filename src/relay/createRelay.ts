import { partnerError } from '../wire/errors.ts';
import { refuseBrowser } from '../wire/keys.ts';
import type { Reply } from './errors.ts';
import { createHandler, NOT_CONFIGURED } from './createHandler.ts';
import { readOptions } from './options/readOptions.ts';
import type { RelayOptions } from './options/relayOptions.ts';
import { createTelemetry, explain } from './telemetry.ts';
import { fromRequest, rememberHandler, type Handler, type Prefetch, type RequestInfo } from './runtime.ts';

/** The relay. Neither itself nor its method throws or rejects. */
export interface Relay {
  /** Responds to a page's request. */
  (request: Request, info?: RequestInfo): Promise<Response>;
  readonly prefetch: Prefetch;
}

refuseBrowser('offerlet/relay');

/** Creates a relay, the only holder of the key, to be mounted in a merchant's backend. Throws a `RelayConfigError`. */
export function createRelay(options: RelayOptions): Relay {
  refuseBrowser('offerlet/relay');
  const handler = typeof options?.apiKey === 'function' ? openLater(options) : createHandler(readOptions(options));
  const respond = async (request: Request, info: RequestInfo = {}): Promise<Response> => {
    const { status, headers, body } = await handler.respond(fromRequest(request), info);
    return new Response(body === '' ? null : body, { status, ...(headers && { headers }) });
  };
  const relay: Relay = Object.assign(respond, { prefetch: handler.prefetch });
  rememberHandler(relay, handler);
  return relay;
}

/** Checks everything but the key now, and opens the relay with the first request for which the key can be read. */
function openLater(options: RelayOptions): Handler {
  const apiKey = `adnet_rk_${options.environment === 'production' ? 'live' : 'test'}_unknown`;
  readOptions({ ...options, apiKey, networkUrl: options.networkUrl || 'https://unknown.invalid' });
  let handler: Handler | undefined;
  function open(): Handler | undefined {
    try {
      return (handler ??= createHandler(readOptions(options)));
    } catch (error) {
      const { log } = createTelemetry({ apiKey: '', onLog: options.onLog, onMetric: undefined });
      log({ level: 'error', message: 'The relay cannot start.', status: 500, error: explain(error) });
      return undefined;
    }
  }

  return {
    respond: async (request, info) => open()?.respond(request, info) ?? NOT_STARTED,
    prefetch: async (request, given) => open()?.prefetch(request, given),
  };
}

const NOT_STARTED: Reply = {
  status: 500,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(partnerError(NOT_CONFIGURED)),
};
