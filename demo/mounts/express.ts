import express, { type Express } from 'express';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/**
 * An Express app with the relay at /offers, before or after express.json(). Where a build loads
 * the module without secrets, pass `apiKey: () => process.env.OFFERLET_API_KEY`.
 */
export function mountOnExpress(options: RelayOptions): Express {
  const app = express();
  app.use(express.json());
  app.use('/offers', toNode(createRelay(options)));
  return app;
}
