import { withDeadline } from '../http/withDeadline.ts';
import { setNewest } from '../http/setNewest.ts';
import { isObject } from '../wire/json.ts';
import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import { RelayError } from './errors.ts';
import { refuseOption, refuseOtherNames } from './optionValue.ts';
import type { Client } from './readClient.ts';
import type { Telemetry } from './telemetry.ts';

/** A token bucket: how many at once, and how many more each second. */
export interface Bucket {
  burst: number;
  perSecond: number;
}

export interface RateLimits {
  /** Requests of one IPv4 address, or of one IPv6 /64 network. */
  perAddress: Bucket;
  /** Requests of one IPv6 /48 network, and of all clients whose address is not known. */
  perNetwork: Bucket;
  /** Events of one session. */
  perSession: Bucket;
}

/** Decides whether a request may pass now. Several relays that share limits need a custom one. */
export interface RateLimiter {
  /** Milliseconds to wait before `key` may spend `cost`; 0 when it was spent. */
  take(key: string, kind: 'address' | 'network' | 'session', cost: number): number | Promise<number>;
  /** Takes `cost` even where less is left, so that the next request waits for longer. */
  charge?(key: string, kind: 'address', cost: number): void | Promise<void>;
}

/** An office behind one address, and a session of a shopper who browses for hours, stay far below these. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  perAddress: { burst: 600, perSecond: 100 },
  perNetwork: { burst: 6_000, perSecond: 1_000 },
  perSession: { burst: 2_000, perSecond: 50 },
};

/** Keys with a bucket; beyond that the ones unused for longest are forgotten. */
const KEYS_MAX = 50_000;
/** Minimum wait of a refused caller. */
const WAIT_MIN_MS = 1_000;

/** Token buckets in this process's memory. */
export function createRateLimiter(limits: RateLimits): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const kinds = { address: limits.perAddress, network: limits.perNetwork, session: limits.perSession };

  /** Takes what a bucket has, if it is enough or the rest may be owed. Returns what it had. */
  function spend(key: string, kind: keyof typeof kinds, { cost, isOwed }: { cost: number; isOwed: boolean }): number {
    const { burst, perSecond } = kinds[kind];
    const name = `${kind}:${key}`;
    const held = buckets.get(name);
    // Not the time of day, which somebody may set back.
    const time = performance.now();
    const refilled = held ? Math.min(burst, held.tokens + ((time - held.at) / 1_000) * perSecond) : burst;
    const tokens = isOwed || refilled >= cost ? refilled - cost : refilled;
    setNewest(buckets, [name, { tokens, at: time }], { max: KEYS_MAX });
    return refilled;
  }

  return {
    take(key, kind, cost) {
      const missing = cost - spend(key, kind, { cost, isOwed: false });
      return missing <= 0 ? 0 : Math.max(WAIT_MIN_MS, Math.ceil((missing / kinds[kind].perSecond) * 1_000));
    },
    charge: (key, kind, cost) => void spend(key, kind, { cost, isOwed: true }),
  };
}

/** Busy addresses that one network may have by default: a company, or the customers of a small provider. */
const ADDRESSES_PER_NETWORK = 10;

/** The limiter of the `rateLimit` option; `undefined` for none. `factor` widens the defaults. */
export function readRateLimit(rateLimit: unknown, factor: number): RateLimiter | undefined {
  if (rateLimit === false) return undefined;
  if (rateLimit !== undefined && !isObject(rateLimit))
    refuseOption('rateLimit', 'must be false, { perAddress, perNetwork, perSession } or an object with take().');
  if (isObject(rateLimit) && typeof rateLimit['take'] === 'function') return rateLimit as unknown as RateLimiter;
  const given: Partial<RateLimits> = rateLimit ?? {};
  refuseOtherNames('rateLimit', given, Object.keys(DEFAULT_RATE_LIMITS));
  const perAddress =
    readBucket('rateLimit.perAddress', given.perAddress) ?? widen(DEFAULT_RATE_LIMITS.perAddress, factor);
  const limits: RateLimits = {
    perAddress,
    perNetwork: readBucket('rateLimit.perNetwork', given.perNetwork) ?? widen(perAddress, ADDRESSES_PER_NETWORK),
    perSession: readBucket('rateLimit.perSession', given.perSession) ?? widen(DEFAULT_RATE_LIMITS.perSession, factor),
  };
  for (const name of ['perAddress', 'perNetwork'] as const)
    if (limits[name].burst < 1)
      refuseOption(
        `rateLimit.${name}.burst`,
        `is ${limits[name].burst}, so no request could ever pass. Use 1 or more.`,
      );
  if (limits.perSession.burst < BATCH_MAX_EVENTS)
    refuseOption(
      'rateLimit.perSession.burst',
      `is ${limits.perSession.burst}, so a batch of ${BATCH_MAX_EVENTS} events of one session could never pass. Use ${BATCH_MAX_EVENTS} or more.`,
    );
  return createRateLimiter(limits);
}

