import { promisifyRequest } from 'idb-keyval';
import { QUEUE_PREFIX, queueName } from './rows/key.ts';
import { committed } from './rows/openDatabase.ts';

/** Tells the withdrawals of this page from those of other tabs. */
const PAGE = /* @__PURE__ */ Math.random();
/** The databases of the relays that this page has used, for browsers that cannot list them. */
const known = /* @__PURE__ */ new Set<string>();
let running: Promise<unknown> | undefined;

/** Opens the channel on which tabs are notified that consent was withdrawn, where the browser has it and allows it. */
export function openChannel(): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel('offerlet');
  } catch {
    // Tabs notice a withdrawal by the missing consent row.
    return undefined;
  }
}

/** Calls back when consent is withdrawn in another tab, until the channel is closed. */
export function onForeignWithdrawal(callBack: () => void): BroadcastChannel | undefined {
  const channel = openChannel();
  channel?.addEventListener('message', ({ data }) => {
    if (data !== PAGE) callBack();
  });
  return channel;
}

/** Has every later withdrawal empty the endpoint's queue, even where databases cannot be listed. */
export function rememberEndpoint(endpoint: string): void {
  known.add(queueName(endpoint));
}

/** Resolves once the withdrawals of this page have ended: what they clear late may not be newer consent. */
export function whenCleared(): Promise<unknown> | undefined {
  return running;
}

/**
 * Empties every queue of this origin, notes included, and notifies other tabs. Where databases cannot be
 * listed, those of `endpoint` and of the remembered endpoints are emptied.
 * Creates no database. Resolves when nothing is left on disk; never rejects.
 */
export function withdrawConsent(endpoint?: string): Promise<unknown> {
  if (endpoint) rememberEndpoint(endpoint);
  return (running = Promise.all([running, clear()]));
}

async function clear(): Promise<void> {
  const channel = openChannel();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel?.postMessage(PAGE);
  channel?.close();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(QUEUE_PREFIX)) localStorage.removeItem(key);
  } catch {
    // Blocked: then nothing was remembered.
  }
  const names = new Set(known);
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
