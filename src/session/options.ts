import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { PageEvent } from './pageEvent.ts';

/** The options of a session, with or without a page. */
export interface SessionOptions {
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
   * An explicit `true` takes precedence over that signal.
   */
  consent?: boolean | Promise<boolean> | undefined;
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: PageEvent) => void) | undefined;
}
