import { readAddressSpace } from '../http/addressSpace.ts';
import type { RelaySettings } from './options/readOptions.ts';
import { readClient, type Client } from './readClient.ts';
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
  readonly onOffers: RelaySettings['onOffers'];
  readonly onEvents: RelaySettings['onEvents'];
  readonly waitUntil: RequestInfo['waitUntil'];
  /** Called when a request is sent to the network; a paused network is sent none. */
  readonly onSend?: () => void;
}

/** What says who the caller of a request is. */
export type CallerSettings = Pick<RelaySettings, 'addressHeader' | 'trustedHops' | 'onOffers' | 'onEvents'>;

/** Returns the caller of a request, with the functions of its shop where there are several. */
export function readCaller(request: RelayRequest, { ip, waitUntil }: RequestInfo, settings: CallerSettings): Caller {
  const client = clientOf(request, ip, settings);
  const { onOffers, onEvents } = request.own ?? settings;
  const [requestId, traceparent] = [readRequestId(request), readTraceparent(request)];
  return { requestId, traceparent, client, sender: client?.network, onOffers, onEvents, waitUntil };
}

function clientOf(
  { header }: RelayRequest,
  ip: string | undefined,
  { addressHeader, trustedHops }: CallerSettings,
): Client | undefined {
  // Each of the merchant's own proxies appends what it saw; what stands before that are the caller's own claims.
  const claims = addressHeader === undefined ? [] : (header(addressHeader) ?? '').split(',');
  const claimed = claims[Math.max(0, claims.length - trustedHops)]?.trim();
  const client = readClient(claimed) ?? readClient(ip);
  // All clients have the address of a proxy in front that is in no option, so it tells nobody from anybody.
  const isProxied = addressHeader === undefined && header('x-forwarded-for') !== null;
  return isProxied && client && readAddressSpace(client.address) !== 'public' ? undefined : client;
}
