import { createRelay } from 'offerlet/relay';

export const relay = createRelay({
  apiKey: () => process.env.OFFERLET_API_KEY, // with the first request: `next build` runs without it
  networkUrl: process.env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  addressHeader: 'x-forwarded-for', // who is calling, as your proxy or host says; `next start` sets it if nobody did
  sandbox: process.env.OFFERLET_SANDBOX === 'true',
});
