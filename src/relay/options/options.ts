import type { Environment } from '../../wire/keys.ts';
import type { Attributes, OrderDetails, Purchase, UserDetails } from '../../wire/offers/request.ts';
import type { LogEntry } from '../log.ts';
import type { RelayMetric } from '../metrics.ts';
import type { RateLimiter, RateLimits } from '../limits/rateLimit.ts';
import type { SeenStore } from '../seen/seenStore.ts';

/** What the merchant's server knows about the shopper and the order; it replaces what the page said. */
export interface RelayContext {
  user_details?: UserDetails;
  order_details?: OrderDetails;
  purchases?: readonly Purchase[];
  attributes?: Attributes;
}

/** Milliseconds until the relay gives up waiting. */
export interface RelayTimeouts {
  /** For the network's whole answer to /recommendations, one retry included. */
  recommendations: number;
  /** For the network's whole answer to events. */
  events: number;
  /** For the page's whole request body. */
  body: number;
  /** For `context`. */
  context: number;
  /** For one call of `seen`: a store that is slower is a 503, and its caller comes back. */
  seen: number;
}

export interface RelayLimits {
  /** Bytes of a recommendations request. */
  recommendationsBytes: number;
  /** Bytes of an event or a batch. */
  eventsBytes: number;
  /** Bytes of an answer of the network. */
  answerBytes: number;
}

/** The options of `createRelay`. */
export interface RelayOptions {
  /** The integration key; it never leaves the server. `undefined`, as an unset variable gives it, stops the start. */
  apiKey: string | undefined;
  /** The version of the Recommendations API that the merchant's integration is pinned to, such as `1.0.0`. */
  version: string;
  /** The network's address, such as `https://partner.example`. `undefined` stops the start. */
  baseUrl: string | undefined;
  /** What the merchant believes to talk to; a key that says otherwise stops the start. */
  environment?: Environment | undefined;
  /**
   * Marks every question as a test; the widget then shows a Sandbox mark. Without it a page may ask for that by itself,
   * unless the relay is in production.
   */
  sandbox?: boolean | undefined;
  /** Where the relay is mounted: `/` unless given. */
  basePath?: string | undefined;
  /** Other origins whose pages may use the relay, such as `https://shop.example`. Its own origin always may. */
  allowedOrigins?: readonly string[] | undefined;
  /** Asked for every recommendations request. */
  context?: ((request: Request) => RelayContext | undefined | Promise<RelayContext | undefined>) | undefined;
  /** What becomes of a plain `email`: its SHA-256 goes to the network, unless this is `raw`. */
  emails?: 'hash' | 'raw' | undefined;
  /** Leaves `event_id` on forwarded events, for networks that de-duplicate by it. */
  forwardEventIds?: boolean | undefined;
  /** Sends the shopper's address to the network as `attributes.ip_address`. */
  forwardAddress?: boolean | undefined;
  /** The header in which a proxy that you run tells the shopper's address, such as `x-forwarded-for`. */
  addressHeader?: string | undefined;
  timeouts?: Partial<RelayTimeouts> | undefined;
  limits?: Partial<RelayLimits> | undefined;
  /** Token buckets per address and per session, a limiter of your own, or `false` for none. */
  rateLimit?: Partial<RateLimits> | RateLimiter | false | undefined;
  /** Remembers accepted events; in memory by default. */
  seen?: SeenStore | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  now?: (() => number) | undefined;
  onLog?: ((entry: LogEntry) => void) | undefined;
  onMetric?: ((metric: RelayMetric) => void) | undefined;
}
