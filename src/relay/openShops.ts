import { setNewest } from '../http/setNewest.ts';
import { withDeadline } from '../http/withDeadline.ts';
import { hashText } from '../wire/hash.ts';
import { isObject } from '../wire/json.ts';
import { createHandler, NOT_CONFIGURED, type Handler } from './createHandler.ts';
import { createDedupeMemory } from './dedupe/createDedupeMemory.ts';
import type { DedupeStore } from './dedupe/dedupeStore.ts';
import { errorReply, RelayConfigError, RelayError, type Reply } from './errors.ts';
import { readKeyOption } from './options/networkAccess.ts';
import { readOptions } from './options/readOptions.ts';
import type { RelayOptions, Shop, ShopsOptions } from './options/relayOptions.ts';
import { readFunction, refuseOption } from './optionValue.ts';
import type { RateLimiter } from './rateLimits.ts';
import { readSource } from './prefetch.ts';
import { readRequestId, type RelayRequest } from './runtime.ts';
import { createTelemetry } from './telemetry.ts';

/** Shops that are held at a time; beyond that, the one unused for longest is opened anew when it comes back. */
const SHOPS_MAX = 10_000;
/** Milliseconds after which a page may come back when `shop` failed. */
const RETRY_AFTER_MS = 5_000;
/** Digits of the hash of a key that name a shop. */
const NAME_DIGITS = 16;
/** Also a directory, a part of a Redis key and a label of a metric. */
const NAME = /^[a-z0-9][\w.-]{0,63}$/i;

/** Checks every option but the key: that is known with the first request only. */
export function checkBeforeKey(options: Omit<Partial<RelayOptions>, 'apiKey'>): ReturnType<typeof readOptions> {
  const apiKey = `adnet_rk_${options.environment === 'production' ? 'live' : 'test'}_unknown`;
  const networkUrl = options.networkUrl || 'https://unknown.invalid';
  return readOptions({ ...(options as RelayOptions), apiKey, networkUrl });
}

/** One shop, as it was opened. */
interface Opened {
  readonly handler: Handler;
  /** What it was opened with. */
  readonly options: string;
}

