// offerlet/relay: the merchant's own backend for the widget, and the only holder of the secret key.

export { checkNetwork, type NetworkCheck } from './relay/options/networkAccess.ts';
export { type NodeRequest, type RequestInfo, toNode, type NodeHandler, type NodeResponse } from './relay/runtime.ts';
export type { Prefetch, Prefetched, PrefetchRequest } from './relay/prefetch.ts';
export type { PrefetchedOffers } from './wire/offers/prefetched.ts';
export { createRelay, type Relay } from './relay/createRelay.ts';
export { RelayConfigError, RelayError } from './relay/errors.ts';
export type {
  LogEntry,
  RelayMetric,
  RelayMetricName,
  RelayGauge,
  RelayGaugeName,
  LogLevel,
} from './relay/telemetry.ts';
export { openDedupeFile, type DedupeFile, type DedupeFileOptions } from './relay/dedupe/openDedupeFile.ts';
export type {
  EventsRecord,
  OffersRecord,
  RelayContext,
  RelayLimits,
  RelayOptions,
  RelayTimeouts,
  Shop,
  ShopsOptions,
} from './relay/options/relayOptions.ts';
export type { Bucket, RateLimiter, RateLimits } from './relay/rateLimits.ts';
export { createDedupeMemory, type DedupeMemory, type DedupeMemoryOptions } from './relay/dedupe/createDedupeMemory.ts';
export type { DedupeClaim, DedupeStore } from './relay/dedupe/dedupeStore.ts';
export { readLedger } from './relay/dedupe/acceptedLog.ts';
export type { Ledger, LedgerCount, LedgerCounts, LedgerRow } from './relay/ledger.ts';
