import { SEEN_MAX_AGE_MS } from '../../wire/limits.ts';
import type { SeenClaim, SeenStore } from './seenStore.ts';

/** What is used of a Redis client: the `redis` package's has it. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

export interface SeenRedisOptions {
  /** Put before every key; relays with different keys of the network need different ones. */
  prefix?: string;
  maxAgeMs?: number;
  /** Milliseconds after which the claim of a relay that died may be taken over; longer than a call to the network. */
  claimMs?: number;
}

const ACCEPTED = 'accepted';
const DEFAULT_CLAIM_MS = 20_000;
/** Renews a claim of this relay's own. */
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
/** Gives a claim back, unless it has run out and is another relay's by now. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Accepted events in Redis, shared by every relay of a merchant: what one of them is forwarding, no other forwards. */
export function createSeenRedis(client: RedisClient, options: SeenRedisOptions = {}): SeenStore {
  const { prefix = 'offerlet:seen:', maxAgeMs = SEEN_MAX_AGE_MS, claimMs = DEFAULT_CLAIM_MS } = options;
  const me = `claimed:${crypto.randomUUID()}`;

  async function claimOne(key: string): Promise<SeenClaim> {
    const taken = await client.sendCommand(['SET', prefix + key, me, 'NX', 'PX', String(claimMs)]);
    if (taken !== null) return 'new';
    const holder = String(await client.sendCommand(['GET', prefix + key]));
    if (holder !== me) return holder === ACCEPTED ? 'known' : 'busy';
    // A claim whose reply was lost or late. This relay asks for a key only when nothing of its own holds it.
    const renewed = await client.sendCommand(['EVAL', RENEW, '1', prefix + key, me, String(claimMs)]);
    return renewed === 1 ? 'new' : 'busy';
  }

  async function each(keys: readonly string[], command: (key: string) => string[]): Promise<void> {
    await Promise.all(keys.map((key) => client.sendCommand(command(key))));
  }

  return {
    // The client sends these in one go and reads the replies as they come.
    claim: (keys) => Promise.all(keys.map(claimOne)),
    accept: (keys) => each(keys, (key) => ['SET', prefix + key, ACCEPTED, 'PX', String(maxAgeMs)]),
    release: (keys) => each(keys, (key) => ['EVAL', RELEASE, '1', prefix + key, me]),
  };
}
