// offerlet/relay-redis: accepted events in Redis, for merchants who run more than one relay.

export { createDedupeRedis, openDedupeRedis, type DedupeRedisOptions } from './relay/dedupe/openDedupeRedis.ts';
export type { RedisClient } from './relay/ledger/createLedgerRedis.ts';
