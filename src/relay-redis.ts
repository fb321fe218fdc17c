// offerlet/relay-redis: accepted events in Redis, for merchants who run more than one relay.

export {
  createDedupeRedis,
  openDedupeRedis,
  type DedupeRedisOptions,
  type RedisClient,
} from './relay/dedupe/openDedupeRedis.ts';
