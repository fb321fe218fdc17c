import { randomUUID } from 'node:crypto';
import { createNetwork, type Network, type NetworkOptions } from '../../src/network.ts';
import { serve } from '../../src/sandbox/startNetwork.ts';
import { expectContract } from './contract.ts';
import { startPostgres } from './databases.ts';

/** The time of the examples in the rules. */
export const NOW = '2025-11-20T10:30:00.000Z';
const BASE = 'http://127.0.0.1:4600';

/** Any response body; tests read bodies of every shape. */
export type Body = ReturnType<typeof JSON.parse>;

/** A response with its parsed body. */
export interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** A session and its offers. */
export interface Shown {
  readonly session_id: string;
  readonly items: readonly { offer_id: string; advertiser_id: string; insertion_id: string }[];
}

/** A network with one channel and one publisher, and helpers to call it. */
export interface TestNetwork {
  readonly network: Network;
  /** The URL of its database, on PostgreSQL. */
  readonly url?: string;
  call(
    method: string,
    path: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Answered>;
  /** POSTs to the Recommendations API with the integration key and the version. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Calls a control; throws if it is refused. */
  control(method: string, path: string, body?: unknown): Promise<Body>;
  /** Requests offers. */
  session(request?: Record<string, unknown>): Promise<Shown>;
  /** Requests offers at an earlier time, then sets the clock to NOW: the session's late events are real ones. */
  earlierSession(time: string, request?: Record<string, unknown>): Promise<Shown>;
  /** Sends events as one batch. */
  batch(events: readonly unknown[]): Promise<Answered>;
  /** The channel report's summary of all time. */
  summary(options?: Record<string, string>): Promise<Record<string, number>>;
  /** Adds an offer to the catalogue. */
  offer(fields?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

/** Networks on PGlite that files of this process have closed, for the next file. It also tests the control that resets them. */
const closed: TestNetwork[] = [];

/** Opens a network on this kind of database with its clock stopped at NOW; on PGlite, maybe one that another file has used. */
export async function openTestNetwork(
  kind: 'pglite' | 'postgres',
  { seed = 'empty' }: { seed?: 'demo' | 'empty' } = {},
): Promise<TestNetwork> {
  const world = (kind === 'pglite' && closed.pop()) || (await startTestNetwork(kind));
  await world.control('POST', '/sandbox/reset', { seed });
  await world.control('POST', '/sandbox/clock', { now: NOW });
  return world;
}

async function startTestNetwork(kind: 'pglite' | 'postgres'): Promise<TestNetwork> {
  const common = { seed: 'empty', now: NOW, networkUrl: BASE, log: () => undefined } as const;
  if (kind === 'pglite') {
    const helpers = testNetworkOf(await createNetwork({ ...common, memory: true }));
    const world: TestNetwork = { ...helpers, close: async () => void closed.push(world) };
    return world;
  }
  const cluster = await startPostgres();
  const url = await cluster.freshUrl();
  const helpers = testNetworkOf(await createNetwork({ ...common, databaseUrl: url }));
  return { ...helpers, url, close: () => helpers.close().then(() => cluster.stop()) };
}

/** Starts a network in memory that also listens, on a free port. It is empty by default. */
export async function serveTestNetwork(
  options: NetworkOptions = {},
): Promise<Omit<TestNetwork, 'url'> & { readonly url: string }> {
  let url = '';
  const quiet = { memory: true, seed: 'empty', networkUrl: () => url, log: () => undefined } as const;
  const world = testNetworkOf(await createNetwork({ ...quiet, ...options }));
  const server = await serve((request, from) => world.network.fetch(request, from), { port: 0 });
  ({ url } = server);
  return { ...world, url, close: () => server.close().then(() => world.close()) };
}

/** The helpers for a network. */
export function testNetworkOf(network: Network): Omit<TestNetwork, 'url'> {
  const keys = network.describe().keys;
  let scripted = false;
  const call: TestNetwork['call'] = async (method, path, { key, body, headers = {} } = {}) => {
    const init: RequestInit = { method, headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...headers } };
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await network.fetch(new Request(BASE + path, init));
    // A scripted fault may respond with anything.
    if (!scripted) await expectContract({ method, path, body }, response);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
      headers: response.headers,
    };
  };
  const post: TestNetwork['post'] = (path, body, headers = {}) =>
    call('POST', path, {
      key: keys.integration ?? '',
      body,
      headers: { version: '1.0.0', 'content-type': 'application/json', ...headers },
    });
  const control: TestNetwork['control'] = async (method, path, body) => {
    const answer = await call(method, path, body === undefined ? {} : { body });
    if (path === '/sandbox/faults') scripted = method === 'POST';
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const categories = async (): Promise<Body> =>
    (await call('GET', '/adnet/adconfig/categories/', { key: keys.management ?? '' })).body.categories;
  const session: TestNetwork['session'] = async (request = {}) => {
    const { status, body } = await post('/recommendations', ask(request));
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return { session_id: body.session_id, items: body.recommendation_groups.flatMap((group: Body) => group.items) };
  };
  return {
    network,
    call,
    post,
    control,
    session,
    async earlierSession(time, request) {
      await control('POST', '/sandbox/clock', { now: time });
      const opened = await session(request);
      await control('POST', '/sandbox/clock', { now: NOW });
      return opened;
    },
    batch: (events) => post('/events/batch', { events }),
    async summary(options = {}) {
      const query = new URLSearchParams({ from: '2025-11-01', to: '2025-11-20', ...options });
      await control('PUT', '/sandbox/settings', { history_from: '2025-01-01' });
      const { status, body } = await call('GET', `/adnet/reporting/v2/report/?${query}`, {
        key: keys.management ?? '',
      });
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.summary;
    },
    async offer(fields = {}) {
      const [category] = await categories();
      const { id } = await control('POST', '/sandbox/offers', {
        ...offerFields(category.subcategories[0].remote_id),
        ...fields,
      });
      return id;
    },
    close: () => network.close(),
  };
}

/** The body of the control that creates an offer. */
export function offerFields(subcategoryId: string): Record<string, unknown> {
  return {
    advertiser: { id: 'advertiser-1', name: 'Teapots', logo_url: 'https://cdn.example/teapots.svg' },
    subcategory_id: subcategoryId,
    heading: 'A teapot for you',
    target_url: 'https://teapots.example/',
    cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
    price_per_conversion: 2.5,
  };
}

/** The body of a recommendations request, with some parts replaced. */
export function ask(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    user_details: { email: 'jane.doe@example.com' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    ...parts,
  };
}

/** An event of a session, about the offer at `place` if its kind needs one. */
export function event(
  event_name: string,
  session: Shown,
  parts: Record<string, unknown> = {},
  place = 0,
): Record<string, unknown> {
  const item = session.items[place];
  const isAboutOffer = !event_name.startsWith('WIDGET_');
  return {
    event_id: randomUUID(),
    event_name,
    event_datetime: NOW,
    session_id: session.session_id,
    ...(isAboutOffer && item
      ? {
          brand_properties: {
            offer_id: item.offer_id,
            advertiser_id: item.advertiser_id,
            insertion_id: item.insertion_id,
          },
        }
      : {}),
    ...(event_name === 'CONVERSION' ? { conversion_properties: { conversion_id: randomUUID() } } : {}),
    ...parts,
  };
}
