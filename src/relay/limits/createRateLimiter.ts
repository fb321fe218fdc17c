/** A token bucket: how many at once, and how many more each second. */
export interface Bucket {
  burst: number;
  perSecond: number;
}

export interface RateLimits {
  /** Requests of one address. */
  perAddress: Bucket;
  /** Events of one session. */
  perSession: Bucket;
}

/** Decides whether a request may pass now. Several relays that share limits need one of their own. */
export interface RateLimiter {
  /** Milliseconds to wait before `key` may spend `cost`; 0 when it was spent. */
  take(key: string, kind: 'address' | 'session', cost: number): number | Promise<number>;
}

/** An office behind one address, and a session of a shopper who browses for hours, stay far below these. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  perAddress: { burst: 600, perSecond: 100 },
  perSession: { burst: 2_000, perSecond: 50 },
};

/** Keys with a bucket; beyond that the ones unused for longest are forgotten. */
const KEYS_MAX = 50_000;
/** Minimum wait of a refused caller. */
const WAIT_MIN_MS = 1_000;

/** Token buckets in this process's memory. */
export function createRateLimiter(limits: RateLimits, now: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(key, kind, cost) {
      const { burst, perSecond } = kind === 'address' ? limits.perAddress : limits.perSession;
      const name = `${kind}:${key}`;
      const held = buckets.get(name);
      const time = now();
      const refilled = held ? Math.min(burst, held.tokens + (Math.max(0, time - held.at) / 1_000) * perSecond) : burst;
      const isEnough = refilled >= cost;
      // Deleting first moves the key to the end, so the front is what was unused for longest.
      buckets.delete(name);
      buckets.set(name, { tokens: isEnough ? refilled - cost : refilled, at: time });
      if (buckets.size > KEYS_MAX) for (const oldest of buckets.keys()) if (buckets.delete(oldest)) break;
      return isEnough ? 0 : Math.max(WAIT_MIN_MS, Math.ceil(((cost - refilled) / perSecond) * 1_000));
    },
  };
}
