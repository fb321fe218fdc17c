import { createRelay } from 'offerlet/relay';

const relay = createRelay({
  apiKey: () => process.env.OFFERLET_API_KEY, // with the first request: `next build` runs without it
  baseUrl: process.env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  sandbox: process.env.OFFERLET_SANDBOX === 'true',
});

export const GET = (request) => relay(request);
export { GET as POST, GET as OPTIONS };
