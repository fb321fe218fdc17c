import { Hono } from 'hono';
import { createRelay, type RelayOptions } from 'offerlet/relay';

/**
 * A Hono app with the relay at /offers, on any runtime. Where a build loads
 * the module without secrets, pass `apiKey: () => process.env.OFFERLET_API_KEY`.
 */
export function mountOnHono(options: RelayOptions): Hono {
  const relay = createRelay({ ...options, basePath: '/offers' });
  const app = new Hono();
  app.all('/offers/*', (context) => relay(context.req.raw));
  return app;
}
