// offerlet/relay-redis: accepted event ids in Redis, for merchants who run more than one relay.

export { openSeenRedis } from './relay/openSeenRedis.ts';
export { createSeenRedis, type RedisClient, type SeenRedisOptions } from './relay/seenRedis.ts';
