import type { RecommendationRequest } from '../wire/offers/request.ts';
import type { SuccessCode } from './outcome.ts';
import type { PageEvent } from './pageEvent.ts';

/** Decides on consent, now or later and as often as it likes. The function that it returns is called when the session ends. */
export type ConsentSource = (decide: (isGiven: boolean) => void) => void | (() => void);

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
   * An explicit `true` takes precedence over that signal.
   */
  consent?: boolean | Promise<boolean> | ConsentSource | undefined;
  /** Called with every step. Errors that it throws are ignored. */
  onEvent?: ((event: PageEvent<Success>) => void) | undefined;
}

/** Where a session stores events and orders: `localStorage`, React Native's AsyncStorage, or anything of the same shape. */
export interface KeyValueStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** How requests reach the relay. */
export interface RelayAccess {
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Called before every request to the relay. The request gets the headers that it returns. */
  headers?: (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
}

/** The options of `openSession`. Only `relay` and `request` are required. */
export interface SessionOptions extends OfferOptions<'offers'>, RelayAccess {
  /** By default IndexedDB and `localStorage` where they exist, otherwise memory. */
  storage?: KeyValueStorage | undefined;
}
