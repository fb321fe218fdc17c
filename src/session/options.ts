import type { KeyValueStorage } from '../queue/keyValue/openJournals.ts';
import type { RelayAccess } from '../queue/createPost.ts';
import type { PrefetchedOffers } from '../wire/offers/prefetched.ts';
import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { ConsentOption } from './consent.ts';
import type { PageEvent, SessionEvent, SuccessCode } from './events.ts';

/** Options that sessions with and without a page have in common. */
export interface OfferOptions<Success extends SuccessCode = 'rendered'> extends RelayAccess {
  /** Where the merchant's relay is mounted: a path (`/offers`) or a URL. */
  relay: string;
  /** The request, in the wire's own shape. A plain `user_details.email` is hashed here and never sent. */
  request: RecommendationRequest;
  /** Requests test offers. The response decides whether they are. */
  sandbox?: boolean | undefined;
  /** Maximum number of offers to show. By default all. */
  maxOffers?: number | undefined;
  /**
   * Nothing is requested or stored before consent is given. Only an option that is absent means the default: given, unless
   * the browser sends Global Privacy Control, which an explicit `true` overrides. `'required'`, `null` and `undefined` wait for
   * `consent(true)`. A source decides as often as it likes, see `offerlet/consent`.
   */
  consent?: ConsentOption;
  /**
   * What the relay's `prefetch` returned as `json`: used instead of a request if view, display mode and order are the same. On
   * a page, the block that it returned as `script` is found by itself.
   */
  prefetched?: PrefetchedOffers | null | undefined;
  /** Destroys the mount or session when it is aborted. */
  signal?: AbortSignal | undefined;
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: PageEvent<Success>) => void) | undefined;
}

/** The options of `openSession`. Only `relay` and `request` are required. */
export interface SessionOptions extends Omit<OfferOptions<'offers'>, 'onEvent'> {
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: SessionEvent) => void) | undefined;
  /** By default IndexedDB, with `localStorage` beside it; memory where there is no IndexedDB. */
  storage?: KeyValueStorage | undefined;
}
