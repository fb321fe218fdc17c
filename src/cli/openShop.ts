import type { RequestListener } from 'node:http';
import { renderOffers } from 'offerlet/html';
import { readHostName } from '../http/refuseForeign.ts';
import { openDedupeRedis } from '../relay-redis.ts';
import {
  checkNetwork,
  createRelay,
  type DedupeStore,
  openDedupeFile,
  type Relay,
  RelayConfigError,
  type RelayOptions,
  toNode,
} from '../relay.ts';
import { TIMEOUTS } from '../relay/options/readOptions.ts';
import { createPrefetchRoute } from '../relay/prefetchRoute.ts';
import { createShopContext, SHOP_CONTEXT_MS } from './createShopContext.ts';
import { UsageError } from '../program/ExitError.ts';

/** One shop of the command: its flags, or its part of the file of `--shops`. */
export interface ShopSettings {
  /** `undefined` for the only one. */
  readonly name: string | undefined;
  /** Its host names; every one if there are none. */
  readonly hosts: readonly string[];
  /** What `createRelay` takes. */
  readonly options: Partial<RelayOptions>;
  readonly context: string | undefined;
  readonly contextSecret: string | undefined;
  readonly prefetchToken: string | undefined;
  readonly data: string | undefined;
  readonly redis: string | undefined;
  readonly redisPrefix: string | undefined;
}

/** A shop that is served. */
export interface OpenShop {
  readonly name: string | undefined;
  readonly hosts: readonly string[];
  /** Without a slash at its end. */
  readonly basePath: string;
  readonly relay: Relay;
  readonly store: OpenDedupe | undefined;
  /** For pages, and with a token for backends. */
  readonly listener: RequestListener;
  /** For backends of this machine, on a separate port. */
  readonly backends: RequestListener;
}

type Place = Pick<OpenShop, 'hosts' | 'basePath' | 'listener'>;
type OpenDedupe = DedupeStore & { readonly lost?: Promise<Error>; close(): Promise<void> };

/** The path of the route for backends, below where it is mounted. */
export const PREFETCH_PATH = '/prefetch';
/** Longer than any path. */
const PATH_MAX = 1e6;
/** Shortest token: nobody guesses 24 random characters. */
const TOKEN_MIN_LENGTH = 24;

/** Opens a shop: checks its key, opens its store and creates its relay. */
export async function openShop(settings: ShopSettings, hooks: ShopHooks): Promise<OpenShop> {
  try {
    return await open(settings, hooks);
  } catch (error) {
    if (settings.name === undefined || !(error instanceof RelayConfigError)) throw error;
    throw new UsageError(`--shops: ${settings.name}: ${error.message}`);
  }
}

type ShopHooks = Pick<RelayOptions, 'onMetric' | 'onOffers' | 'onEvents'> & { log(entry: object | string): void };

async function open(settings: ShopSettings, { log, ...hooks }: ShopHooks): Promise<OpenShop> {
  const { name, hosts, options, context: url, contextSecret: secret, prefetchToken: token } = settings;
  const { apiKey, networkUrl, version = '', basePath = '/' } = options;
  const { warning } = await checkNetwork({ apiKey, networkUrl });
  if (warning !== undefined) log(`offerlet relay: ${name === undefined ? '' : `${name}: `}${warning}`);
  const timeouts = { context: SHOP_CONTEXT_MS, ...options.timeouts };
  const onLog = (entry: object): void => log(name === undefined ? entry : { ...entry, shop: name });
  const store = await openStore(settings, { timeouts, onLog });
  const { onMetric } = hooks;
  const relay = createRelay({
    ...options,
    ...hooks,
    ...(onMetric && name !== undefined && { onMetric: (metric) => onMetric({ ...metric, shop: name }) }),
    apiKey,
    networkUrl,
    version,
    dedupe: store,
    context: url === undefined ? undefined : createShopContext({ url, secret, timeoutMs: timeouts.context }),
    timeouts,
    onLog,
  });
  const base = basePath.replace(/\/$/, '');
  const route = (given: string | undefined): RequestListener =>
    createPrefetchRoute({ relay, token: given, onLog, render: renderOffers });
  return {
    name,
    hosts,
    basePath: base,
    relay,
    store,
    listener: listenerOf(relay, { base, token, route }),
    backends: route(undefined),
  };
}

/** Returns the relay's listener: with a token, it serves `/prefetch` as well. */
function listenerOf(
  relay: Relay,
  { base, token, route }: { base: string; token: string | undefined; route: (token: string) => RequestListener },
): RequestListener {
  const forPages = toNode(relay);
  if (token === undefined) return forPages;
  if (token.length < TOKEN_MIN_LENGTH)
    throw new UsageError(`OFFERLET_PREFETCH_TOKEN is too short. Use ${TOKEN_MIN_LENGTH} random characters or more.`);
  const forBackends = route(token);
  return (request, response) => (request.url === base + PREFETCH_PATH ? forBackends : forPages)(request, response);
}

/** Opens the store of accepted events that the settings name. */
async function openStore(
  { data, redis, redisPrefix }: ShopSettings,
  { timeouts, onLog }: { timeouts: NonNullable<RelayOptions['timeouts']>; onLog: (entry: object) => void },
): Promise<OpenDedupe | undefined> {
  if (data !== undefined && redis !== undefined)
    throw new UsageError('--data and --redis are two places for the same events. Use one of them.');
  if (data !== undefined) return openDedupeFile(data, { onLog });
  if (redis === undefined) return undefined;
  const { events, dedupe } = { ...TIMEOUTS, ...timeouts };
  // Longer than an event can be on its way, or another relay would send it again.
  const claimMs = 2 * (events + dedupe);
  return openDedupeRedis({ url: redis, claimMs, ...(redisPrefix !== undefined && { prefix: redisPrefix }) });
}

/** Returns the listener of several shops: a shop with the request's host comes before those of every host, then the longest path. */
export function listenerOfShops(shops: readonly Place[], log: (entry: object) => void): RequestListener {
  const rank = ({ hosts, basePath }: Place): number => basePath.length + (hosts.length > 0 ? PATH_MAX : 0);
  const ordered = shops.toSorted((one, other) => rank(other) - rank(one));
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const host = readHostName(request.headers.host ?? '') ?? '';
    const shop = ordered.find(
      ({ hosts, basePath }) => (hosts.length === 0 || hosts.includes(host)) && path.startsWith(`${basePath}/`),
    );
    if (shop) return shop.listener(request, response);
    // For whoever watches the process: it knows no shop, and needs none.
    const isHealth = request.method === 'GET' && path.endsWith('/health');
    const [status, body] = isHealth ? [200, '{"status":"ok"}'] : [404, '{"message":"There is no shop here."}'];
    if (!isHealth) log({ level: 'warn', message: 'No shop.', status, code: 'unknown_shop' });
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body);
  };
}
