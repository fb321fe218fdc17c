import { createRelay } from 'offerlet/relay';

const relay = createRelay({
  apiKey: () => process.env.OFFERLET_API_KEY,
  networkUrl: process.env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  addressHeader: process.env.OFFERLET_ADDRESS_HEADER, // behind a proxy: the header in which it passes the IP address
  sandbox: process.env.OFFERLET_SANDBOX === 'true',
});

export default defineEventHandler((event) => relay(toWebRequest(event), { ip: getRequestIP(event) }));
