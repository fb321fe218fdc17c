import { DEVICE } from '../queue/rows.ts';
import { newId, tryStorage } from '../queue/withdrawal.ts';
import { uuidFromText } from '../wire/hash.ts';
import { own, parseJson, toJson } from '../wire/json.ts';
import type { Placement } from './checkOptions.ts';

/** The prefix of every key that is written to localStorage. */
const MEMORY_PREFIX = 'offerlet:';
/** Milliseconds that an order is remembered: a day, for the shopper who returns to the order page. */
const KEPT_MS = 24 * 3_600_000;
/** Maximum characters of a stored response: the page's own scripts share the same few megabytes. */
const KEPT_LENGTH = 100_000;
/** Milliseconds until what is stored of older orders is removed. */
const SWEEP_DELAY_MS = 500;

/** Where orders are stored. Reading and writing may take time, as in an app, or none, as in a browser. */
export interface OrderStore {
  /** Returns a value, or undefined. It may be a promise, which never rejects. */
  read(key: string): unknown;
  /** Replaces a value by what `change` returns for it. It returns a promise where that takes time. */
  update(key: string, change: (before: unknown) => unknown): Promise<unknown> | undefined;
  /** Removes each value that is not fresh. */
  sweep(isFresh: (value: unknown) => boolean): unknown;
}

/** localStorage: the request for an order waits for no database. Chromium writes it to disk seconds later. */
export const localOrders: OrderStore = {
  read: (key) => tryStorage(() => parseJson(localStorage.getItem(key) ?? '')),
  update(key, change): undefined {
    tryStorage(() => localStorage.setItem(key, toJson(change(localOrders.read(key)))));
  },
  sweep: (isFresh) =>
    tryStorage(() => {
      for (const key of Object.keys(localStorage))
        if (key.startsWith(MEMORY_PREFIX) && !isFresh(localOrders.read(key))) localStorage.removeItem(key);
    }),
};

/** Removes every order from localStorage. */
export function clearOrders(): void {
  localOrders.sweep(() => false);
}

/** What is remembered of one order on this device, in every tab. */
export interface OrderMemory {
  /** Resolves to the stored response, to be validated again, or to undefined. */
  recall(): Promise<unknown>;
  /** Stores the response. */
  keep(response: unknown): Promise<void>;
  /**
   * Returns true the first time it is called with a name for this order. Two windows that are open at once may both get it:
   * what they report has the same `event_id`, so that it counts once. It is remembered in other pages at once, or when
   * `written` resolves, which is called once this task is over: a page that is killed between the two reports again.
   */
  once(name: string, written?: () => unknown): boolean;
  /** Whether `once` was called with the name, in any tab. */
  has(name: string): Promise<boolean>;
}

/** An order on this device. Without a key, what is remembered lasts as long as the page. */
export interface Order {
  /** The key under which it is remembered. */
  key?: string | undefined;
  /** Shows the relay that a request comes from the same device; another order has another one. */
  nonce?: string;
  /** Where storage takes time: the two are known once it resolves. */
  identified?: Promise<unknown> | undefined;
  readonly store: OrderStore | undefined;
  /** Aborted when consent is withdrawn: then nothing stays stored. */
  readonly signal: AbortSignal;
  now?(): number;
}

/** One stored order. */
interface Kept {
  readonly at: number;
  readonly response?: unknown;
  readonly seen: readonly unknown[];
}

/** Opens the memory of an order. */
export function openOrderMemory(order: Order): OrderMemory {
  const { store, signal, now = Date.now } = order;
  let here: Kept = { at: now(), seen: [] };
  /** What `once` was called with on this page. */
  const marked = new Set<unknown>();

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

  async function read(): Promise<Kept> {
    if (order.key) here = merge(await store?.read(order.key));
    return here;
  }

  async function write(change: Partial<Kept>): Promise<void> {
    here = { ...here, ...change };
    if (signal.aborted) return;
    // What was closed before that is closed for the next page, too. In a browser this takes no time.
    if (order.identified) await order.identified;
    if (order.key) await store?.update(order.key, merge);
  }

  return {
    recall: async () => (await read()).response,
    async keep(response) {
      // The offers wait for this response to be stored, but not for older ones to be removed.
      setTimeout(() => void store?.sweep((kept) => isFresh(kept, now())), SWEEP_DELAY_MS);
      if (toJson(response).length <= KEPT_LENGTH) await write({ response });
    },
    once(name, written) {
      if (marked.has(name) || here.seen.includes(name)) return false;
      marked.add(name);
      const mark = (): Promise<void> => write({ seen: [...here.seen, name] });
      if (written) void Promise.resolve().then(written).then(mark);
      else void mark();
      return true;
    },
    has: async (name) => (await read()).seen.includes(name),
  };
}

/**
 * Identifies a placement's order, and opens its memory. Hashes of a random secret of this device, with relay, placement and
 * order, say nothing about the shopper: with a key that did, anybody could try email addresses. There are none, and nothing is
 * remembered, if the order has no `order_id`.
 */
export function openOrder({ relay, request, isSandbox }: Placement, order: Order): OrderMemory {
  const { placement_details, order_details, custom_metadata } = request;
  const id = order_details?.order_id;
  const at = Date.now();
  if (id)
    // Stored as orders are, the secret leaves with them.
    order.identified = order.store?.update(MEMORY_PREFIX + DEVICE, (before) => {
      const secret = (isFresh(before, at) && before.seen[0]) || newId();
      // At both ends, so that the relay cannot calculate back from one order to another: the hash is not a cryptographic one.
      const hash = (name: string): string =>
        uuidFromText(
          toJson([secret, name, relay, placement_details, id, isSandbox || custom_metadata?.is_sandbox, secret]),
        );
      order.key = MEMORY_PREFIX + hash('order');
      order.nonce = hash('nonce');
      return { at, seen: [secret] };
    });
  return openOrderMemory(order);
}

/** Whether it was stored within a day. */
function isFresh(kept: unknown, now: number): kept is Kept {
  return Math.abs(now - Number(own(kept, 'at'))) < KEPT_MS && Array.isArray(own(kept, 'seen'));
}
