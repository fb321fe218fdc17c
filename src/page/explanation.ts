import type { EventName } from '../wire/events/wireEvent.ts';
import type { Outcome } from './outcome.ts';
import type { LeftOutEvent, PageEvent } from './pageEvent.ts';

/** The whole story of one mount, without anything personal in it. */
export interface Explanation {
  /** How it ended; missing while it goes on. */
  readonly outcome?: Outcome | undefined;
  /** What was asked: where, for which placement, and by which fields (never their values) the shopper was named. */
  readonly asked?:
    | {
        readonly relay: string;
        readonly view: string;
        readonly display_mode: string;
        readonly user_details: readonly string[];
        readonly isSandbox: boolean;
        /** The order has an `order_id`, so that its answer is remembered. */
        readonly isRemembering: boolean;
      }
    | undefined;
  /** What came, or what was remembered of this order. */
  readonly answered?:
    | {
        readonly session_id: string;
        readonly offers: number;
        readonly isSandbox: boolean;
        readonly isRemembered: boolean;
        /** False when the browser declares itself a bot: then it is shown and not counted. */
        readonly isCounted: boolean;
      }
    | undefined;
  /** Offers of the answer that are not shown, and why. */
  readonly left_out: readonly LeftOutEvent[];
  /** What was seen and done, as tracked, in order. */
  readonly tracked: readonly EventName[];
  /** How many of those are on this device still, and what else the queue has done since this mount opened it. */
  readonly queue: {
    readonly waiting: number;
    readonly delivered: number;
    readonly dropped: number;
    readonly dead: number;
  };
  /** Everything that `onEvent` heard, in order. */
  readonly events: readonly PageEvent[];
}
