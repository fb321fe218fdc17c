import { createServer } from 'node:http';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/**
 * A plain node:http server with the relay at /offers. Where a build loads
 * the module without secrets, pass `apiKey: () => process.env.OFFERLET_API_KEY`.
 */
export function mountOnNode(options: RelayOptions): ReturnType<typeof createServer> {
  const relay = toNode(createRelay({ ...options, basePath: '/offers' }));
  return createServer((request, response) => {
    if (request.url?.startsWith('/offers/')) return relay(request, response);
    response.end('the shop');
  });
}
