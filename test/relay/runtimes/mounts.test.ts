import { createAdaptorServer } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createServer, type RequestListener, type Server } from 'node:http';
import 'reflect-metadata';
import { afterEach, describe, expect, test } from 'vitest';
import { mountOnBun, mountOnDeno } from '../../../demo/mounts/denoBun.ts';
import { mountOnExpress } from '../../../demo/mounts/express.ts';
import { mountOnFastify } from '../../../demo/mounts/fastify.ts';
import { mountOnHono } from '../../../demo/mounts/hono.ts';
import { mountOnKoa } from '../../../demo/mounts/koa.ts';
import { mountOnLambda, type LambdaEvent, type LambdaResult } from '../../../demo/mounts/lambda.ts';
import { mountOnNest } from '../../../demo/mounts/nest.ts';
import { mountOnNext } from '../../../demo/mounts/nextRoute.ts';
import { mountOnNode } from '../../../demo/mounts/nodeHttp.ts';
import { mountOnVercel } from '../../../demo/mounts/vercel.ts';
import { createRelay, toNode, type LogEntry, type RateLimits, type RelayOptions } from '../../../src/relay.ts';
import { RESPONSE, createScriptedNetwork, event, KEY, REQUEST, type ScriptedNetwork } from '../scriptedNetwork.ts';
import * as lambdaEvents from './lambdaEvents.ts';
import type { LambdaCall } from './lambdaEvents.ts';
import { serve, type Served } from '../../fixtures/serve.ts';
import { posting } from '../../fixtures/posting.ts';

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

type Ask = (path: string, init?: RequestInit) => Promise<Response>;
interface Mount {
  name: string;
  mount(options: RelayOptions): Ask | Promise<Ask>;
}

async function overHttp(server: Parameters<typeof serve>[0]): Promise<Ask> {
  served = await serve(server);
  const { url } = served;
  return (path, init) => fetch(url + path, init);
}

/** For runtimes that this project does not depend on: called as they call it. `runtimes/` really runs them. */
function called(answer: (request: Request) => Promise<Response>): Ask {
  return (path, init) => answer(new Request(`https://shop.example${path}`, init));
}

const LAMBDA_EVENTS = {
  'a function URL of AWS Lambda': lambdaEvents.functionUrl,
  'an HTTP API of AWS with a stage, body in base64': lambdaEvents.httpApi,
  'a REST API of AWS': lambdaEvents.restApi,
  'an Application Load Balancer of AWS': lambdaEvents.balancer,
  'an Application Load Balancer with multi-value headers': lambdaEvents.multiValueBalancer,
};

/** Calls a function of AWS Lambda with events as their documentation shows them. */
function invoked(handler: ReturnType<typeof mountOnLambda>, toEvent: (call: LambdaCall) => LambdaEvent): Ask {
  return async (path, { method = 'GET', headers, body } = {}) => {
    const { pathname, search } = new URL(path, 'https://shop.example');
    const sent = { ...(headers as Record<string, string> | undefined) };
    // A function receives and returns plain values.
    const event = JSON.stringify(
      toEvent({ path: pathname, search, method, headers: sent, body: (body ?? null) as string | null }),
    );
    const result = JSON.stringify(await handler(JSON.parse(event) as LambdaEvent));
    const {
      statusCode,
      headers: single,
      multiValueHeaders: multiple,
      body: received,
    } = JSON.parse(result) as LambdaResult;
    // Each of them reads the headers under one of these names only.
    const isMultiple = event.includes('multiValueHeaders');
    const returned = new Headers(
      Object.entries((isMultiple ? multiple : single) ?? {}).map(([name, value]) => [name, String(value)]),
    );
    return new Response(received === '' ? null : received, { status: statusCode, headers: returned });
  };
}

/** An app of NestJS without anything. */
class ShopModule {
  readonly shop = true;
}
Module({})(ShopModule);

const mounts: Mount[] = [
  { name: 'node:http', mount: (options) => overHttp(mountOnNode(options)) },
  { name: 'Express, behind express.json()', mount: (options) => overHttp(createServer(mountOnExpress(options))) },
  {
    name: 'Hono',
    mount: (options) =>
      overHttp(
        createAdaptorServer({ fetch: mountOnHono(options, getConnInfo).fetch, overrideGlobalObjects: false }) as Server,
      ),
  },
  {
    name: 'node:http around a function of the merchant',
    mount: (options) => {
      const relay = createRelay({ ...options, basePath: '/offers' });
      return overHttp(createServer(toNode(async (request, info) => relay(request, info))));
    },
  },
  {
    name: 'Fastify',
    mount: async (options) => {
      const app = mountOnFastify(options);
      await app.ready();
      return overHttp(app.server);
    },
  },
  {
    name: 'Koa, behind a body parser',
    mount: (options) => {
      const listen = mountOnKoa(options).callback();
      return overHttp(createServer((request, response) => void listen(request, response)));
    },
  },
  {
    name: 'NestJS',
    mount: async (options) => {
      const app = mountOnNest(await NestFactory.create(ShopModule, { logger: false }), options);
      await app.init();
      return overHttp(createServer(app.getHttpAdapter().getInstance() as RequestListener));
    },
  },
  ...Object.entries(LAMBDA_EVENTS).map(([name, toEvent]) => ({
    name,
    mount: (options: RelayOptions) => invoked(mountOnLambda(options), toEvent),
  })),
  {
    name: 'Vercel',
    mount: (options) => {
      const { GET, POST, OPTIONS } = mountOnVercel(options);
      return called((request) => {
        // The platform overwrites it.
        request.headers.set('x-real-ip', '192.0.2.1');
        const routes: Readonly<Record<string, typeof GET>> = { POST, OPTIONS };
        return (routes[request.method] ?? GET)(request);
      });
    },
  },
  {
    name: 'a Next.js route handler',
    mount: (options) => {
      const { GET, POST, OPTIONS } = mountOnNext(options);
      return called((request) => {
        // As Next.js and every proxy before it do.
        request.headers.set('x-forwarded-for', '192.0.2.1');
        const routes: Readonly<Record<string, typeof GET>> = { POST, OPTIONS };
        return (routes[request.method] ?? GET)(request);
      });
    },
  },
  {
    name: 'Deno.serve',
    mount: (options) => {
      const answer = mountOnDeno(options);
      return called((request) => answer(request, { remoteAddr: { hostname: '192.0.2.1' } }));
    },
  },
  {
    name: 'Bun.serve',
    mount: (options) => {
      const server = mountOnBun(options);
      return called((request) => server.fetch(request, { requestIP: () => ({ address: '192.0.2.1' }) }));
    },
  },
];

