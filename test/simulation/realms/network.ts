// What runs in the network's process. Its database outlives it.
export { hashKey } from '../../../src/network/context.ts';
export { createFetch } from '../../../src/network/createFetch.ts';
export { createNetwork, networkRoutes } from '../../../src/network/createNetwork.ts';
export { openPglite } from '../../../src/network/database/pglite.ts';
