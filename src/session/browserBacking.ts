import { openPageQueue, type PageQueue, type PageQueueOptions } from '../queue/openPageQueue.ts';
import { onForeignWithdrawal, rememberEndpoint, whenCleared, withdrawConsent } from '../queue/withdrawConsent.ts';
import { hashEmail } from '../wire/offers/hashEmail.ts';
import { forgetOrders, type SharedStorage } from './orderMemory.ts';

/** Where a session stores events and orders. */
export interface Backing {
  openQueue(options: PageQueueOptions): PageQueue;
  /** Hashes what identifies an order. Rejects if that is not possible here. */
  hash(text: string): Promise<string>;
  /** What other tabs can read synchronously. */
  mirror(): SharedStorage;
  /** Clears what was stored of orders in the mirror. */
  forgetOrders(): void;
  /** Clears everything. */
  withdraw(endpoint: string): Promise<unknown>;
  /** Has every later withdrawal clear what is stored for the endpoint. */
  remember(endpoint: string): void;
  /** Resolves once the withdrawals so far have ended, which may be never: storage may hang. */
  whenCleared(): Promise<unknown> | undefined;
  /** Calls back when consent is withdrawn elsewhere, until it is closed. */
  onForeignWithdrawal(callBack: () => void): { close(): void } | undefined;
}

/** IndexedDB and localStorage, which all tabs of an origin share. */
export const browserBacking: Backing = {
  openQueue: openPageQueue,
  // The same SHA-256. It also lower-cases, which does no harm here.
  hash: hashEmail,
  mirror: () => localStorage,
  forgetOrders,
  withdraw: withdrawConsent,
  remember: rememberEndpoint,
  whenCleared,
  onForeignWithdrawal,
};
