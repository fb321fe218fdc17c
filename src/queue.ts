export { openQueue, type Queue } from './queue/openQueue.ts';
export type { QueueOptions } from './queue/openCore.ts';
export type * from './queue/events.ts';
