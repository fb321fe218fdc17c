import { escaped } from '../text/printable.ts';
import { hashEmail } from '../wire/hash.ts';
import { isNestedDeeper, isObject, own, parseJson, type JsonObject } from '../wire/json.ts';
import { JSON_MAX_DEPTH, RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { PREFETCHED_ATTRIBUTE, type PrefetchedOffers, shopperCheck } from '../wire/offers/prefetched.ts';
import { isBot, IDENTIFIERS, type OrderDetails, type RecommendationRequest } from '../wire/offers/request.ts';
import { asRelayError, RelayError, errorReply } from './errors.ts';
import { withDeadline } from '../http/withDeadline.ts';
import type { RateCounter } from './rateLimits.ts';
import { type Caller, type CallerSettings, readCaller } from './readCaller.ts';
import type { RelaySettings } from './options/readOptions.ts';
import type { Recommend } from './recommend.ts';
import { SERVER } from './repeatResponses.ts';
import {
  fromNode,
  fromRequest,
  type NodeRequest,
  type ReadRequest,
  readRequestInfo,
  type RelayRequest,
} from './runtime.ts';
import type { Telemetry } from './telemetry.ts';

/** What a page is going to request, and how long it may wait for that. */
export interface PrefetchRequest extends Omit<RecommendationRequest, 'order_details'> {
  /** With the `order_id` that the page states. */
  order_details: OrderDetails & { order_id: string };
  /** The shopper's consent, if the shop asks for it. With anything but `true`, nothing is requested. */
  consent?: boolean | undefined;
  /** The `lang` of the page, for offers in its language. By default the browser's `Accept-Language`. */
  locale?: string | undefined;
  /** Milliseconds for which the page may be held up: 800 by default. */
  timeout?: number | undefined;
  /** The shopper's IP address, where neither the request nor `addressHeader` has it. */
  ip?: string | undefined;
}

/** Offers for a page that is being rendered. */
export interface Prefetched {
  /** The block for the page's HTML; write it unescaped: `<script type="application/json" data-offerlet-offers>…</script>`. */
  readonly script: string;
  /** The same as a value, for `showOffers({ prefetched })` and `<Offers prefetched={…} />`. */
  readonly json: PrefetchedOffers;
}

/**
 * Requests the offers of a page while the page is rendered. Takes the page's own request, as a `Request` or a message of
 * node:http. Resolves to `undefined` without consent, after any failure and after the timeout: then the page requests them
 * itself. Never throws, never rejects.
 */
export type Prefetch = (request: Request | NodeRequest, given: PrefetchRequest) => Promise<Prefetched | undefined>;

/** A `Prefetch` that also takes a request that was read before. */
export type PrefetchRead = (
  source: Parameters<Prefetch>[0] | ReadRequest,
  given: PrefetchRequest,
) => Promise<Prefetched | undefined>;

/** Milliseconds for which a page is held up by default. */
const TIMEOUT_MS = 800;
const TIMEOUT_MAX_MS = 120_000;

export interface PrefetchParts {
  readonly settings: Pick<RelaySettings, 'limits'> & CallerSettings;
  readonly rates: RateCounter;
  readonly telemetry: Telemetry;
  readonly recommend: Recommend;
}

/** What the log says about a prefetch. */
interface Noted {
  readonly status: number;
  readonly error?: string | undefined;
  readonly code?: string | undefined;
}

/** Returns the relay's `prefetch`: a recommendations request like a page's, made by the server that renders the page. */
export function createPrefetch({ settings, rates, telemetry, recommend }: PrefetchParts): PrefetchRead {
  async function ask(request: RelayRequest, page: JsonObject, caller: Caller): Promise<Prefetched> {
    if (rates.isOn) await rates.spendRequest(caller.client);
    const { status, body, problem } = await recommend({ request, page, asker: SERVER, caller });
    if (status !== 200) throw new RelayError(problem ?? 'The network refused.', { status, code: 'refused' });
    return writeBlock(page, parseJson(body));
  }

  return async (source, given) => {
    const started = performance.now();
    const note = (level: 'info' | 'warn', { status, error, code }: Noted): undefined => {
      const ms = Math.round(performance.now() - started);
      telemetry.measure({ name: 'request', value: ms, route: 'prefetch', status });
      telemetry.log({
        level,
        message: error === undefined ? 'Offers were prefetched.' : 'Offers were not prefetched.',
        route: 'prefetch',
        status,
        ms,
        ...(code !== undefined && { code }),
        ...(error !== undefined && { error }),
      });
      return undefined;
    };
    try {
      const [request, info] = readSource(source);
      const unwanted = whyUnwanted(request, given);
      if (unwanted) return note('info', { status: 204, error: unwanted });
      const page = readGiven(given, settings.limits.recommendationsBytes);
      const { timeout = TIMEOUT_MS, ip = info.ip } = given;
      const ms = timeout > 0 && timeout <= TIMEOUT_MAX_MS ? timeout : TIMEOUT_MS;
      // What comes too late is awaited no longer, but still counts for the circuit: it may have been a good response.
      const caller = readCaller(request, { ...info, ip }, settings);
      const late = (): RelayError =>
        new RelayError(`There was no response within ${ms} ms.`, { status: 504, code: 'prefetch_timeout' });
      const prefetched = await withDeadline(ask(request, page, caller), { ms, late });
      note('info', { status: 200 });
      return prefetched;
    } catch (error) {
      const known = asRelayError(error);
      return note('warn', { status: known.status, error: errorReply(known).problem, code: known.code });
    }
  };
}

/** Reads the page's request, as the merchant passes it. */
export function readSource(source: Request | NodeRequest | ReadRequest): ReadRequest {
  if (isRead(source)) return source;
  return isRequest(source) ? [fromRequest(source), {}] : [fromNode(source), readRequestInfo(source)];
}

function isRead(source: Request | NodeRequest | ReadRequest): source is ReadRequest {
  return Array.isArray(source);
}

/** Frameworks have their own classes of `Request`. */
function isRequest(source: Request | NodeRequest): source is Request {
  return typeof source.headers.get === 'function';
}

/** Returns why nothing may be requested, or need be; empty if there is no reason. */
function whyUnwanted({ method, header }: RelayRequest, given: unknown): string {
  if (header('sec-gpc')?.trim() === '1') return 'The browser sends Sec-GPC: 1.';
  // As in the page: a key that is there without a value is a decision that has not been made.
  if (isObject(given) && 'consent' in given && given['consent'] !== true) return 'There is no consent.';
  const agent = header('user-agent') ?? '';
  // `offerlet doctor` says that it is a bot, and has to see the page of a shopper.
  if (isBot(agent) && !agent.includes('OfferletDoctor')) return 'The browser is a bot.';
  const isAhead = /prefetch|prerender/i.test(header('sec-purpose') ?? header('purpose') ?? '');
  return isAhead || method === 'HEAD' ? 'The page may never be shown.' : '';
}

/** Returns what the page would send, checked like that. Throws a `RelayError`. */
function readGiven(given: unknown, maxBytes: number): JsonObject {
  const { consent: _, timeout: __, ip: ___, locale, ...body } = isObject(given) ? given : {};
  // As the page says it, whose own attributes come first.
  const [language] = /^[a-z]{2,3}(?![a-z])/i.exec(typeof locale === 'string' ? locale : '') ?? [];
  const attributes = { language: language?.toLowerCase(), ...(own(body, 'attributes') as JsonObject) };
  const text = JSON.stringify(language ? { ...body, attributes } : body);
  const page = parseJson(text);
  const invalid = (message: string): RelayError => new RelayError(message, { status: 400, code: 'invalid_request' });
  if (encoder.encode(text).byteLength > maxBytes) throw invalid(`The request is larger than ${maxBytes} bytes.`);
  if (!isObject(page) || isNestedDeeper(page, JSON_MAX_DEPTH)) throw invalid('The request is nested too deep.');
  const order = own(page, 'order_details');
  const id = own(order, 'order_id');
  if ((typeof id !== 'string' && typeof id !== 'number') || String(id).trim() === '')
    throw invalid('order_details.order_id is missing. Pass the order number that the page states.');
  return { ...page, order_details: { ...(order as JsonObject), order_id: String(id) } };
}

const encoder = new TextEncoder();

/** Returns the block for a request and its response. Throws a `RelayError` when no page would read it. */
async function writeBlock(page: JsonObject, response: unknown): Promise<Prefetched> {
  const [placement, order] = [own(page, 'placement_details'), own(page, 'order_details')];
  const json: PrefetchedOffers = {
    view: String(own(placement, 'view')),
    display_mode: String(own(placement, 'display_mode')),
    order_id: String(own(order, 'order_id')),
    shopper: await checkShopper(own(page, 'user_details'), own(order, 'order_id')),
    at: new Date().toISOString(),
    response,
  };
  const text = JSON.stringify(json).replace(/[<>&\u2028\u2029]/g, escaped);
  const script = `<script type="application/json" ${PREFETCHED_ATTRIBUTE}>${text}</script>`;
  if (encoder.encode(script).byteLength > RESPONSE_MAX_BYTES)
    throw new RelayError('The response is too large for a page.', { status: 502, code: 'network_answer_unreadable' });
  return { script, json };
}

/** Returns what lets the page notice that it is another shopper's. */
async function checkShopper(user: unknown, order: unknown): Promise<Record<string, string>> {
  const checks: Record<string, string> = {};
  for (const name of IDENTIFIERS) {
    const value = own(user, name);
    if (typeof value !== 'string') continue;
    const [stated, identifier] = name === 'email' ? ['email_hash', await hashEmail(value)] : [name, value.trim()];
    checks[stated] = shopperCheck(stated === 'email_hash' ? identifier.toLowerCase() : identifier, order);
  }
  return checks;
}
