import { carefulClock, createDedupeMemory } from '../dedupe/createDedupeMemory.ts';
import { quote } from '../../http/networkAccess.ts';
import { isObject } from '../../wire/json.ts';
import {
  BATCH_MAX_EVENTS,
  EVENTS_BODY_MAX_BYTES,
  RECOMMENDATIONS_BODY_MAX_BYTES,
  RESPONSE_MAX_BYTES,
} from '../../wire/limits.ts';
import type { DedupeStore } from '../dedupe/dedupeStore.ts';
import { RelayConfigError } from '../errors.ts';
import {
  createRateLimiter,
  DEFAULT_RATE_LIMITS,
  type Bucket,
  type RateLimiter,
  type RateLimits,
} from '../rateLimits.ts';
import { readNetworkAccess, type NetworkAccess } from './networkAccess.ts';
import { readChoice, readFlag, readFunction, readNumbers, refuseOption, refuseOtherNames } from '../optionValue.ts';
import type { Authorize, RelayLimits, RelayOptions, RelayTimeouts } from './relayOptions.ts';

/** `always`: every request is a test. `asked`: those that the page marks. `never`: the page's mark is removed. */
export type SandboxRule = 'always' | 'asked' | 'never';

/** The options of a relay, checked and with every default filled in. */
export interface RelaySettings extends NetworkAccess {
  readonly sandbox: SandboxRule;
  /** Without a slash at its end: `/offers`, or empty for the root. */
  readonly basePath: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly authorize: Authorize | undefined;
  readonly context: RelayOptions['context'];
  readonly emails: 'hash' | 'raw';
  readonly forwardEventIds: boolean;
  /** Whether the times of events are corrected by `time`. */
  readonly correctTime: boolean;
  readonly forwardAddress: boolean;
  readonly addressHeader: string | undefined;
  readonly timeouts: RelayTimeouts;
  readonly limits: RelayLimits;
  readonly limiter: RateLimiter | undefined;
  readonly dedupe: DedupeStore;
  readonly fetch: typeof globalThis.fetch | undefined;
  /** The time by which events are too old: never ahead because somebody sets the machine's clock for a moment. */
  readonly now: () => number;
  /** The time of day, as this machine knows it. */
  readonly time: () => number;
  readonly onLog: RelayOptions['onLog'];
  readonly onMetric: RelayOptions['onMetric'];
}

const TIMEOUTS: RelayTimeouts = {
  recommendations: 2_500,
  events: 8_000,
  body: 10_000,
  authorize: 2_000,
  context: 2_000,
  dedupe: 2_000,
};
const LIMITS: RelayLimits = {
  recommendationsBytes: RECOMMENDATIONS_BODY_MAX_BYTES,
  eventsBytes: EVENTS_BODY_MAX_BYTES,
  answerBytes: RESPONSE_MAX_BYTES,
};
const TIMEOUT_MAX_MS = 120_000;
const LIMIT_MAX_BYTES = 16 * 1024 * 1024;
/** Busy addresses that one network may have by default: a company, or the customers of a small provider. */
const ADDRESSES_PER_NETWORK = 10;
/** In sandbox mode one machine plays many shoppers. */
const SANDBOX_RATE_FACTOR = 10;
const NAMES: readonly string[] = (
  'apiKey version networkUrl environment sandbox basePath allowedOrigins authorize context emails forwardEventIds ' +
  'correctTime forwardAddress addressHeader timeouts limits rateLimit dedupe fetch now onLog onMetric'
).split(' ');

