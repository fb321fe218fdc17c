import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createAdaptorServer } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import express, { type RequestHandler } from 'express';
import { Hono } from 'hono';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import type { RequestListener, Server } from 'node:http';
import 'reflect-metadata';
import { afterEach, describe, expect, test } from 'vitest';
import { mountOnHono } from '../../../demo/mounts/hono.ts';
import { createRelay, toNode, type Relay, type RelayOptions } from '../../../src/relay.ts';
import { createScriptedNetwork, KEY, REQUEST, RESPONSE } from '../scriptedNetwork.ts';
import { serve, type Served } from '../../fixtures/serve.ts';

const ALREADY_READ = "the request's body was already read; mount the relay before the body parser";
const JSON_BODY = { 'content-type': 'application/json' };

const served: Served[] = [];
afterEach(async () => {
  for (const each of served.splice(0)) await each.close();
});

const optionsFor = (fetch: typeof globalThis.fetch): RelayOptions => ({
  apiKey: KEY,
  version: '1.0.0',
  networkUrl: 'https://network.example',
  fetch,
  onLog: () => {},
});
const relayOn = (options: Partial<RelayOptions> = {}): Relay =>
  createRelay({ ...optionsFor(createScriptedNetwork().fetch), ...options });

/** What the relay responds to a request for offers, sent over HTTP. */
async function ask(server: RequestListener | Server, body: BodyInit = JSON.stringify(REQUEST)): Promise<unknown[]> {
  const each = await serve(server);
  served.push(each);
  const response = await fetch(`${each.url}/offers/recommendations`, { method: 'POST', headers: JSON_BODY, body });
  return [response.status, await response.json()];
}

/** An Express app in which this runs before the relay. */
function expressBehind(...before: RequestHandler[]): RequestListener {
  return express()
    .use(...before)
    .use('/offers', toNode(relayOn())) as RequestListener;
}

/** Reads a body as an upload parser does, and leaves this. */
function consuming(left: object = {}): RequestHandler {
  return (request, _, next) => {
    request.resume().on('end', () => {
      Object.assign(request, left);
      next();
    });
  };
}

describe('what a framework has parsed is used', () => {
  test.each([
    ['express.json()', express.json()],
    ['express.text()', express.text({ type: 'application/json' })],
    ['express.raw()', express.raw({ type: 'application/json' })],
    ['a parser that leaves rawBody', consuming({ rawBody: Buffer.from(JSON.stringify(REQUEST)), body: { other: 1 } })],
    [
      'a parser whose object has no prototype',
      consuming({ body: Object.assign(Object.create(null), REQUEST) as object }),
    ],
  ])('by %s', async (_, parser) => {
    expect(await ask(expressBehind(parser))).toEqual([200, RESPONSE]);
  });

  test('by NestJS, whose own parser runs before the middleware of modules', async () => {
    class ShopModule implements NestModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(toNode(relayOn({ basePath: '/offers' }))).forRoutes('offers/*path');
      }
    }
    Module({})(ShopModule);
    const app = await NestFactory.create(ShopModule, { logger: false });
    await app.init();
    expect(await ask(app.getHttpAdapter().getInstance() as RequestListener)).toEqual([200, RESPONSE]);
  });

  test('by a middleware of Hono', async () => {
    const offers = mountOnHono(optionsFor(createScriptedNetwork().fetch), getConnInfo);
    const app = new Hono();
    app.use(async (context, next) => {
      await context.req.json();
      await next();
    });
    app.route('/', offers);
    expect(await ask(createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server)).toEqual([
      200,
      RESPONSE,
    ]);
  });
});

test('Express may name the mount in basePath as well', async () => {
  const app = express().use('/offers', toNode(relayOn({ basePath: '/offers' })));
  expect(await ask(app as RequestListener)).toEqual([200, RESPONSE]);
});

describe('a body that was read and left nowhere is a 400 that says so', () => {
  test('in Express, and nothing reaches the network', async () => {
    expect(await ask(expressBehind(consuming()))).toEqual([400, { message: ALREADY_READ }]);
    // The fields of a form are not what was sent.
    expect(await ask(expressBehind(consuming({ body: new FormData() })))).toEqual([400, { message: ALREADY_READ }]);
    expect(await ask(expressBehind(consuming({ body: new Map() })))).toEqual([400, { message: ALREADY_READ }]);
  });

  test('in Koa, whose parsed body nobody has passed on', async () => {
    const offers = toNode(relayOn({ basePath: '/offers' }));
    const app = new Koa();
    app.use(bodyParser());
    app.use((context) => {
      context.respond = false;
      offers(context.req, context.res);
    });
    const listen = app.callback();
    expect(await ask((request, response) => void listen(request, response))).toEqual([400, { message: ALREADY_READ }]);
  });

  test('of a Web Request', async () => {
    const network = createScriptedNetwork();
    const request = new Request('https://shop.example/recommendations', {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify(REQUEST),
    });
    await request.text();
    for (const context of [undefined, () => ({})]) {
      const response = await relayOn({ fetch: network.fetch, context })(request);
      expect([response.status, await response.json()]).toEqual([400, { message: ALREADY_READ }]);
    }
    expect(network.calls).toEqual([]);
  });

  test('unless there was none: then it is empty', async () => {
    const [status, body] = await ask(expressBehind(consuming()), '');
    expect([status, (body as { message: string }).message]).toEqual([
      400,
      'The request body is empty. The shopper may have left the page.',
    ]);
  });
});
