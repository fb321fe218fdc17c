// offerlet/relay: the merchant's own backend for the widget, and the only holder of the secret key.

export { checkNetwork, type NetworkCheck } from './relay/options/checkNetwork.ts';
export { createRelay, type Relay } from './relay/createRelay.ts';
export { RelayConfigError, RelayError } from './relay/errors.ts';
export type { From } from './relay/runtime/request.ts';
export type { LogEntry, RelayMetric, RelayMetricName } from './relay/telemetry.ts';
export { openSeenFile, type SeenFile, type SeenFileOptions } from './relay/seen/openSeenFile.ts';
export type { RelayContext, RelayLimits, RelayOptions, RelayTimeouts } from './relay/options/relayOptions.ts';
export type { Bucket, RateLimiter, RateLimits } from './relay/limits/createRateLimiter.ts';
export { createSeenMemory, type SeenMemory, type SeenMemoryOptions } from './relay/seen/createSeenMemory.ts';
export type { SeenClaim, SeenStore } from './relay/seen/seenStore.ts';
export { toNode, type NodeHandler, type NodeRequest, type NodeResponse } from './relay/runtime/toNode.ts';
