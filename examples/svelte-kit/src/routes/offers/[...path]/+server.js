import { createRelay } from 'offerlet/relay';
import { env } from '$env/dynamic/private';

const relay = createRelay({
  apiKey: () => env.OFFERLET_API_KEY,
  baseUrl: env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  sandbox: env.OFFERLET_SANDBOX === 'true',
});

export const fallback = ({ request }) => relay(request);
