import type { QueueStats } from './events.ts';
import type { Core } from './openCore.ts';
import { DEAD, isWaiting } from './rows/key.ts';
import { isIdle } from './rows/rows.ts';

/** Resolves to what a queue holds, and how many events were delivered and dropped since it was opened. */
export async function readStats({ rows, sender, total }: Core): Promise<QueueStats> {
  const { keys } = await rows.read();
  const waiting = keys.filter(isWaiting).length;
  const isMemory = rows.isMemory();
  const onDisk = isMemory ? 0 : waiting;
  return {
    onDisk,
    inMemory: waiting - onDisk,
    inFlight: [...rows.known.values()].filter((row) => !isIdle(row)).length,
    deadLetters: keys.filter((key) => key > DEAD).length,
    storage: isMemory ? 'memory' : (rows.storage ?? 'indexeddb'),
    ...total,
    ...sender.state(),
  };
}
