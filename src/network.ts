// Entry, server: createNetwork, and distributeDatabase for its command.
export { createNetwork, type Network, type NetworkOptions } from './network/createNetwork.ts';
export { NetworkStartError } from './network/database/openNetworkDatabase.ts';
export {
  distributeDatabase,
  type DistributeOptions,
  type DistributionStep,
} from './network/database/distributeDatabase.ts';
