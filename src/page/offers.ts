import type { Explanation } from '../session/openTrace.ts';
import type { Outcome } from '../session/outcome.ts';

/** One mount of offers on a page. */
export interface Offers {
  /** Resolves to how it ended and never rejects. When a late yes follows a no, it is a new promise. */
  readonly outcome: Promise<Outcome>;
  /** Returns what happened so far: the request, the response, what was left out and why, what was seen, what is queued. */
  explain(): Explanation;
  /** Sends what is queued, now. */
  flush(): Promise<void>;
  /** Closes the offers as the shopper would. */
  close(): void;
  /** Removes everything from the page and stops. What was tracked stays on the device until it is delivered. */
  destroy(): void;
  /** A later decision on consent: yes starts what waited for it, no takes the offers down and clears what is stored. */
  consent(isGiven: boolean): void;
}
