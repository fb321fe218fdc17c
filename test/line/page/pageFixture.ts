import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ofEachTest } from '../../fixtures/ofEachTest.ts';
import { serve } from '../../fixtures/serve.ts';
import { allAccepted, wholeResponse } from '../../wire/offers/wholeResponse.ts';
import { bundle } from '../drivers/bundle.ts';

/** One request that reached the fixture's relay. */
export interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

/** An event as it arrived. */
export interface Arrived {
  event_id: string;
  event_name: string;
  event_datetime: string;
  session_id: string;
  initiating_target?: string;
  brand_properties?: { offer_id: string; advertiser_id: string; insertion_id: string };
  asset_id?: string;
  product_properties?: { product_id: string };
}

/** A page, or the parts of one that is streamed. */
export type Html = string | readonly (string | Promise<string>)[];

type Reply = (request: Asked, response: ServerResponse) => unknown;

/** A merchant's site and its relay on one origin: serves pages, and records every beacon. */
export interface Fixture {
  url: string;
  asked: Asked[];
  /** Each event once: a page that was left before the response came sends again, with the same id. */
  events: Arrived[];
  /** Serves a page at a path; the script and the modules are at /offerlet.js and /modules.js. */
  page(path: string, html: Html, headers?: Record<string, string>): string;
  /** The response of /offers/recommendations: an object is sent as JSON; a function may respond itself. */
  reply: Reply;
  /** The response of /offers/events/batch. */
  accept: Reply;
  names(): string[];
  /** Forgets what has arrived and how to respond, within a test. */
  forget(): void;
  close(): Promise<void>;
}

const source = (path: string): string => fileURLToPath(new URL(`../../../src/${path}`, import.meta.url));

export const useFixture = (start = startFixture): Fixture => ofEachTest<Fixture>(start);

/** Starts the fixture on a free port. */
export async function startFixture(fixture = {} as Fixture): Promise<Fixture> {
  const [script, modules] = await Promise.all([
    bundle(source('script-tag.ts'), 'iife'),
    bundle(source('element.ts'), 'es'),
  ]);
  const showOffers = await bundle(source('index.ts'), 'es');
  const pages = new Map<string, { body: Html; headers: Record<string, string> }>();
  const js = { 'content-type': 'text/javascript' };
  const first = new Map([
    ['/offerlet.js', { body: script, headers: js }],
    ['/element.js', { body: modules, headers: js }],
    ['/index.js', { body: showOffers, headers: js }],
  ]);

  const { url, close } = await serve((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://fixture');
    const page = pages.get(pathname) ?? first.get(pathname);
    if (request.method === 'GET') {
      response.writeHead(page ? 200 : 404, page?.headers);
      for (const part of [page?.body ?? ''].flat()) response.write(await part);
      return void response.end();
    }
    const asked = { path: pathname, headers: request.headers, body: (await json(request)) as Record<string, unknown> };
    const isBatch = pathname.endsWith('/events/batch');
    fixture.asked.push(asked);
    for (const event of isBatch ? (asked.body.events as Arrived[]) : [])
      if (!fixture.events.some(({ event_id }) => event_id === event.event_id)) fixture.events.push(event);
    const body = await (isBatch ? fixture.accept : fixture.reply)(asked, response);
    if (body === undefined) return;
    response.writeHead(isBatch ? 202 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  return Object.assign<Fixture, Fixture>(fixture, {
    url,
    asked: [],
    events: [],
    page(path, body, headers = {}) {
      pages.set(path, { body, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
      return url + path;
    },
    reply: () => offersOf(1),
    accept: acceptAll,
    names: () => fixture.events.map(({ event_name }) => event_name),
    forget() {
      fixture.asked.length = 0;
      fixture.events.length = 0;
      fixture.reply = () => offersOf(1);
      fixture.accept = acceptAll;
    },
    close,
  });
}

const acceptAll: Reply = ({ body }) => allAccepted(body.events as unknown[]);

/** A network's response with so many offers in one group. */
export function offersOf(count: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...wholeResponse(count, {}),
    session_id: crypto.randomUUID(),
    footer: {
      attribution_details: {
        copy: 'Powered by',
        logo_url: 'https://cdn.example/n.svg',
        target_url: 'https://network.example/',
      },
      privacy_policy: { copy: 'Privacy', target_url: 'https://network.example/privacy' },
    },
    ...more,
  };
}
