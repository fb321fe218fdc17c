import { addChecks, type Queue } from './addChecks.ts';
import type { QueueEvent, Send } from './events.ts';
import { openCore } from './openCore.ts';
import { openRows } from './rows/openRows.ts';

/** Options of `openQueue`. */
export interface QueueOptions {
  /** Where batches are posted, e.g. `/offers/events/batch`. */
  endpoint: string;
  /** Queues of one name on one origin are one queue. By default it is named after its endpoint, so that no event goes astray. */
  name?: string | undefined;
  /** Replaces the built-in POST to `endpoint`. */
  send?: Send | undefined;
  /** Called with each step in an event's life. What it throws is ignored. */
  onEvent?: ((event: QueueEvent) => void) | undefined;
}

/** Opens the queue, which begins to send what earlier pages have left. */
export function openQueue(options: QueueOptions): Queue {
  return addChecks(openCore(openRows, options));
}
