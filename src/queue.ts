export { openQueue, type Queue, type QueueOptions } from './queue/openQueue.ts';
export type { FlushOutcome } from './queue/openSender.ts';
export type * from './queue/events.ts';
