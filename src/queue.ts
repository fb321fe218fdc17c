export { openQueue, type QueueOptions } from './queue/openQueue.ts';
export type { Queue } from './queue/openQueue.ts';
export type * from './queue/events.ts';
