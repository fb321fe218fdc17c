// Entry, server: createNetwork, and what its commands do.
export { createNetwork, type Network, type NetworkOptions } from './network/createNetwork.ts';
export type { NetworkGauge, NetworkMetric } from './network/context.ts';
export { NetworkStartError } from './network/database/openNetworkDatabase.ts';
export { partitionEvents, type PartitionStep } from './network/database/partitionEvents.ts';
