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
  /** Replaces a value by what `change` returns for it. */
  update(key: string, change: (before: unknown) => unknown): unknown;
  /** Removes each value that is not fresh. */
  sweep(isFresh: (value: unknown) => boolean): unknown;
}

/** localStorage: the request for an order waits for no database. Chromium writes it to disk seconds later. */
export const localOrders: OrderStore = {
  read: (key) => tryStorage(() => parseJson(localStorage.getItem(key) ?? '')),
  update: (key, change) => tryStorage(() => localStorage.setItem(key, toJson(change(localOrders.read(key))))),
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

/** The options of `openOrderMemory`. Without a key, the memory lasts as long as the page. */
interface OrderMemoryOptions {
  readonly key: string | undefined;
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
export function openOrderMemory({ key, store, signal, now = Date.now }: OrderMemoryOptions): OrderMemory {
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
    if (key) here = merge(await store?.read(key));
    return here;
  }

  async function write(change: Partial<Kept>): Promise<void> {
    here = { ...here, ...change };
    if (key && !signal.aborted) await store?.update(key, merge);
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

/** Opens the memory of a placement's order, by what this device recognizes it by. */
export async function openOrder({
  placement,
  orders,
  signal,
}: {
  readonly placement: Placement;
  readonly orders: OrderStore | undefined;
  readonly signal: AbortSignal;
}): Promise<OrderMemory & Partial<OrderIdentity>> {
  const identity = orders && (await identifyOrder(orders, placement));
  return { ...identity, ...openOrderMemory({ key: identity?.key, store: orders, signal }) };
}

/** By what this device, and nobody else, recognizes an order. */
interface OrderIdentity {
  /** The key under which it is remembered. */
  readonly key: string;
  /** Shows the relay that a request comes from the same device; another order has another one. */
  readonly nonce: string;
}

/**
 * Returns the identity of an order: hashes of a random secret of this device, with relay, placement and order. They say nothing
 * about the shopper: with a key that did, anybody could try email addresses. It is undefined, and nothing is remembered, if
 * the order has no `order_id`.
 */
async function identifyOrder(
  store: OrderStore,
  { relay, request, isSandbox }: Placement,
): Promise<OrderIdentity | undefined> {
  const { placement_details, order_details, custom_metadata } = request;
  const order = order_details?.order_id;
  if (!order) return undefined;
  const at = Date.now();
  const fresh = newId();
  let secret: unknown = fresh;
  // Stored as orders are, the secret leaves with them.
  await store.update(MEMORY_PREFIX + DEVICE, (before) => {
    secret = (isFresh(before, at) && before.seen[0]) || fresh;
    return { at, seen: [secret] };
  });
  // At both ends, so that the relay cannot calculate back from one order to another: the hash is not a cryptographic one.
  const hash = (name: string): string =>
    uuidFromText(
      toJson([secret, name, relay, placement_details, order, isSandbox || custom_metadata?.is_sandbox, secret]),
    );
  return { key: MEMORY_PREFIX + hash('order'), nonce: hash('nonce') };
}

/** Whether it was stored within a day. */
function isFresh(kept: unknown, now: number): kept is Kept {
  return Math.abs(now - Number(own(kept, 'at'))) < KEPT_MS && Array.isArray(own(kept, 'seen'));
}
