import type { KeyValueStorage } from '../queue/keyValue/openJournals.ts';
import type { RelayAccess } from '../queue/sending/createPost.ts';
import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { SuccessCode } from './outcome.ts';
import type { PageEvent } from './pageEvent.ts';

/**
 * Decides on consent, now or later and as often as it likes. It is called once. The function that it returns, if any, is
 * called when the session ends.
 */
export interface ConsentSource {
  (decide: (isGiven: boolean) => void): void | (() => void);
  /** What it is called in `explain()` and in the inspector. */
  readonly source?: string;
}

/** Options that sessions with and without a page have in common. */
export interface OfferOptions<Success extends SuccessCode = 'rendered'> {
  /** Where the merchant's relay is mounted: a path (`/offers`) or a URL. */
  relay: string;
  /** The request, in the wire's own shape. A plain `user_details.email` is hashed here and never sent. */
  request: RecommendationRequest;
  /** Requests test offers. The response decides whether they are. */
  sandbox?: boolean | undefined;
  /** Maximum number of offers to show. By default all. */
  maxOffers?: number | undefined;
  /**
   * Nothing is requested or stored before this is true. By default it is, unless the browser sends Global Privacy Control.
   * An explicit `true` takes precedence over that signal. A function decides as often as it likes, see `offerlet/consent`.
   */
  consent?: boolean | Promise<boolean> | ConsentSource | undefined;
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: PageEvent<Success>) => void) | undefined;
}

/** The options of `openSession`. Only `relay` and `request` are required. */
export interface SessionOptions extends OfferOptions<'offers'>, RelayAccess {
  /** By default IndexedDB, with `localStorage` beside it; memory where there is no IndexedDB. */
  storage?: KeyValueStorage | undefined;
}
