import { createRelay, type RelayOptions } from 'offerlet/relay';

type Handler = (request: Request) => Promise<Response>;

/**
 * The exports of app/offers/[...path]/route.ts of a Next.js shop: `export const { GET, POST, OPTIONS } = mountOnNext({…})`.
 * `next build` loads that module without secrets: pass `apiKey: () => process.env.OFFERLET_API_KEY`, which is called with
 * the first request. The IP address comes from the header that your proxy or host sets. Next.js sets it only if a request
 * has none, so a server that is reached directly lets its clients choose it.
 */
export function mountOnNext(options: RelayOptions): { GET: Handler; POST: Handler; OPTIONS: Handler } {
  const relay = createRelay({ addressHeader: 'x-forwarded-for', ...options, basePath: '/offers' });
  const handler: Handler = (request) => relay(request);
  return { GET: handler, POST: handler, OPTIONS: handler };
}
