export { openQueue, type QueueOptions } from './queue/openQueue.ts';
export type { Queue } from './queue/addChecks.ts';
export type * from './queue/events.ts';
