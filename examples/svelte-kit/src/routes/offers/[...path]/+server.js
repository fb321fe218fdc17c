import { createRelay } from 'offerlet/relay';
import { OFFERLET_API_KEY, OFFERLET_NETWORK, OFFERLET_SANDBOX } from '$app/env/private';

const relay = createRelay({
  apiKey: () => OFFERLET_API_KEY,
  networkUrl: OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  sandbox: OFFERLET_SANDBOX === 'true',
});

// Behind a proxy, adapter-node reads the address from the header that ADDRESS_HEADER names.
export const fallback = ({ request, getClientAddress }) => relay(request, { ip: getClientAddress() });
