import type { InspectedMount } from '../mounts/inspectedMount.ts';
import type { PageObserver } from '../observe/observePage.ts';

/** One finding about the page: whether it is fine, and what to do when it is not. */
export interface Check {
  readonly state: 'good' | 'bad' | 'note';
  readonly title: string;
  readonly text: string;
}

/** What the checks look at. */
export interface CheckInput extends Pick<PageObserver, 'refused' | 'shifts'> {
  readonly mount: InspectedMount;
  /** The page's own `fetch`. */
  readonly fetch: typeof globalThis.fetch;
}
