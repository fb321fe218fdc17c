// Types of the page and the queue that the inspector uses. Nothing but types passes this wall.
export type { Explanation } from '../session/openTrace.ts';
export type { Inspected } from '../page/inspection.ts';
export type { ShowOptions } from '../page/options/showOptions.ts';
export type { PageEvent } from '../session/pageEvent.ts';
export type { DeadLetter, QueueStats, StoredEvent } from '../queue/events.ts';
export type { Queue } from '../queue/openQueue.ts';
