import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/** A Koa app with the relay at /offers, behind a body parser. Without one, only `body` is missing. */
export function mountOnKoa(options: RelayOptions): Koa {
  const relay = toNode(createRelay({ ...options, basePath: '/offers' }));
  const app = new Koa();
  app.use(bodyParser());
  app.use((context, next) => {
    if (!context.path.startsWith('/offers/')) return next();
    context.respond = false;
    // What the parser has read, as it was sent.
    relay(Object.assign(context.req, { body: context.request.rawBody }), context.res);
    return undefined;
  });
  return app;
}
