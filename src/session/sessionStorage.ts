import type { KeyValueStorage } from '../queue/openKeyValueDatabase.ts';
import { clearKeyValueQueue, openKeyValueQueue, resumeClearing } from '../queue/openKeyValueQueue.ts';
import { openSessionQueue, type SessionQueue, type SessionQueueOptions } from '../queue/openCore.ts';
import type { Notes } from '../queue/openNotes.ts';
import { onWithdrawal, resumeWithdrawal, tryStorage, withdrawConsent } from '../queue/withdrawal.ts';
import { own, parseJson, toJson } from '../wire/json.ts';
import { normalizeEmail, shortHash } from '../wire/hash.ts';
import type { Placement } from './checkOptions.ts';

/** Where a session stores events and orders. */
export interface SessionStorage {
  /** Whether a withdrawal elsewhere is notified. Otherwise it is noticed when something is written. */
  readonly isNotified: boolean;
  openQueue(options: SessionQueueOptions): SessionQueue;
  /** Returns what can be read synchronously, and other tabs can read as well. */
  syncStorage(): SyncStorage;
  /** Clears what was stored of orders in the synchronous storage. */
  forgetOrders(): void;
  /** Clears everything. From the call on, nothing stored is read or sent. */
  withdraw(endpoint: string): void;
  /** Clears what an earlier session had no time to clear. */
  resume(endpoint: string): void;
  /** Calls back when consent is withdrawn elsewhere, until it is closed. */
  onWithdrawal(callBack: () => void): { close(): void } | undefined;
}

/** Storage that other tabs can read synchronously, as localStorage is. */
export interface SyncStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** IndexedDB and localStorage, which all tabs of an origin share. */
export const browserStorage: SessionStorage = {
  isNotified: true,
  openQueue: openSessionQueue,
  syncStorage: () => localStorage,
  forgetOrders,
  withdraw: withdrawEverywhere,
  resume: () => void resumeWithdrawal(),
  onWithdrawal,
};

/** Withdraws consent for this origin, whatever is mounted: clears all that is stored and notifies other tabs. */
export function withdrawEverywhere(endpoint?: string): void {
  forgetOrders();
  void withdrawConsent(endpoint);
}

/** Returns the storage of a session on key-value storage, or in memory without one. */
export function keyValueStorage(storage: KeyValueStorage | undefined): SessionStorage {
  const used = storage ?? inMemory();
  /** Ends when nothing is being cleared. There are no transactions, so what comes next has to wait. */
  let cleared: Promise<unknown> | undefined;
  return {
    isNotified: false,
    openQueue(options) {
      const queue = openKeyValueQueue(used, { ...options, isMemory: !storage, cleared });
      return { ...queue, withdraw: () => (cleared = Promise.all([cleared, queue.withdraw()])) };
    },
    // One storage is enough: it survives a crash.
    syncStorage: () => ({ getItem: () => null, setItem() {}, removeItem() {} }),
    forgetOrders() {},
    withdraw: (endpoint) => void (cleared = Promise.all([cleared, clearKeyValueQueue(used, endpoint)])),
    resume: (endpoint) => void (cleared ??= resumeClearing(used, endpoint)),
    onWithdrawal: () => undefined,
  };
}

function inMemory(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key),
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** The prefix of every key that is written to localStorage. */
const MEMORY_PREFIX = 'offerlet:';
/** Milliseconds that an order is remembered: a day, for the shopper who returns to the order page. */
const KEPT_MS = 24 * 3_600_000;
/** Maximum characters of a stored response: the page's own scripts share the same few megabytes. */
const KEPT_LENGTH = 100_000;

/** Milliseconds until what is stored of older orders is removed. */
const SWEEP_DELAY_MS = 500;

/** What is remembered of one order on this device, in every tab. */
export interface OrderMemory {
  /** Whether nothing is known of the order so far. */
  isNew(): boolean;
  /** Resolves to the stored response, to be validated again, or to undefined. */
  recall(): Promise<unknown>;
  /** Resolves once the response is stored where it survives a crash. */
  keep(response: unknown): Promise<void>;
  /**
   * Returns true the first time it is called with a name for this order. Two windows that are open at once may both get it:
   * what they report has the same `event_id`, so that it counts once.
   */
  once(name: string): boolean;
  /** Whether `once` was called with the name, in any tab. */
  has(name: string): Promise<boolean>;
  /** The same, as far as it can be read synchronously. */
  hasNow(name: string): boolean;
}

