import { SEEN_MAX_AGE_MS } from '../../wire/limits.ts';
import { checkWhole } from './checkWhole.ts';
import type { SeenClaim, SeenStore } from './seenStore.ts';

/** The part of a Redis client that is used; the client of the `redis` package has it. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

export interface SeenRedisOptions {
  /** Prefix of every Redis key. Relays with different network keys need different ones. */
  prefix?: string;
  maxAgeMs?: number;
  /** Milliseconds after which the claim of a relay that died expires; must be longer than a call to the network. */
  claimMs?: number;
}

const ACCEPTED = 'accepted';
const DEFAULT_CLAIM_MS = 20_000;
/** Renews a claim of this relay's own. */
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
/** Releases a claim, unless it has expired and is another relay's by now. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Accepted events in Redis, shared by every relay of a merchant: what one of them is forwarding, no other forwards. */
export function createSeenRedis(client: RedisClient, options: SeenRedisOptions = {}): SeenStore {
  const { prefix = 'offerlet:seen:', maxAgeMs = SEEN_MAX_AGE_MS, claimMs = DEFAULT_CLAIM_MS } = options;
  checkWhole('maxAgeMs', maxAgeMs);
  checkWhole('claimMs', claimMs);
  const me = `claimed:${crypto.randomUUID()}`;

  /** Keys that were claimed and not settled yet. */
  const held = new Set<string>();

  async function claimOne(key: string): Promise<SeenClaim> {
    const taken = await client.sendCommand(['SET', prefix + key, me, 'NX', 'PX', String(claimMs)]);
    if (taken !== null) return hold(key);
    const holder = String(await client.sendCommand(['GET', prefix + key]));
    if (holder !== me || held.has(key)) return holder === ACCEPTED ? 'known' : 'busy';
    // A claim of this store whose reply was lost.
    const renewed = await client.sendCommand(['EVAL', RENEW, '1', prefix + key, me, String(claimMs)]);
    return renewed === 1 && !held.has(key) ? hold(key) : 'busy';
  }

  function hold(key: string): 'new' {
    held.add(key);
    return 'new';
  }

  async function release(keys: readonly string[]): Promise<void> {
    for (const key of keys) held.delete(key);
    await each(keys, (key) => ['EVAL', RELEASE, '1', prefix + key, me]);
  }

  async function each(keys: readonly string[], command: (key: string) => string[]): Promise<void> {
    await Promise.all(keys.map((key) => client.sendCommand(command(key))));
  }

  return {
    async claim(keys) {
      // The client sends these in one go and reads the replies as they come.
      const claims = await Promise.allSettled(keys.map(claimOne));
      const failure = claims.find((claim) => claim.status === 'rejected');
      if (!failure) return claims.flatMap((claim) => (claim.status === 'fulfilled' ? claim.value : []));
      void release(keys.filter((_, at) => isNew(claims[at]))).catch(() => undefined);
      throw failure.reason;
    },
    async accept(keys) {
      for (const key of keys) held.delete(key);
      await each(keys, (key) => ['SET', prefix + key, ACCEPTED, 'PX', String(maxAgeMs)]);
    },
    release,
    claimMs,
  };
}

function isNew(claim: PromiseSettledResult<SeenClaim> | undefined): boolean {
  return claim?.status === 'fulfilled' && claim.value === 'new';
}
