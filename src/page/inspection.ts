import type { FoundOffers } from '../session/obtainOffers.ts';
import type { OfferSession } from '../session/offerSession.ts';
import type { Offers, ShowOptions } from './showOptions.ts';

/** A request body, and the response before it was validated. */
export type RawExchange = Pick<FoundOffers, 'body' | 'json'>;

/** One mount as an inspector gets it. Without an exchange, there was no response. */
export interface Inspected extends Partial<RawExchange> {
  readonly offers: Offers;
  readonly options: ShowOptions;
  /** Forgets the orders that this device remembers, and shows the offers anew with other options. */
  again(changes: Partial<ShowOptions>): void;
  /** Opens the mount's queue anew. A queue captures the page's `fetch` and storage when it is opened. */
  reopen: OfferSession['reopenQueue'];
}

/** The global under which `offerlet/inspector` offers itself to mounts, whichever copy of the package they are from. */
export const INSPECTOR = Symbol.for('offerlet.inspector');

/** Inspects a mount. It is awaited before anything is counted, so that it can still restart the mount. */
export type Inspect = (inspected: Inspected) => Promise<unknown>;
