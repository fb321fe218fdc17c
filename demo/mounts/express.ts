import express, { type Express } from 'express';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/** An Express app with the relay at /offers, before or after express.json(). */
export function mountOnExpress(options: RelayOptions): Express {
  const app = express();
  app.use(express.json());
  app.use('/offers', toNode(createRelay(options)));
  return app;
}