function readBucket(option: string, given: Bucket | undefined): Bucket | undefined {
  if (given === undefined) return undefined;
  const isBucket =
    isObject(given) &&
    [given.burst, given.perSecond].every((value) => typeof value === 'number' && value > 0 && Number.isFinite(value));
  return isBucket
    ? given
    : refuseOption(option, 'must have two numbers above 0, such as { burst: 60, perSecond: 10 }.');
}

function widen({ burst, perSecond }: Bucket, factor: number): Bucket {
  return { burst: burst * factor, perSecond: perSecond * factor };
}

/** What counts the calls of a relay. Each rejects with a 429 when too much was spent, and with a 503 when the limiter fails. */
export interface RateCounter {
  /** Whether there is a limiter. */
  readonly isOn: boolean;
  /** Counts one request of a client; of one whose address is not known, together with all others. */
  spendRequest(client: Client | undefined): Promise<void>;
  /** Counts events of sessions. */
  spendEvents(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Counts a request that was not authorized as several more. Never rejects. */
  spendUnauthorized(client: Client | undefined): Promise<void>;
}

/** What a request that is not authorized costs beyond an ordinary one. */
const UNAUTHORIZED_COST = 9;
/** Milliseconds after which a page may come back when the rate limiter failed. */
const LIMITER_RETRY_MS = 5_000;
/** The key by which clients without a known address are counted together. */
const UNKNOWN = 'unknown';

/** Returns the `RateCounter` of a relay. A limiter that takes longer than `timeoutMs` fails. */
export function createRateCounter(
  limiter: RateLimiter | undefined,
  { timeoutMs, measure }: Pick<Telemetry, 'measure'> & { timeoutMs: number },
): RateCounter {
  async function spend(key: string, kind: Parameters<RateLimiter['take']>[1], cost: number): Promise<void> {
    if (!limiter) return;
    const waitMs = await take(limiter.take.bind(limiter, key, kind, cost));
    if (waitMs <= 0) return;
    measure({ name: 'rate_limited', value: 1 });
    throw new RelayError('Too many requests. Slow down.', { status: 429, code: 'rate_limited', retryAfterMs: waitMs });
  }

  /** The limiter's reply. One that hangs fails like one that throws. */
  async function take(ask: () => number | Promise<number>): Promise<number> {
    try {
      const waitMs: unknown = await withDeadline(ask(), { ms: timeoutMs });
      if (typeof waitMs === 'number' && Number.isFinite(waitMs)) return waitMs;
      throw new TypeError(`take() returned ${String(waitMs)} instead of a number of milliseconds`);
    } catch (error) {
      measure({ name: 'limiter_failed', value: 1 });
      throw new RelayError('The relay cannot check its rate limit. Try again later.', {
        status: 503,
        code: 'limiter_unavailable',
        retryAfterMs: LIMITER_RETRY_MS,
        cause: error,
      });
    }
  }

  return {
    isOn: limiter !== undefined,
    async spendRequest(client) {
      if (!client) return spend(UNKNOWN, 'network', 1);
      await spend(client.host, 'address', 1);
      if (client.network !== client.host) await spend(client.network, 'network', 1);
    },
    async spendEvents(counts) {
      for (const [session, count] of counts) await spend(session, 'session', count);
    },
    async spendUnauthorized(client) {
      // Together, the unknown ones would lock out those who are authorized.
      if (!client || !limiter) return;
      const { host } = client;
      await take(async () => {
        if (limiter.charge) await limiter.charge(host, 'address', UNAUTHORIZED_COST);
        else await limiter.take(host, 'address', UNAUTHORIZED_COST);
        return 0;
      }).catch(() => undefined);
    },
  };
}
