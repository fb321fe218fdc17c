import { isObject, own, parseJson, type JsonObject } from '../wire/json.ts';
import type { Answer } from '../wire/recommendations.ts';
import { toJson } from '../wire/to-json.ts';

/** Every key that the page keeps begins with this. */
export const MEMORY_PREFIX = 'offerlet:';
/** Milliseconds an order's answer is kept: a day, for the shopper who comes back to the order page. */
const KEPT_MS = 24 * 3_600_000;

/** What is known of one order on this device, in every tab of it. */
export interface Memory {
  /** The answer in the wire's form, to be read anew, or `undefined`. */
  recall(): unknown;
  keep(answer: Answer): void;
  /** True the first time a name comes, for this order, in any tab. */
  once(name: string): boolean;
  /** Tells whether a name has come. */
  has(name: string): boolean;
}

/** The memory of an order; without a key (no order, no https) it lasts as long as the page. */
export function openMemory(
  key: string | undefined,
  storage: () => Storage = () => localStorage,
  now: () => number = Date.now,
): Memory {
  const here = new Set<string>();

  function read(): JsonObject {
    const kept = key && attempt(() => parseJson(storage().getItem(key) ?? ''));
    return isObject(kept) && Math.abs(now() - Number(own(kept, 'at'))) < KEPT_MS ? kept : {};
  }

  function write(changes: JsonObject): void {
    if (key) attempt(() => storage().setItem(key, toJson({ at: now(), ...read(), ...changes })));
  }

  function seen(): unknown[] {
    const kept = own(read(), 'seen');
    return Array.isArray(kept) ? kept : [];
  }

  function has(name: string): boolean {
    return here.has(name) || seen().includes(name);
  }

  return {
    recall: () => own(read(), 'answer'),
    keep(answer) {
      attempt(() => forgetOld(storage(), now()));
      write({ answer: wireForm(answer) });
    },
    once(name) {
      if (has(name)) return false;
      here.add(name);
      write({ seen: [...seen(), name] });
      return true;
    },
    has,
  };
}

/** Empties the memory of every order; tells whether there was any. */
export function forgetAll(storage: () => Storage = () => localStorage): boolean {
  return attempt(() => forgetOld(storage(), Infinity)) ?? false;
}

function forgetOld(storage: Storage, now: number): boolean {
  const old = Object.keys(storage).filter(
    (key) =>
      key.startsWith(MEMORY_PREFIX) &&
      !(Math.abs(now - Number(own(parseJson(storage.getItem(key) ?? ''), 'at'))) < KEPT_MS),
  );
  for (const key of old) storage.removeItem(key);
  return old.length > 0;
}

/** Only what was read and checked is kept, and it is checked again when it comes back: other scripts write here too. */
function wireForm({ session_id, groups, footer, sandbox }: Answer): JsonObject {
  const offers = groups.flatMap((group) => group.offers);
  return {
    session_id,
    footer,
    sandbox,
    recommendations: Object.fromEntries(
      offers.map(({ offer_id, advertiser, offer }) => [offer_id, { advertiser, offer }]),
    ),
    recommendation_groups: groups.map(({ offers: items, ...group }) => ({
      ...group,
      items: items.map(({ insertion_id, offer_id, advertiser_id }, insertion_order) => ({
        insertion_order,
        insertion_id,
        offer_id,
        advertiser_id,
      })),
    })),
  };
}

/** Storage may be missing, blocked or full: then the memory is this page. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
