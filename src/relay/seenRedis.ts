import { SEEN_MAX_AGE_MS } from '../wire/limits.ts';
import type { Claim, SeenStore } from './seen.ts';

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
/** Gives a claim back, unless it has run out and is another relay's by now. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/** Accepted ids in Redis, shared by every relay of a merchant: what one of them is forwarding, no other forwards. */
export function createSeenRedis(client: RedisClient, options: SeenRedisOptions = {}): SeenStore {
  const { prefix = 'offerlet:seen:', maxAgeMs = SEEN_MAX_AGE_MS, claimMs = DEFAULT_CLAIM_MS } = options;
  const me = `claimed:${crypto.randomUUID()}`;

  async function claimOne(id: string): Promise<Claim> {
    const key = prefix + id;
    const taken = await client.sendCommand(['SET', key, me, 'NX', 'PX', String(claimMs)]);
    if (taken !== null) return 'new';
    return String(await client.sendCommand(['GET', key])) === ACCEPTED ? 'known' : 'busy';
  }

  async function each(ids: readonly string[], command: (id: string) => string[]): Promise<void> {
    await Promise.all(ids.map((id) => client.sendCommand(command(id))));
  }

  return {
    // The client sends these in one go and reads the answers as they come.
    claim: (ids) => Promise.all(ids.map(claimOne)),
    accept: (ids) => each(ids, (id) => ['SET', prefix + id, ACCEPTED, 'PX', String(maxAgeMs)]),
    release: (ids) => each(ids, (id) => ['EVAL', RELEASE, '1', prefix + id, me]),
  };
}
