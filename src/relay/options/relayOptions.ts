import type { Environment } from '../../wire/keys.ts';
import type { WireEvent } from '../../wire/events.ts';
import type { Attributes, OrderDetails, Purchase, UserDetails } from '../../wire/offers/request.ts';
import type { PlacedOffer } from '../../wire/offers/response.ts';
import type { DedupeStore } from '../dedupe/dedupeStore.ts';
import type { RateLimiter, RateLimits } from '../rateLimits.ts';
import type { LogEntry, LogLevel, RelayMetric } from '../telemetry.ts';

/** What the merchant's server knows about the shopper and the order. Each group replaces the page's as a whole. */
export interface RelayContext {
  user_details?: UserDetails;
  order_details?: OrderDetails;
  purchases?: readonly Purchase[];
  attributes?: Attributes;
}

/** Milliseconds until the relay stops waiting. */
export interface RelayTimeouts {
  /** For the network's whole response to /recommendations, one retry included. */
  recommendations: number;
  /** For the network's whole response to events. */
  events: number;
  /** For the page's whole request body. */
  body: number;
  /** For `authorize`. */
  authorize: number;
  /** For `context`. */
  context: number;
  /** For one call of `dedupe`, or of a custom limiter. A slower one is a 503, and the page tries again later. */
  dedupe: number;
  /** For `onOffers` and `onEvents`. A slower one is counted as one that failed. */
  records: number;
}

export interface RelayLimits {
  /** Bytes of a recommendations request. */
  recommendationsBytes: number;
  /** Bytes of an event or a batch. */
  eventsBytes: number;
  /** Bytes of a response of the network. */
  answerBytes: number;
}

/** Offers that a shopper got. */
export interface OffersRecord {
  /** As `context` stated it; otherwise as the page did, which can be manipulated. */
  readonly order_id: string | undefined;
  readonly session_id: string;
  /** As the widget reads them, in order; empty if there are none. */
  readonly offers: readonly PlacedOffer[];
  /** When, in RFC 3339. */
  readonly at: string;
}

/** What a shopper saw and did, as far as the network accepted it. */
export interface EventsRecord {
  /** That of the offers, where this process has requested them. */
  readonly order_id?: string;
  readonly session_id: string;
  readonly events: readonly WireEvent[];
  /** When they were accepted, in RFC 3339. */
  readonly at: string;
}

/** Resolves to why a request may not use the relay, or to undefined if it may. */
export type Authorize = (header: (name: string) => string | null) => Promise<string | undefined>;

/** The options of `createRelay`. */
export interface RelayOptions {
  /**
   * The integration key, which never leaves the server. `undefined`, as an unset variable gives it, stops the start. A
   * function is called with the first request instead: for modules that a build loads without secrets.
   */
  apiKey: string | (() => string | undefined) | undefined;
  /** The version of the Recommendations API that the merchant's integration was tested with, such as `1.0.0`. */
  version: string;
  /** The network's URL, such as `https://partner.example`. `undefined` stops the start, unless `apiKey` is a function. */
  networkUrl: string | undefined;
  /** The environment that the merchant expects. A key of the other one stops the start. */
  environment?: Environment | undefined;
  /**
   * Marks every request as a test; the widget then shows a Sandbox mark. Without it a page may mark its own requests,
   * unless the relay is in production.
   */
  sandbox?: boolean | undefined;
  /** The path at which the relay is mounted: `/` by default. */
  basePath?: string | undefined;
  /** Other origins whose pages may use the relay, such as `https://shop.example`. Its own origin always may. */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Decides by a request's headers whether it may use the relay, and replaces the check of its origin: a request that
   * passes may come from any origin, without cookies. Resolves to the reason when it may not, for the page and the log.
   */
  authorize?: Authorize | undefined;
  /** Called for every recommendations request. */
  context?: ((request: Request) => RelayContext | undefined | Promise<RelayContext | undefined>) | undefined;
  /** Whether a plain `email` is sent to the network as its SHA-256, which is the default, or `raw`. */
  emails?: 'hash' | 'raw' | undefined;
  /** Leaves `event_id` on forwarded events, for networks that detect duplicates by it. */
  forwardEventIds?: boolean | undefined;
  /** Whether the times of events are corrected when the device's clock is wrong: true by default. */
  correctTime?: boolean | undefined;
  /** Sends the shopper's IP address to the network as `attributes.ip_address`. A page's own is never sent. */
  forwardAddress?: boolean | undefined;
  /** The header with the shopper's IP address that your own proxy sets, such as `x-forwarded-for`. */
  addressHeader?: string | undefined;
  /**
   * How many of your own proxies append to that header: 1 by default. Behind a content network and a proxy, 2: the address
   * is the last but one. Too many, and callers can make addresses up.
   */
  trustedHops?: number | undefined;
  timeouts?: Partial<RelayTimeouts> | undefined;
  limits?: Partial<RelayLimits> | undefined;
  /** Token buckets per IP address, network and session, a custom limiter, or `false` for none. */
  rateLimit?: Partial<RateLimits> | RateLimiter | false | undefined;
  /** Remembers accepted events; in memory by default. */
  dedupe?: DedupeStore | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  now?: (() => number) | undefined;
  /** Called with the offers that the network returned, once, after the page got them. Nothing waits for it. */
  onOffers?: ((record: OffersRecord) => void | Promise<void>) | undefined;
  /** Called with the events of a session that the network accepted, once, after the response. Nothing waits for it. */
  onEvents?: ((record: EventsRecord) => void | Promise<void>) | undefined;
  /** Called for each line of the log. By default warnings and errors are written to the console. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  onMetric?: ((metric: RelayMetric) => void) | undefined;
  /** The least important level that is logged: `info` with `onLog`, `warn` on the console. */
  logLevel?: LogLevel | undefined;
}

/** One of several shops behind a relay: its key, and every other option in which it differs from the others. */
export interface Shop extends Partial<RelayOptions> {
  apiKey: RelayOptions['apiKey'];
  /**
   * What logs, metrics and stores call it: letters, digits, `.`, `_` and `-`. It stays the same when the key changes; by
   * default it is a hash of the key.
   */
  name?: string | undefined;
}

/** The options of `createRelay` for several shops. All but `shop` and `dedupe` are for shops that don't say it themselves. */
export interface ShopsOptions extends Omit<Partial<RelayOptions>, 'apiKey' | 'dedupe'> {
  /**
   * Returns the shop that a request is for, by its URL and headers; it has no body. `undefined` for no shop is a 404. It is
   * called for every request, and so are the functions that it returns: they may use the request.
   */
  shop(request: Request): Shop | undefined | Promise<Shop | undefined>;
  /** Returns the store of accepted events of the shop with this name, once; in memory by default. Two must never share one. */
  dedupe?: ((name: string) => DedupeStore | Promise<DedupeStore>) | undefined;
}

/** The functions of a shop that are taken from each request anew. */
export type ShopFunctions = Pick<RelayOptions, 'authorize' | 'context' | 'onOffers' | 'onEvents'>;
