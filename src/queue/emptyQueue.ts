import { openRows } from './openRows.ts';
import { queueName } from './queueName.ts';

/** Empties what earlier pages have left in the queue of an endpoint: sends nothing, and makes no queue where there is none. */
export async function emptyQueue(endpoint: string): Promise<void> {
  const name = queueName(endpoint);
  try {
    const all = await indexedDB.databases();
    if (all.some((database) => database.name === name)) await openRows(name, () => {}).purge();
  } catch {
    // Blocked: then nothing was kept.
  }
}
