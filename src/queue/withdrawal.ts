import { promisifyRequest } from 'idb-keyval';
import { cancel, committed, STORE } from './openDatabase.ts';
import { CONSENT, QUEUE_PREFIX, queueName } from './rows.ts';

// Consent is given per origin, and withdrawn in every tab at once. Databases can only be cleared later: by then the page may
// be gone. So a withdrawal first leaves a mark, synchronously. A page that opens a queue compares the mark with the
// consent that the database was opened under. It does so in the same transaction, before anything is read or sent.

/**
 * The key of the mark in localStorage. Its value is `+` and the id of a consent while something may be stored, `-` and the id
 * of a withdrawal until everything stored before it is cleared. Both are equally long, so that the second fits into
 * full storage.
 */
const MARK = 'offerlet-consent';

/** The mark of this page, where localStorage has none: in a worker, and of a withdrawal where nothing was stored. */
let memory = '';

function storedMark(): string {
  return tryStorage(() => localStorage.getItem(MARK)) ?? '';
}

function readMark(): string {
  return storedMark() || memory;
}

function setMark(mark: string): void {
  memory = mark;
  tryStorage(() => (mark ? localStorage.setItem(MARK, mark) : localStorage.removeItem(MARK)));
}

/** Returns the id of the withdrawal that may not be cleared yet; empty if there is none. */
function pendingWithdrawal(): string {
  const mark = readMark();
  return mark.startsWith('-') ? mark.slice(1) : '';
}

/** Returns the id of a consent that is stored now, and leaves the mark that something may be stored. */
export function newConsent(): string {
  setMark(readMark() || `+${newId()}`);
  return `${pendingWithdrawal()} ${newId()}`;
}

/** Whether data stored under a consent was withdrawn: none of it may be read or sent. */
export function isWithdrawn(consent: unknown): boolean {
  const pending = pendingWithdrawal();
  return pending !== '' && String(consent).split(' ')[0] !== pending;
}

/** Returns a random id. `crypto.randomUUID` exists on secure pages only, and some apps have no `crypto`. */
export function newId(): string {
  return globalThis.crypto?.randomUUID?.() ?? [Date.now(), Math.random(), Math.random()].join('-');
}

/** Opens the channel on which tabs are notified of a withdrawal, where the browser has it and allows it. */
function openChannel(): BroadcastChannel | undefined {
  // Without it, tabs notice a withdrawal by the missing or foreign consent in the database.
  return tryStorage(() => new BroadcastChannel('offerlet'));
}

/** Calls back when consent is withdrawn in another tab, or by another mount of this page, until the channel is closed. */
export function onWithdrawal(callBack: () => void): BroadcastChannel | undefined {
  const channel = openChannel();
  channel?.addEventListener('message', callBack);
  return channel;
}

/**
 * Withdraws consent for this origin: at once, no queue returns what was stored before. Resolves when every queue is empty,
 * notes included; never rejects. `isStored`: this page has stored something, even if no mark says so. Creates no database.
 */
export function withdrawConsent(endpoint?: string, isStored?: boolean): Promise<void> {
  memory = `-${newId()}`;
  if (isStored || storedMark()) setMark(memory);
  const channel = openChannel();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel?.postMessage(0);
  channel?.close();
  return clearQueues(endpoint);
}

/** Clears what an earlier page had no time to clear. */
export async function resumeWithdrawal(): Promise<void> {
  if (pendingWithdrawal()) await clearQueues();
}

async function clearQueues(endpoint?: string): Promise<void> {
  const pending = pendingWithdrawal();
  const names = new Set(endpoint ? [queueName(endpoint)] : []);
  try {
    for (const { name } of await indexedDB.databases()) if (name?.startsWith(QUEUE_PREFIX)) names.add(name);
  } catch {
    // They cannot be listed. The mark stays, and each is cleared when it is opened.
    if (!endpoint) return;
  }
  try {
    const inUse = await Promise.all([...names].map(clearQueue));
    // A newer withdrawal ends by itself.
    if (pending === pendingWithdrawal()) setMark(inUse.some(Boolean) ? `+${pending}` : '');
  } catch {
    // Storage fails: the mark stays.
  }
}

/** Clears a queue, unless it was opened under newer consent. Resolves to whether it was. */
async function clearQueue(name: string): Promise<boolean> {
  const opening = indexedDB.open(name);
  let isMissing = false;
  // There is none: making one is called off.
  opening.onupgradeneeded = () => {
    isMissing = true;
    opening.transaction?.abort();
  };
  const db = await promisifyRequest(opening).catch((error: unknown) => {
    if (!isMissing) throw error;
  });
  if (!db) return false;
  try {
    if (!db.objectStoreNames.contains(STORE)) return false;
    const transaction = db.transaction(STORE, 'readwrite');
    globalThis.addEventListener?.('pagehide', () => cancel(transaction), { once: true });
    const rows = transaction.objectStore(STORE);
    const consent = await promisifyRequest<unknown>(rows.get(CONSENT));
    const isNewer = consent !== undefined && !isWithdrawn(consent);
    if (!isNewer) rows.clear();
    await committed(transaction);
    return isNewer;
  } finally {
    db.close();
  }
}

/** Does what storage may refuse: it may be missing, blocked or full. Then it returns undefined. */
export function tryStorage<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