/** Small values that survive a crash. */
export type DurableNotes = Omit<Notes, 'forget'>;

/** The options of `openOrderMemory`. Without a key, the memory lasts as long as the page. */
interface OrderMemoryOptions {
  readonly key: string | undefined;
  /** Returns the current notes, if any. */
  notes(): DurableNotes | undefined;
  syncStorage?(): SyncStorage;
  /** Aborted when consent is withdrawn: then nothing stays stored. */
  readonly signal?: AbortSignal;
  now?(): number;
}

/** One stored order. */
interface Kept {
  readonly at: number;
  readonly response?: unknown;
  readonly seen: readonly unknown[];
}

/**
 * Opens the memory of an order. It is stored twice: in the notes, which survive a crash, and in localStorage, which other
 * tabs can read synchronously. Chromium writes localStorage to disk seconds later.
 */
export function openOrderMemory({
  key,
  notes,
  syncStorage = () => localStorage,
  signal,
  now = Date.now,
}: OrderMemoryOptions): OrderMemory {
  let here: Kept = { at: now(), seen: [] };
  readSync();

  /** Adds what another tab has stored. */
  function merge(other: unknown): Kept {
    if (!isFresh(other, now())) return here;
    const { at, response, seen } = other;
    return {
      at: Math.min(here.at, at),
      response: here.response ?? response,
      seen: [...new Set([...here.seen, ...seen])],
    };
  }

  function readSync(): void {
    if (key) here = merge(tryStorage(() => parseJson(syncStorage().getItem(key) ?? '')));
  }

  async function read(): Promise<Kept> {
    readSync();
    if (key) here = merge(await notes()?.read(key));
    return here;
  }

  async function write(): Promise<void> {
    if (!key || signal?.aborted) return;
    tryStorage(() => syncStorage().setItem(key, toJson(here)));
    await notes()?.update(key, merge);
    // The notes notice a withdrawal by another tab. A mount that is gone has forgotten nothing.
    if (signal?.aborted && signal.reason !== 'destroy') tryStorage(() => syncStorage().removeItem(key));
  }

  return {
    isNew: () => !here.response && !here.seen[0],
    recall: async () => (await read()).response,
    async keep(response) {
      // The offers wait for this response to be stored, but not for older ones to be removed.
      setTimeout(() => {
        tryStorage(() => sweep(syncStorage(), now()));
        void notes()?.sweep((kept) => isFresh(kept, now()));
      }, SWEEP_DELAY_MS);
      if (toJson(response).length > KEPT_LENGTH) return;
      here = { ...here, response };
      await write();
    },
    once(name) {
      if (here.seen.includes(name)) return false;
      here = { ...here, seen: [...here.seen, name] };
      void write();
      return true;
    },
    has: async (name) => (await read()).seen.includes(name),
    hasNow(name) {
      readSync();
      return here.seen.includes(name);
    },
  };
}

/**
 * Returns the key under which an order is remembered: a hash of relay, placement, shopper and order. It is undefined, and
 * nothing is remembered, if the order has no `order_id`.
 */
export function orderKeyOf({ relay, request, isSandbox }: Placement): string | undefined {
  const { placement_details, user_details, order_details, custom_metadata } = request;
  const order = order_details?.order_id;
  if (!order) return undefined;
  const email = user_details?.email;
  const shopper = email === undefined ? user_details : { ...user_details, email: normalizeEmail(email) };
  return MEMORY_PREFIX + shortHash(toJson([relay, placement_details, shopper, order, custom_metadata, isSandbox]));
}

/** Removes every order from localStorage. */
export function forgetOrders(): void {
  tryStorage(() => sweep(localStorage, Infinity));
}

/** Removes what is not fresh at `now`. */
function sweep(storage: SyncStorage, now: number): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(MEMORY_PREFIX) && !isFresh(parseJson(storage.getItem(key) ?? ''), now)) storage.removeItem(key);
  }
}

/** Whether it was stored within a day. */
function isFresh(kept: unknown, now: number): kept is Kept {
  return Math.abs(now - Number(own(kept, 'at'))) < KEPT_MS && Array.isArray(own(kept, 'seen'));
}
