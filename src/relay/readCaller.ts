import type { RelayOptions } from './options/relayOptions.ts';
import type { Client } from './readClient.ts';
import { readRequestId, readTraceparent, type RelayRequest, type RequestInfo } from './runtime.ts';

/** Who asked, and what goes with the request from the first look at it to the last. */
export interface Caller {
  readonly requestId: string;
  readonly traceparent: string | undefined;
  /** `undefined` where no address is known. */
  readonly client: Client | undefined;
  /** Whose part of a memory it fills: the client's network, or a session, which anybody can make up, without an address. */
  readonly sender: string | undefined;
  /** What the merchant records, and what keeps the process running for that. */
  readonly onOffers: RelayOptions['onOffers'];
  readonly onEvents: RelayOptions['onEvents'];
  readonly waitUntil: RequestInfo['waitUntil'];
}

/** Returns the caller of a request. `functions`: those of the relay, unless the request is for one of several shops. */
export function readCaller(
  request: RelayRequest,
  about: {
    client: Client | undefined;
    waitUntil: RequestInfo['waitUntil'];
    functions: Pick<RelayOptions, 'onOffers' | 'onEvents'>;
  },
): Caller {
  const { client, waitUntil, functions } = about;
  const { onOffers, onEvents } = request.own ?? functions;
  const [requestId, traceparent] = [readRequestId(request), readTraceparent(request)];
  return { requestId, traceparent, client, sender: client?.network, onOffers, onEvents, waitUntil };
}