describe.each(mounts)('mounted on $name', ({ mount }) => {
  async function start(
    rateLimit?: Partial<RateLimits>,
  ): Promise<{ ask: Ask; network: ScriptedNetwork; logs: LogEntry[] }> {
    const network = createScriptedNetwork();
    const logs: LogEntry[] = [];
    return {
      network,
      logs,
      ask: await mount({
        apiKey: KEY,
        version: '1.0.0',
        networkUrl: 'https://network.example',
        fetch: network.fetch,
        rateLimit,
        onLog: (entry) => logs.push(entry),
      }),
    };
  }
  const post = (body: unknown): RequestInit => posting(body);

  test('recommendations of the network reach the page', async () => {
    const { ask, network } = await start();
    const response = await ask('/offers/recommendations', post(REQUEST));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(RESPONSE);
    expect(network.calls[0]?.headers.get('x-api-key')).toBe(KEY);
    expect(network.calls[0]?.body).toMatchObject(REQUEST);
  });

  test('events are forwarded, and a duplicate is not', async () => {
    const { ask, network } = await start();
    const batch = post({ events: [event(), event({ asset_id: 'Grüße, 日本' })] });
    expect((await ask('/offers/events/batch', batch)).status).toBe(202);
    expect((await ask('/offers/events/batch', batch)).status).toBe(202);
    expect(network.calls).toHaveLength(1);
    expect(network.events()[1]).toMatchObject({ asset_id: 'Grüße, 日本' });
    expect((await ask('/offers/events', post(event()))).status).toBe(201);
  });

  test('health responds, and other methods are refused', async () => {
    const { ask } = await start();
    expect(await (await ask('/offers/health')).json()).toMatchObject({ status: 'ok', environment: 'staging' });
    expect((await ask('/offers/recommendations')).status).toBe(405);
    expect((await ask('/offers/events', { method: 'OPTIONS' })).status).toBe(204);
  });

  test('clients are distinguished by their IP address', async () => {
    const { ask, logs } = await start({ perAddress: { burst: 1, perSecond: 0.01 } });
    const statuses = [];
    for (let request = 0; request < 2; request++)
      statuses.push((await ask('/offers/recommendations', post(REQUEST))).status);
    expect(statuses).toEqual([200, 429]);
    expect(logs.map(({ message }) => message)).toEqual(['POST /recommendations', 'POST /recommendations']);
  });

  test('a body above the limit is a 413 and is not forwarded', async () => {
    const { ask, network } = await start();
    expect((await ask('/offers/recommendations', post({ ...REQUEST, pad: 'x'.repeat(20_000) }))).status).toBe(413);
    expect(network.calls).toHaveLength(0);
  });
});

test.each(Object.entries(LAMBDA_EVENTS))('%s passes query and cookies on', async (_name, toEvent) => {
  const seen: (string | null)[] = [];
  const network = createScriptedNetwork();
  const handler = mountOnLambda({
    apiKey: KEY,
    version: '1.0.0',
    networkUrl: 'https://network.example',
    fetch: network.fetch,
    context: ({ url, headers }) => {
      seen.push(new URL(url).search, headers.get('cookie'), headers.get('accept-language'));
      return {};
    },
  });
  const headers = { 'content-type': 'application/json', 'accept-language': 'de', cookie: 'session=a%20b; theme=dark' };
  const ask = invoked(handler, toEvent);
  const search = '?sent=1795701600000&from=a%26b';
  const response = await ask(`/offers/recommendations${search}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(REQUEST),
  });
  expect([response.status, ...seen]).toEqual([200, search, headers.cookie, 'de']);
  // A client may send a body with any method.
  expect((await ask('/offers/recommendations', { headers, body: '{}' })).status).toBe(405);
});

test('a Lambda function that is called with another event says how to call it', async () => {
  const handler = mountOnLambda({ apiKey: KEY, version: '1.0.0', networkUrl: 'https://network.example' });
  const event = { key1: 'value1' } as unknown as LambdaEvent;
  await expect(handler(event)).rejects.toThrow('Call the function through one of them.');
});
