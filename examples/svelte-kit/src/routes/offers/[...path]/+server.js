import { createRelay } from 'offerlet/relay';
import { env } from '$env/dynamic/private';

const relay = createRelay({
  apiKey: () => env.OFFERLET_API_KEY,
  networkUrl: env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  sandbox: env.OFFERLET_SANDBOX === 'true',
});

// Behind a proxy, adapter-node reads the address from the header that ADDRESS_HEADER names.
export const fallback = ({ request, getClientAddress }) => relay(request, { ip: getClientAddress() });
