import type { PrefetchedOffers } from '../../wire/offers/prefetched.ts';
import type { OrderDetails, RecommendationRequest } from '../../wire/offers/request.ts';
import type { RelayRequest, RelayResponse, RequestInfo } from './request.ts';

/** What is used of node:http's IncomingMessage; Express and its like add the optional parts. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly complete?: boolean | undefined;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
  /** What a body parser has left. */
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** The relay on any runtime. Neither method throws or rejects. */
export interface Handler {
  respond(request: RelayRequest, info: RequestInfo): Promise<RelayResponse>;
  readonly prefetch: Prefetch;
}

/** What a page is going to request, and how long it may wait for that. */
export interface PrefetchRequest extends Omit<RecommendationRequest, 'order_details'> {
  /** With the `order_id` that the page states. */
  order_details: OrderDetails & { order_id: string };
  /** The shopper's consent, if the shop asks for it. With anything but `true`, nothing is requested. */
  consent?: boolean | undefined;
  /** Milliseconds for which the page may be held up: 800 by default. */
  timeout?: number | undefined;
  /** The shopper's IP address, where neither the request nor `addressHeader` has it. */
  ip?: string | undefined;
}

/** Offers for a page that is being rendered. */
export interface Prefetched {
  /** The block for the page's HTML, to be written as it is: `<script type="application/json" data-offerlet-offers>…</script>`. */
  readonly script: string;
  /** The same as a value, for `showOffers({ prefetched })` and `<Offers prefetched={…} />`. */
  readonly json: PrefetchedOffers;
}

/**
 * Requests the offers of a page while the page is rendered. Takes the page's own request, as a `Request` or a message of
 * node:http. Resolves to `undefined` without consent, after any failure and after the timeout: then the page requests them
 * itself. Never throws, never rejects.
 */
export type Prefetch = (request: Request | NodeRequest, given: PrefetchRequest) => Promise<Prefetched | undefined>;

const handlers = new WeakMap<object, Handler>();

/** Lets `toNode` call a relay's handler, past `Request` and `Response`, which cost Node more than all the rest. */
export function rememberHandler(relay: object, handler: Handler): void {
  handlers.set(relay, handler);
}

/** The handler of a relay; `undefined` for a function that somebody wrapped around one. */
export function handlerOf(relay: object): Handler | undefined {
  return handlers.get(relay);
}
