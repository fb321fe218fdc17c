import type { KeyValueStorage } from '../queue/openKeyValueDatabase.ts';
import { clearKeyValueQueue, openKeyValueQueue, resumeClearing } from '../queue/openKeyValueQueue.ts';
import { openCore, openSessionQueue, type SessionQueue, type SessionQueueOptions } from '../queue/openCore.ts';
import { openNotedCore } from '../queue/openNotedCore.ts';
import { resumeWithdrawal, tryStorage, withdrawConsent } from '../queue/withdrawal.ts';
export { onWithdrawal } from '../queue/withdrawal.ts';
import { clearOrders, localOrders, type OrderStore } from './orderMemory.ts';

/** Where a session stores events and orders. */
export interface SessionStorage {
  openQueue(options: SessionQueueOptions): SessionQueue;
  /** Returns where orders are stored; undefined if they are remembered as long as the page. */
  orders(queue: SessionQueue): OrderStore | undefined;
  /** Clears what is stored of orders outside the queue. */
  clearOrders(): void;
  /** Clears everything. From the call on, nothing stored is read or sent. */
  withdraw(endpoint: string): void;
  /** Clears what an earlier session had no time to clear. */
  resume(endpoint: string): void;
}

/** IndexedDB and localStorage, which all tabs of an origin share. */
export const browserStorage: SessionStorage = {
  openQueue: (options) => openSessionQueue(options, openCore),
  orders: () => (hasLocalStorage() ? localOrders : undefined),
  clearOrders,
  withdraw: withdrawEverywhere,
  resume: () => void resumeWithdrawal(),
};

/** IndexedDB alone, as in a worker: orders are stored beside the events. */
export const workerStorage: SessionStorage = {
  ...browserStorage,
  openQueue: (options) => openSessionQueue(options, openNotedCore),
  orders: besideEvents,
};

/** Whether the page may use localStorage. A worker has none. */
export function hasLocalStorage(): boolean {
  return Boolean(tryStorage(() => localStorage));
}

function besideEvents({ notes }: SessionQueue): OrderStore | undefined {
  return notes;
}

/** Withdraws consent for this origin, whatever is mounted: clears all that is stored and notifies other tabs. */
export function withdrawEverywhere(endpoint?: string): void {
  clearOrders();
  void withdrawConsent(endpoint);
}

/** Returns the storage of a session on key-value storage, or in memory without one. */
export function keyValueStorage(storage: KeyValueStorage | undefined): SessionStorage {
  const used = storage ?? inMemory();
  /** Ends when nothing is being cleared. There are no transactions, so what comes next has to wait. */
  let cleared: Promise<unknown> | undefined;
  /** Ends when nothing is being written by a queue that was closed. */
  let closed: Promise<unknown> | undefined;
  return {
    openQueue(options) {
      const queue = openKeyValueQueue(used, { ...options, isMemory: !storage, cleared });
      return {
        ...queue,
        close: () => (closed = Promise.all([closed, queue.close()])),
        withdraw: () => (cleared = Promise.all([cleared, queue.withdraw()])),
      };
    },
    orders: besideEvents,
    clearOrders() {},
    withdraw(endpoint) {
      cleared = Promise.all([cleared, closed]).then(() => clearKeyValueQueue(used, endpoint));
    },
    resume: (endpoint) => void (cleared ??= resumeClearing(used, endpoint)),
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
