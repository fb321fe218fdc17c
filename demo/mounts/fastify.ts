import fastify, { type FastifyInstance } from 'fastify';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/**
 * A Fastify app with the relay at /offers. Fastify has parsed the body before the handler runs, so the relay gets what it
 * parsed. Where a build loads the module without secrets, pass `apiKey: () => process.env.OFFERLET_API_KEY`.
 */
export function mountOnFastify(options: RelayOptions): FastifyInstance {
  const relay = toNode(createRelay({ ...options, basePath: '/offers' }));
  const app = fastify();
  app.all('/offers/*', ({ raw, body }, reply) => {
    reply.hijack();
    relay(Object.assign(raw, { body }), reply.raw);
  });
  return app;
}