/** Checks the options of `createRelay`. Throws a `RelayConfigError` that says what to use instead. */
export function readOptions(options: RelayOptions): RelaySettings {
  if (!isObject(options))
    throw new RelayConfigError('createRelay needs its options: createRelay({ apiKey, version, networkUrl }).');
  const other = Object.keys(options).find((name) => !NAMES.includes(name));
  if (other !== undefined)
    throw new RelayConfigError(`createRelay has no option ${quote(other, "'")}. Its options are ${NAMES.join(', ')}.`);
  const network = readNetworkAccess(options);
  const given = readFunction('now', options.now);
  const isSandbox = readFlag('sandbox', options.sandbox);
  const { limits, timeouts: times } = options;
  const timeouts = readNumbers('timeouts', {
    defaults: TIMEOUTS,
    given: times,
    max: TIMEOUT_MAX_MS,
    unit: 'milliseconds',
  });
  return {
    ...network,
    sandbox: isSandbox ? 'always' : network.environment === 'production' ? 'never' : 'asked',
    basePath: readBasePath(options.basePath),
    allowedOrigins: readOrigins(options.allowedOrigins),
    authorize: readFunction('authorize', options.authorize),
    context: readFunction('context', options.context),
    emails: readChoice('emails', { value: options.emails ?? 'hash', words: ['hash', 'raw'] }),
    forwardEventIds: readFlag('forwardEventIds', options.forwardEventIds),
    correctTime: options.correctTime === undefined || readFlag('correctTime', options.correctTime),
    forwardAddress: readFlag('forwardAddress', options.forwardAddress),
    addressHeader: readAddressHeader(options.addressHeader),
    timeouts,
    limits: readNumbers('limits', { defaults: LIMITS, given: limits, max: LIMIT_MAX_BYTES, unit: 'bytes' }),
    limiter: readRateLimit(options.rateLimit, isSandbox ? SANDBOX_RATE_FACTOR : 1),
    dedupe: readDedupe(options.dedupe, timeouts) ?? createDedupeMemory(given ? { now: given } : {}),
    fetch: readFunction('fetch', options.fetch),
    now: given ?? carefulClock(),
    time: given ?? Date.now,
    onLog: readFunction('onLog', options.onLog),
    onMetric: readFunction('onMetric', options.onMetric),
  };
}

function readDedupe(dedupe: unknown, timeouts: RelayTimeouts): DedupeStore | undefined {
  if (dedupe === undefined) return undefined;
  const hasAll = isObject(dedupe) && ['claim', 'accept', 'release'].every((name) => typeof dedupe[name] === 'function');
  if (!hasAll)
    return refuseOption(
      'dedupe',
      'must have claim, accept and release. Use createDedupeMemory(), await openDedupeFile(directory) or await openDedupeRedis({ url }).',
    );
  const store = dedupe as unknown as DedupeStore;
  const { ledger }: { ledger?: unknown } = store;
  const isLedger =
    isObject(ledger) &&
    ['add', 'openSession', 'placementsOf', 'read'].every((name) => typeof ledger[name] === 'function');
  if (ledger !== undefined && !isLedger)
    refuseOption('dedupe', 'has a ledger without add, openSession, placementsOf and read. Add them, or leave it out.');
  // To claim it, to forward it, and to write that it was accepted.
  const needed = timeouts.events + 2 * timeouts.dedupe;
  if (store.claimMs !== undefined && !(store.claimMs >= needed))
    return refuseOption(
      'dedupe',
      `has a claimMs of ${store.claimMs}, but an event can be on its way for ${needed} milliseconds (timeouts.events, and twice timeouts.dedupe), and another relay would send it again. Use a claimMs of ${needed} or more, or shorter timeouts.`,
    );
  return store;
}

