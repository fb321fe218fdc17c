import type { DisplayMode, View } from '../offers/request.ts';

/** A scripted failure of one route. The fields are those of the sandbox network's faults. */
export interface RouteFault {
  readonly route: '/recommendations' | '/events/batch';
  /** Responds with this status instead of forwarding the request. */
  readonly status?: number;
  /** Seconds, sent as the `Retry-After` header. */
  readonly retry_after?: number;
  readonly delay_ms?: number;
  /** Refuses the events at these indexes of a batch; the others go through. */
  readonly fail_indexes?: readonly number[];
  /** Whether a refused event may be sent again; true by default. */
  readonly retryable?: boolean;
  /** Closes the connection without a response. */
  readonly drop_connection?: boolean;
  /** Forwards the request first, then fails: the response is lost. */
  readonly after_commit?: boolean;
  /** How often the fault applies; always by default. */
  readonly times?: number;
}

/** How the offers of a response are changed. */
export interface OfferChanges {
  /** Maximum number of offers. */
  readonly offers?: number;
  /** `long`: every text exceeds its limit. */
  readonly copy?: 'long';
  /** `missing`: removes the heading of the first offer, and every optional field of the others. */
  readonly parts?: 'missing';
  /** `code`: gives every offer a promo code. */
  readonly promo?: 'code';
}

/** What only the page itself can force. */
export interface PageForcing {
  readonly mode?: DisplayMode | undefined;
  readonly view?: View | undefined;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  readonly locale?: string | undefined;
  readonly dir?: 'ltr' | 'rtl' | undefined;
  /** `missing`: the page does not name a relay. */
  readonly relay?: 'missing' | undefined;
  /** `refused`: the browser refuses IndexedDB. */
  readonly storage?: 'refused' | undefined;
  readonly consent?: 'pending' | 'denied' | undefined;
}

/** What a tester forces: in the response, on the network, and on the page. */
export interface Forcing {
  readonly response?: OfferChanges | undefined;
  readonly faults?: readonly RouteFault[];
  readonly page?: PageForcing;
}
