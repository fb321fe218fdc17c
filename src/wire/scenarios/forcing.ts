import type { DisplayMode, View } from '../offers/request.ts';

/** A scripted failure of one route, in the words of the sandbox network's own faults. */
export interface Fault {
  readonly route: '/recommendations' | '/events/batch';
  /** Answers this instead of asking on. */
  readonly status?: number;
  /** Seconds, as the header `Retry-After`. */
  readonly retry_after?: number;
  readonly delay_ms?: number;
  /** Refuses these events of a batch; the others go through. */
  readonly fail_indexes?: readonly number[];
  /** Whether a refused event may come again; it may unless this is false. */
  readonly retryable?: boolean;
  /** Hangs up without an answer. */
  readonly drop_connection?: boolean;
  /** Lets the request do its work first. */
  readonly after_commit?: boolean;
  /** How often it strikes; always unless given. */
  readonly times?: number;
}

/** What becomes of an answer's offers on their way. */
export interface Reshape {
  /** At most so many of them. */
  readonly offers?: number;
  /** `long`: every text at its limit and above. */
  readonly copy?: 'long';
  /** `missing`: the first offer without its heading, the others without everything that may be missing. */
  readonly parts?: 'missing';
  /** `code`: every offer comes with a promo code. */
  readonly promo?: 'code';
}

/** What only the page itself can change. */
export interface PageForcing {
  readonly mode?: DisplayMode | undefined;
  readonly view?: View | undefined;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  readonly locale?: string | undefined;
  readonly dir?: 'ltr' | 'rtl' | undefined;
  /** `missing`: the page names no relay. */
  readonly relay?: 'missing' | undefined;
  /** `refused`: the browser has no IndexedDB for the queue. */
  readonly storage?: 'refused' | undefined;
  readonly consent?: 'pending' | 'denied' | undefined;
}

/** What a tester wants to happen: in the offers that come, on the way, and on the page. */
export interface Forcing {
  readonly answer?: Reshape | undefined;
  readonly faults?: readonly Fault[];
  readonly page?: PageForcing;
}