/** The limiter of the `rateLimit` option; `undefined` for none. `factor` widens the defaults. */
function readRateLimit(rateLimit: unknown, factor: number): RateLimiter | undefined {
  if (rateLimit === false) return undefined;
  if (rateLimit !== undefined && !isObject(rateLimit))
    refuseOption('rateLimit', 'must be false, { perAddress, perNetwork, perSession } or an object with take().');
  if (isObject(rateLimit) && typeof rateLimit['take'] === 'function') return rateLimit as unknown as RateLimiter;
  const given: Partial<RateLimits> = rateLimit ?? {};
  refuseOtherNames('rateLimit', given, Object.keys(DEFAULT_RATE_LIMITS));
  const perAddress =
    readBucket('rateLimit.perAddress', given.perAddress) ?? widen(DEFAULT_RATE_LIMITS.perAddress, factor);
  const limits: RateLimits = {
    perAddress,
    perNetwork: readBucket('rateLimit.perNetwork', given.perNetwork) ?? widen(perAddress, ADDRESSES_PER_NETWORK),
    perSession: readBucket('rateLimit.perSession', given.perSession) ?? widen(DEFAULT_RATE_LIMITS.perSession, factor),
  };
  for (const name of ['perAddress', 'perNetwork'] as const)
    if (limits[name].burst < 1)
      refuseOption(
        `rateLimit.${name}.burst`,
        `is ${limits[name].burst}, so no request could ever pass. Use 1 or more.`,
      );
  if (limits.perSession.burst < BATCH_MAX_EVENTS)
    refuseOption(
      'rateLimit.perSession.burst',
      `is ${limits.perSession.burst}, so a batch of ${BATCH_MAX_EVENTS} events of one session could never pass. Use ${BATCH_MAX_EVENTS} or more.`,
    );
  return createRateLimiter(limits);
}

function readBucket(option: string, given: Bucket | undefined): Bucket | undefined {
  if (given === undefined) return undefined;
  const isBucket =
    isObject(given) &&
    [given.burst, given.perSecond].every((value) => typeof value === 'number' && value > 0 && Number.isFinite(value));
  return isBucket
    ? given
    : refuseOption(option, 'must have two numbers above 0, such as { burst: 60, perSecond: 10 }.');
}

function widen({ burst, perSecond }: Bucket, factor: number): Bucket {
  return { burst: burst * factor, perSecond: perSecond * factor };
}

/** The path at which the relay is mounted, without a slash at its end: empty for the root. */
function readBasePath(basePath: unknown): string {
  if (basePath === undefined) return '';
  if (typeof basePath !== 'string' || !/^\/[\w\-./~]*$/.test(basePath) || /\/\/|\/\.\.?(\/|$)/.test(basePath))
    refuseOption(
      'basePath',
      `is not a path: ${quote(basePath)}. Use a plain path that begins with a slash, such as "/offers".`,
    );
  return basePath.replace(/\/$/, '');
}

/** The other origins whose pages may use the relay. */
function readOrigins(origins: unknown): ReadonlySet<string> {
  if (origins === undefined) return new Set();
  if (!Array.isArray(origins))
    refuseOption('allowedOrigins', 'must be a list of origins, such as ["https://shop.example"].');
  for (const origin of origins as readonly unknown[]) {
    if (!isExactOrigin(origin))
      refuseOption(
        'allowedOrigins',
        `contains ${quote(origin)}. Use exact origins such as "https://shop.example", with no path, no slash at the end and no *.`,
      );
  }
  return new Set(origins as readonly string[]);
}

/** Headers that hold something else than addresses, or addresses in another format. */
const NO_ADDRESS = /^(authorization|cookie|forwarded|host|origin|referer|user-agent|via|x-forwarded-(host|proto))$/i;

/** The name of the header with the shopper's IP address, in the lower case that Node uses. */
function readAddressHeader(name: unknown): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && NO_ADDRESS.test(name))
    return refuseOption(
      'addressHeader',
      `must not be ${quote(name)}, which does not hold plain IP addresses. Use a header that does and that your own proxy sets, such as "x-forwarded-for", "x-real-ip" or "cf-connecting-ip".`,
    );
  if (typeof name === 'string' && /^[a-z0-9-]+$/i.test(name)) return name.toLowerCase();
  return refuseOption(
    'addressHeader',
    `is not the name of a header: ${quote(name)}. Use one that your own proxy sets, such as "x-forwarded-for".`,
  );
}

function isExactOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  return /^https?:$/.test(url.protocol) && url.origin === origin;
}
