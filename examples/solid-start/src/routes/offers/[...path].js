import { createRelay } from 'offerlet/relay';

const relay = createRelay({
  apiKey: () => process.env.OFFERLET_API_KEY,
  networkUrl: process.env.OFFERLET_NETWORK,
  version: '1.0.0',
  basePath: '/offers',
  sandbox: process.env.OFFERLET_SANDBOX === 'true',
});
const answer = ({ request, clientAddress }) => relay(request, { ip: clientAddress });

export { answer as GET, answer as POST };
