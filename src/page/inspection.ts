import type { PageQueue } from '../queue/openPageQueue.ts';
import type { JsonObject } from '../wire/json.ts';
import type { ShowOptions } from './options.ts';
import type { Offers } from './showOffers.ts';

/** What was asked, and what came as it came. */
export interface Exchange {
  readonly body: JsonObject;
  readonly json: unknown;
}

/** One mount in an inspector's hands; without an exchange, what was asked had no answer. */
export interface Inspected extends Partial<Exchange> {
  readonly offers: Offers;
  readonly options: ShowOptions;
  /** Forgets what this device knows of its orders, and shows anew with other options. */
  again(changes: Partial<ShowOptions>): void;
  /** Opens the mount's queue anew. A queue takes the page's `fetch` and storage when it is opened. */
  reopen(): PageQueue;
}

/** Looks at a mount. It is awaited before anything is counted, so that it can still begin anew. */
export type Inspect = (inspected: Inspected) => Promise<unknown>;

/**
 * Tells whether the page asks for the inspector and may have it: the relay says sandbox, or has said so in this tab
 * before, so that the inspector can tell why nothing comes now.
 */
export function mayInspect(options: ShowOptions | undefined, exchange: Exchange | undefined): unknown {
  return (
    (options?.sandbox || location.search.includes('offerlet=inspect')) &&
    (exchange || sessionStorage.getItem('offerlet-inspector'))
  );
}
