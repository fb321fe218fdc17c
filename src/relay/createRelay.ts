import { partnerError } from '../wire/errors.ts';
import { refuseBrowser } from '../wire/refuseBrowser.ts';
import { createHandler, NOT_CONFIGURED } from './createHandler.ts';
import { readOptions } from './options/readOptions.ts';
import type { RelayOptions } from './options/relayOptions.ts';
import { createTelemetry, explain } from './telemetry.ts';
import { fromRequest } from './runtime/fromRequest.ts';
import { rememberHandler, type Handler, type RelayResponse, type RequestInfo } from './runtime/request.ts';

/** Responds to a page's request. Never throws, never rejects. */
export type Relay = (request: Request, info?: RequestInfo) => Promise<Response>;

refuseBrowser('offerlet/relay');

/** Creates a relay, the only holder of the key, to be mounted in a merchant's backend. Throws a `RelayConfigError`. */
export function createRelay(options: RelayOptions): Relay {
  refuseBrowser('offerlet/relay');
  const handler = typeof options?.apiKey === 'function' ? openLater(options) : createHandler(readOptions(options));
  const relay: Relay = async (request, info) => {
    const { status, headers, body } = await handler(fromRequest(request), info ?? {});
    return new Response(body === '' ? null : body, { status, headers });
  };
  rememberHandler(relay, handler);
  return relay;
}

/** Checks everything but the key now, and opens the relay with the first request for which the key can be read. */
function openLater(options: RelayOptions): Handler {
  const apiKey = `adnet_rk_${options.environment === 'production' ? 'live' : 'test'}_unknown`;
  readOptions({ ...options, apiKey, baseUrl: options.baseUrl || 'https://unknown.invalid' });
  let handler: Handler | undefined;
  return (request, info) => {
    try {
      handler ??= createHandler(readOptions(options));
    } catch (error) {
      const { log } = createTelemetry({ apiKey: '', onLog: options.onLog, onMetric: undefined });
      log({ level: 'error', message: 'The relay cannot start.', status: 500, error: explain(error) });
      return Promise.resolve(NOT_STARTED);
    }
    return handler(request, info);
  };
}

const NOT_STARTED: RelayResponse = {
  status: 500,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(partnerError(NOT_CONFIGURED)),
};
