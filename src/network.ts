// Entry, server: createNetwork.
export { createNetwork, type Network, type NetworkOptions } from './network/createNetwork.ts';
export { NetworkStartError } from './network/start/NetworkStartError.ts';
