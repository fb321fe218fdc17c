// The network, for servers: createNetwork.
export { createNetwork, type Network, type NetworkOptions } from './network/create-network.ts';
export { NetworkStartError } from './network/start/network-start-error.ts';
