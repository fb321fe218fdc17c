import { Hono } from 'hono';
import type { GetConnInfo } from 'hono/conninfo';
import { createRelay, type RelayOptions } from 'offerlet/relay';

/**
 * A Hono app with the relay at /offers, on any runtime. `getConnInfo` is Hono's for the runtime, such as that of
 * `@hono/node-server/conninfo`. Where a build loads the module without secrets, pass
 * `apiKey: () => process.env.OFFERLET_API_KEY`.
 */
export function mountOnHono(options: RelayOptions, getConnInfo: GetConnInfo): Hono {
  const relay = createRelay({ ...options, basePath: '/offers' });
  const app = new Hono();
  app.all('/offers/*', async (context) => {
    const { raw } = context.req;
    // Hono remembers a body that another middleware has read.
    const { url, method, headers } = raw;
    const request = raw.bodyUsed ? new Request(url, { method, headers, body: await context.req.text() }) : raw;
    return relay(request, { ip: getConnInfo(context).remote.address });
  });
  return app;
}
