import { createRelay, type RelayOptions } from 'offerlet/relay';

type Handler = (request: Request) => Promise<Response>;

/**
 * The exports of api/offers.ts on Vercel: `export const { GET, POST, OPTIONS } = mountOnVercel({…})`. vercel.json sends all
 * paths there: `{ "rewrites": [{ "source": "/offers/:path*", "destination": "/api/offers" }] }`. Vercel overwrites
 * x-real-ip, so no client can choose it.
 */
export function mountOnVercel(options: RelayOptions): { GET: Handler; POST: Handler; OPTIONS: Handler } {
  const relay = createRelay({ addressHeader: 'x-real-ip', ...options, basePath: '/offers' });
  const handler: Handler = (request) => relay(request);
  return { GET: handler, POST: handler, OPTIONS: handler };
}
