import type { KeyValueStorage } from '../queue/openKeyValueDatabase.ts';
import { clearKeyValueQueue, openKeyValueQueue, resumeClearing } from '../queue/openKeyValueQueue.ts';
import { openSessionQueue, type SessionQueue, type SessionQueueOptions } from '../queue/openCore.ts';
import { onWithdrawal, resumeWithdrawal, tryStorage, withdrawConsent } from '../queue/withdrawal.ts';
import { forgetOrders, localOrders, type OrderStore } from './orderMemory.ts';

/** Where a session stores events and orders. */
export interface SessionStorage {
  openQueue(options: SessionQueueOptions): SessionQueue;
  /** Returns where orders are stored. */
  orders(queue: SessionQueue): OrderStore;
  /** Clears what is stored of orders outside the queue. */
  forgetOrders(): void;
  /** Clears everything. From the call on, nothing stored is read or sent. */
  withdraw(endpoint: string): void;
  /** Clears what an earlier session had no time to clear. */
  resume(endpoint: string): void;
  /** Calls back when consent is withdrawn elsewhere, until it is closed. */
  onWithdrawal(callBack: () => void): { close(): void } | undefined;
}

/** IndexedDB and localStorage, which all tabs of an origin share. */
export const browserStorage: SessionStorage = {
  openQueue: openSessionQueue,
  // A worker has no localStorage.
  orders: ({ notes }) => (tryStorage(() => localStorage) ? localOrders : { isShared: false, ...notes }),
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
    openQueue(options) {
      const queue = openKeyValueQueue(used, { ...options, isMemory: !storage, cleared });
      return { ...queue, withdraw: () => (cleared = Promise.all([cleared, queue.withdraw()])) };
    },
    orders: ({ notes }) => ({ isShared: false, ...notes }),
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
