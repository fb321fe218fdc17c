import { promisifyRequest } from 'idb-keyval';
import { QUEUE_PREFIX, queueName } from './rows/key.ts';
import { committed } from './rows/openDatabase.ts';

/** Opens the channel on which tabs are notified that consent was withdrawn, where the browser has it and allows it. */
export function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('offerlet');
  } catch {
    // Tabs notice a withdrawal by the missing consent row.
    return undefined;
  }
}

/**
 * Empties every queue of this origin, notes included, and notifies other tabs. That of `endpoint` is emptied even
 * where databases cannot be listed.
 * Makes no database where there is none. Resolves when nothing is left on disk; never rejects.
 */
export async function withdrawConsent(endpoint: string): Promise<void> {
  const channel = openChannel();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel?.postMessage('withdrawn');
  channel?.close();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(QUEUE_PREFIX)) localStorage.removeItem(key);
  } catch {
    // Blocked: then nothing was remembered.
  }
  const names = new Set([queueName(endpoint)]);
  try {
    for (const { name } of await indexedDB.databases()) if (name?.startsWith(QUEUE_PREFIX)) names.add(name);
  } catch {
    // They cannot be listed.
  }
  await Promise.all([...names].map((name) => empty(name).catch(() => {})));
}

async function empty(name: string): Promise<void> {
  const opening = indexedDB.open(name);
  // There is none: making one is called off.
  opening.onupgradeneeded = () => opening.transaction?.abort();
  const db = await promisifyRequest(opening);
  const rows = db.transaction('rows', 'readwrite').objectStore('rows');
  rows.clear();
  const cleared = committed(rows);
  db.close();
  await cleared;
}