/** Returns the handler of several shops: each request goes to a handler of the shop that it is for, which shares nothing. */
export function openShops({ shop, dedupe, ...common }: ShopsOptions): Handler {
  readFunction('shop', shop);
  readFunction('dedupe', dedupe);
  if ('apiKey' in common) refuseOption('apiKey', 'belongs to one shop. Return it from shop() instead.');
  const { basePath, timeouts, onLog, onMetric, logLevel } = checkBeforeKey({
    ...common,
    version: common.version ?? '1.0.0',
  });
  const { log, measure } = createTelemetry({ apiKey: '', onLog, onMetric, logLevel });
  const opened = new Map<string, Opened>();
  const stores = new Map<string, Promise<DedupeStore>>();
  const owners = new WeakMap<DedupeStore, string>();
  const max = dedupe ? Infinity : SHOPS_MAX;

  /** Returns the handler of the shop that a request is for, and gives the request the functions of that shop. */
  async function find(request: RelayRequest): Promise<Handler> {
    const given = await ask(request);
    const { name: stated, ...own } = given;
    const known: RelayOptions = { ...(common as RelayOptions), ...own };
    const apiKey = readKeyOption(known);
    const name = readName(stated ?? (await hashText(apiKey)).slice(0, NAME_DIGITS));
    const store = given.dedupe ?? (await storeOf(name));
    if ((owners.get(store) ?? name) !== name)
      refuseOption('dedupe', 'is the store of another shop. Use one for each, with its own directory or prefix.');
    owners.set(store, name);
    const { authorize, context, onOffers, onEvents } = known;
    request.own = { authorize, context, onOffers, onEvents };
    for (const [option, one] of Object.entries(request.own)) readFunction<unknown>(option, one);
    const options = written({ ...given, apiKey });
    let one = opened.get(name);
    if (one?.options !== options) {
      const handler = open({ ...known, apiKey, dedupe: store }, name);
      if (one) log({ level: 'warn', message: REOPENED, shop: name });
      one = { handler, options };
    }
    setNewest(opened, [name, one], { max });
    return one.handler;
  }

  async function ask(request: RelayRequest): Promise<Shop> {
    const late = (): RelayError =>
      new RelayError(LATE, { status: 503, code: 'shop_timeout', retryAfterMs: RETRY_AFTER_MS });
    const asked = (async () => shop(request.toHead()))();
    const given: unknown = await withDeadline(asked, { ms: timeouts.context, late });
    if (given === undefined || given === null) throw UNKNOWN;
    if (!isObject(given)) throw new TypeError('shop() must return an object of options, or undefined.');
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as unknown as Shop;
  }

  function open(options: RelayOptions, shopName: string): Handler {
    // A limiter of the merchant's own counts the clients of each shop apart.
    const rateLimit = isLimiter(options.rateLimit) ? limiterOf(options.rateLimit, shopName) : options.rateLimit;
    return createHandler({ ...readOptions({ ...options, rateLimit }), shop: shopName });
  }

  /** Returns the store of a shop. One that cannot be opened is tried again with the next request. */
  function storeOf(name: string): Promise<DedupeStore> {
    const { now } = common;
    const store = stores.get(name) ?? (async () => (dedupe ? dedupe(name) : createDedupeMemory(now ? { now } : {})))();
    setNewest(stores, [name, store], { max });
    store.catch(() => stores.delete(name));
    return store;
  }

  function refuse(error: unknown, request: RelayRequest): Reply {
    // The merchant's own refusal passes, as one of `context` does.
    const isOwn = error instanceof RelayError && !(error instanceof RelayConfigError) && error.status >= 400;
    const known = isOwn ? error : failed(error);
    const reply = errorReply(known);
    const { status, problem = '', code = '' } = reply;
    const request_id = readRequestId(request);
    log({ level: status >= 500 ? 'error' : 'warn', message: 'No shop.', request_id, status, code, error: problem });
    measure({ name: 'request', value: 0, status });
    return { ...reply, headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...reply.headers } };
  }

  return {
    gauges: () => [...opened.values()].flatMap(({ handler }) => handler.gauges()),
    async respond(request, info) {
      let handler: Handler;
      try {
        handler = await find(request);
      } catch (error) {
        // For whoever watches the process: it knows no shop, and needs none.
        const isHealth = request.method === 'GET' && request.pathname === `${basePath}/health`;
        return isHealth && error === UNKNOWN ? HEALTH : refuse(error, request);
      }
      return handler.respond(request, info);
    },
    async prefetch(source, given) {
      try {
        const [request, info] = readSource(source);
        const handler = await find(request).catch((error: unknown) => void refuse(error, request));
        return await handler?.prefetch([request, info], given);
      } catch {
        return undefined;
      }
    },
  };
}

/** A key is changed now and then. Whoever sees this with each request has limits that never hold. */
const REOPENED = 'The options of this shop have changed. Its rate limits and remembered offers begin anew.';
const LATE = 'The relay could not find out in time which shop this is. Try again later.';
const UNKNOWN = new RelayError('There is no shop here.', { status: 404, code: 'unknown_shop' });
const HEALTH: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: '{"status":"ok"}',
};

/** The error of a shop that could not be found or opened, for pages; the log has the cause. */
function failed(cause: unknown): RelayError {
  if (cause instanceof RelayConfigError)
    return new RelayError(NOT_CONFIGURED, { status: 500, code: 'invalid_option', cause });
  const about = { status: 503, code: 'shop_failed', retryAfterMs: RETRY_AFTER_MS, cause };
  return new RelayError('The relay cannot find out which shop this is. Try again later.', about);
}

function readName(name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  return refuseOption('name', 'of a shop must be up to 64 letters, digits, dots, underscores and hyphens.');
}

/** What a shop is opened with, as text. Functions are those of each request. */
function written(given: Shop): string {
  const { rateLimit } = given;
  return JSON.stringify({ ...given, dedupe: null, rateLimit: isLimiter(rateLimit) ? null : rateLimit });
}

function isLimiter(rateLimit: unknown): rateLimit is RateLimiter {
  return isObject(rateLimit) && typeof rateLimit['take'] === 'function';
}

function limiterOf(limiter: RateLimiter, shop: string): RateLimiter {
  return {
    take: (key, kind, cost) => limiter.take(`${shop} ${key}`, kind, cost),
    ...(limiter.charge && { charge: (key, kind, cost) => limiter.charge?.(`${shop} ${key}`, kind, cost) }),
  };
}
