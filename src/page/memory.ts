import { own, parseJson, type JsonObject } from '../wire/json.ts';
import { toJson } from '../wire/toJson.ts';

/** Every key that the page keeps begins with this. */
export const MEMORY_PREFIX = 'offerlet:';
/** Milliseconds an order's answer is kept: a day, for the shopper who comes back to the order page. */
const KEPT_MS = 24 * 3_600_000;
/** Characters of an answer that is kept: the page's own scripts share the same few megabytes. */
const KEPT_LENGTH = 100_000;

/** What is known of one order on this device, in every tab of it. */
export interface Memory {
  /** The relay's answer as it came, to be read and checked anew, or `undefined`. */
  recall(): unknown;
  keep(json: unknown): void;
  /** True the first time a name comes, for this order, in any tab. */
  once(name: string): boolean;
  /** Tells whether a name has come. */
  has(name: string): boolean;
}

/** The memory of an order; without a key, or where storage is blocked, it lasts as long as the page. */
export function openMemory(
  key = '',
  storage: () => Storage = () => localStorage,
  now: () => number = Date.now,
): Memory {
  let here: JsonObject = {};

  function read(): JsonObject {
    const kept = key && attempt(() => parseJson(storage().getItem(key) ?? ''));
    return isFresh(kept, now()) ? (kept as JsonObject) : here;
  }

  function write(changes: JsonObject): void {
    here = { at: now(), ...read(), ...changes };
    if (key) attempt(() => storage().setItem(key, toJson(here)));
  }

  function names(): unknown[] {
    const kept = own(read(), 'seen');
    return Array.isArray(kept) ? kept : [];
  }

  return {
    recall: () => own(read(), 'answer'),
    keep(answer) {
      attempt(() => sweep(storage(), now()));
      if (toJson(answer).length <= KEPT_LENGTH) write({ answer });
    },
    once(name) {
      const seen = names();
      if (seen.includes(name)) return false;
      write({ seen: [...seen, name] });
      return true;
    },
    has: (name) => names().includes(name),
  };
}

/** Empties the memory of every order. */
export function forgetAll(storage: () => Storage = () => localStorage): void {
  attempt(() => sweep(storage(), Infinity));
}

/** Removes what is not fresh at `now`. */
function sweep(storage: Storage, now: number): void {
  for (const key of Object.keys(storage)) {
    if (key.startsWith(MEMORY_PREFIX) && !isFresh(parseJson(storage.getItem(key) ?? ''), now)) storage.removeItem(key);
  }
}

function isFresh(kept: unknown, now: number): boolean {
  return Math.abs(now - Number(own(kept, 'at'))) < KEPT_MS;
}

/** Storage may be missing, blocked or full: then the memory is this page. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
