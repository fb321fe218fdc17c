// offerlet/relay-redis: accepted events in Redis, for merchants who run more than one relay.

export { openSeenRedis } from './relay/seen/openSeenRedis.ts';
export { createSeenRedis, type RedisClient, type SeenRedisOptions } from './relay/seen/createSeenRedis.ts';
