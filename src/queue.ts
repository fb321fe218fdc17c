export { openQueue, type Queue, type QueueOptions } from './queue/openQueue.ts';
export type * from './queue/events.ts';
