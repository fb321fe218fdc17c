import { AngularNodeAppEngine, createNodeRequestHandler, writeResponseToNodeResponse } from '@angular/ssr/node';
import express from 'express';
import { createRelay, toNode } from 'offerlet/relay';

const app = express();
const engine = new AngularNodeAppEngine();
const relay = createRelay({
  apiKey: () => process.env['OFFERLET_API_KEY'],
  networkUrl: process.env['OFFERLET_NETWORK'],
  version: '1.0.0',
  basePath: '/offers',
  sandbox: process.env['OFFERLET_SANDBOX'] === 'true',
});

app.use('/offers', toNode(relay));
app.use(express.static(`${import.meta.dirname}/../browser`, { maxAge: '1y', index: false, redirect: false }));
app.use((request, response, next) => {
  const rendered = engine.handle(request);
  rendered.then((page) => (page ? writeResponseToNodeResponse(page, response) : next())).catch(next);
});

if (process.argv[1] === import.meta.filename) app.listen(process.env['PORT'] ?? 4000); // not in `ng build`

export const reqHandler = createNodeRequestHandler(app);
