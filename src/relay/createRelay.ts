import { partnerError } from '../wire/errors.ts';
import { isObject, own } from '../wire/json.ts';
import { refuseBrowser } from '../wire/keys.ts';
import type { Reply } from './errors.ts';
import { createHandler, NOT_CONFIGURED, type Handler } from './createHandler.ts';
import { readOptions } from './options/readOptions.ts';
import type { RelayOptions, ShopsOptions } from './options/relayOptions.ts';
import { checkBeforeKey, openShops } from './openShops.ts';
import { createTelemetry, explain, type RelayGauge } from './telemetry.ts';
import type { Prefetch } from './prefetch.ts';
import { fromRequest, rememberDirect, type RequestInfo } from './runtime.ts';

/** The relay. Neither itself nor its method throws or rejects. */
export interface Relay {
  /** Responds to a page's request. */
  (request: Request, info?: RequestInfo): Promise<Response>;
  readonly prefetch: Prefetch;
  /** What it is like at this moment: circuits, and how many events it remembers and owes to its store. */
  gauges(): readonly RelayGauge[];
}

refuseBrowser('offerlet/relay');

/**
 * Creates a relay, the only holder of the key, to be mounted in a merchant's backend; with `shop`, one for several shops.
 * Throws a `RelayConfigError`.
 */
export function createRelay(options: RelayOptions | ShopsOptions): Relay {
  refuseBrowser('offerlet/relay');
  const handler = openHandler(options);
  const respond = async (request: Request, info: RequestInfo = {}): Promise<Response> => {
    const { status, headers, body } = await handler.respond(fromRequest(request), info);
    return new Response(body === '' ? null : body, { status, ...(headers && { headers }) });
  };
  const prefetch: Prefetch = (source, given) => handler.prefetch(source, given);
  const relay: Relay = Object.assign(respond, { prefetch, gauges: () => handler.gauges() });
  rememberDirect(relay, handler.respond);
  return relay;
}

function openHandler(options: RelayOptions | ShopsOptions): Handler {
  if (isForShops(options)) return openShops(options);
  return typeof options?.apiKey === 'function' ? openLater(options) : createHandler(readOptions(options));
}

function isForShops(options: RelayOptions | ShopsOptions): options is ShopsOptions {
  return isObject(options) && own(options, 'shop') !== undefined;
}

/** Checks everything but the key now, and opens the relay with the first request for which the key can be read. */
function openLater(options: RelayOptions): Handler {
  checkBeforeKey(options);
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
    gauges: () => handler?.gauges() ?? [],
  };
}

const NOT_STARTED: Reply = {
  status: 500,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(partnerError(NOT_CONFIGURED)),
};
