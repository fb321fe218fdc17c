import type { BrandProperties, EventName, Target } from '../wire/events/wireEvent.ts';
import type { JsonObject } from '../wire/json.ts';

// What the page hands over. The inspector imports nothing of the page's own, so it says here what it needs of it.

/** An event as the queue keeps it. */
export interface KeptEvent {
  readonly event_id: string;
  readonly event_name: EventName;
  readonly event_datetime: string;
  readonly session_id: string;
  readonly initiating_target?: Target;
  readonly brand_properties?: BrandProperties;
}

/** Everything that a mount tells, in order. */
export type MountEvent =
  | { readonly type: 'tracked'; readonly event: KeptEvent }
  | { readonly type: 'delivered'; readonly count: number; readonly event_ids: readonly string[] }
  | { readonly type: 'retried'; readonly count: number; readonly reason: string; readonly nextTryAt: number }
  | { readonly type: 'paused'; readonly status: number; readonly reason: string }
  | { readonly type: 'dropped'; readonly count: number; readonly why: string }
  | { readonly type: 'dead_letter'; readonly event: KeptEvent; readonly reason: string }
  | { readonly type: 'error'; readonly reason: string }
  | {
      readonly type: 'rendered' | 'no_offers' | 'consent_denied' | 'already_shown' | 'error';
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: 'left_out'; readonly offer_id: string; readonly reason: string }
  | { readonly type: 'footer'; readonly link: string }
  | { readonly type: 'dismiss'; readonly by: string }
  | {
      readonly type: 'impression' | 'view' | 'click' | 'decline' | 'next' | 'back' | 'copy' | 'product';
      readonly offer_id: string;
    };

/** How a mount ended. */
export interface Outcome {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What `explain()` answers. */
export interface Story {
  readonly outcome?: Outcome | undefined;
  readonly asked?:
    | {
        readonly relay: string;
        readonly view: string;
        readonly display_mode: string;
        readonly user_details: readonly string[];
        readonly isSandbox: boolean;
        readonly isRemembering: boolean;
      }
    | undefined;
  readonly answered?:
    | {
        readonly session_id: string;
        readonly offers: number;
        readonly isSandbox: boolean;
        readonly isRemembered: boolean;
        readonly isCounted: boolean;
      }
    | undefined;
  readonly left_out: readonly { readonly offer_id: string; readonly reason: string }[];
  readonly queue: {
    readonly waiting: number;
    readonly delivered: number;
    readonly dropped: number;
    readonly dead: number;
  };
  readonly events: readonly MountEvent[];
}

/** What the queue holds, and what it waits for. */
export interface QueueStats {
  readonly onDisk: number;
  readonly inMemory: number;
  readonly inFlight: number;
  readonly deadLetters: number;
  readonly storage: 'indexeddb' | 'memory';
  readonly isPaused: boolean;
  readonly nextTryAt?: number | undefined;
  readonly lastAnswer?: { readonly status: number; readonly at: number } | undefined;
  readonly delivered: number;
  readonly dropped: number;
}

/** An event that will never be accepted, and why. */
export interface DeadLetter {
  readonly event: KeptEvent;
  readonly reason: string;
}

/** The mount's queue. */
export interface MountQueue {
  track(event: KeptEvent): Promise<void>;
  flush(): Promise<unknown>;
  purge(): Promise<void>;
  stats(): Promise<QueueStats>;
  deadLetters(): Promise<DeadLetter[]>;
}

/** The options of a mount, as far as the inspector changes or shows them. */
export interface MountOptions {
  readonly relay: string;
  readonly request: { readonly placement_details: object };
  readonly target?: string | Element | undefined;
  readonly sandbox?: boolean | undefined;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  readonly locale?: string | undefined;
  readonly maxOffers?: number | undefined;
  readonly consent?: boolean | Promise<boolean> | undefined;
}

/** The mount in the page's hands. */
export interface MountHandle {
  explain(): Story;
  consent(isGiven: boolean): void;
  destroy(): void;
}

/** One mount, handed over before anything is counted; without `body` and `json` what was asked had no answer. */
export interface Mount {
  readonly offers: MountHandle;
  readonly options: MountOptions;
  readonly body?: JsonObject;
  readonly json?: unknown;
  again(changes: Partial<MountOptions>): void;
  reopen(): MountQueue;
}
