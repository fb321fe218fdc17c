import { readKey } from '../wire/keys.ts';
import { ANSWER_MAX_BYTES, EVENTS_BODY_MAX_BYTES, RECOMMENDATIONS_BODY_MAX_BYTES } from '../wire/limits.ts';
import { isObject } from '../wire/json.ts';
import { RelayConfigError } from './errors.ts';
import type { RelayLimits, RelayOptions, RelayTimeouts } from './options.ts';
import { createRateLimiter, DEFAULT_RATE_LIMITS, type Bucket, type RateLimiter, type RateLimits } from './rateLimit.ts';
import { createSeenMemory, type SeenStore } from './seen.ts';

/** The options, checked and with every default in its place. */
export interface Settings {
  readonly apiKey: string;
  readonly version: string;
  readonly baseUrl: string;
  readonly environment: 'staging' | 'production' | undefined;
  readonly sandbox: boolean;
  /** Without a slash at its end: `/offers`, or empty for the root. */
  readonly basePath: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly context: RelayOptions['context'];
  readonly emails: 'hash' | 'raw';
  readonly forwardEventIds: boolean;
  readonly forwardAddress: boolean;
  readonly addressHeader: string | undefined;
  readonly timeouts: RelayTimeouts;
  readonly limits: RelayLimits;
  readonly limiter: RateLimiter | undefined;
  readonly seen: SeenStore;
  readonly now: () => number;
}

const TIMEOUTS: RelayTimeouts = { recommendations: 2_500, events: 8_000, body: 10_000, context: 2_000 };
const LIMITS: RelayLimits = {
  recommendationsBytes: RECOMMENDATIONS_BODY_MAX_BYTES,
  eventsBytes: EVENTS_BODY_MAX_BYTES,
  answerBytes: ANSWER_MAX_BYTES,
};
const TIMEOUT_MAX_MS = 120_000;
const LIMIT_MAX_BYTES = 16 * 1024 * 1024;
/** In sandbox mode one machine plays many shoppers. */
const SANDBOX_RATE_FACTOR = 10;
const NAMES = [
  'apiKey',
  'version',
  'baseUrl',
  'environment',
  'sandbox',
  'basePath',
  'allowedOrigins',
  'context',
  'emails',
  'forwardEventIds',
  'forwardAddress',
  'addressHeader',
  'timeouts',
  'limits',
  'rateLimit',
  'seen',
  'fetch',
  'now',
  'onLog',
  'onMetric',
] as const satisfies readonly (keyof RelayOptions)[];

/** Checks the options of `createRelay`; throws a `RelayConfigError` that says what to write instead. */
export function readOptions(options: RelayOptions): Settings {
  if (!isObject(options)) fail('createRelay needs its options: createRelay({ apiKey, version, baseUrl }).');
  for (const name of Object.keys(options)) {
    if (!(NAMES as readonly string[]).includes(name))
      fail(`createRelay has no option '${name}': it takes ${NAMES.join(', ')}.`);
  }
  const now = functionOr('now', options.now) ?? Date.now;
  functionOr('context', options.context);
  functionOr('fetch', options.fetch);
  functionOr('onLog', options.onLog);
  functionOr('onMetric', options.onMetric);
  const sandbox = flag('sandbox', options.sandbox);
  return {
    apiKey: readApiKey(options),
    version: readVersion(options.version),
    baseUrl: readBaseUrl(options),
    environment: options.environment ?? readKey(options.apiKey)?.environment,
    sandbox,
    basePath: readBasePath(options.basePath),
    allowedOrigins: readOrigins(options.allowedOrigins),
    context: options.context,
    emails: options.emails === undefined ? 'hash' : oneOf('emails', options.emails, ['hash', 'raw']),
    forwardEventIds: flag('forwardEventIds', options.forwardEventIds),
    forwardAddress: flag('forwardAddress', options.forwardAddress),
    addressHeader: readHeaderName(options.addressHeader),
    timeouts: numbers('timeouts', {
      defaults: TIMEOUTS,
      given: options.timeouts,
      max: TIMEOUT_MAX_MS,
      unit: 'milliseconds',
    }),
    limits: numbers('limits', { defaults: LIMITS, given: options.limits, max: LIMIT_MAX_BYTES, unit: 'bytes' }),
    limiter: readRateLimit(options.rateLimit, { now, factor: sandbox ? SANDBOX_RATE_FACTOR : 1 }),
    seen: readSeen(options.seen) ?? createSeenMemory({ now }),
    now,
  };
}

function fail(message: string): never {
  throw new RelayConfigError(message);
}

function readApiKey({ apiKey, environment }: RelayOptions): string {
  if (typeof apiKey !== 'string' || apiKey === '')
    fail('apiKey is missing: give the integration key, such as apiKey: process.env.OFFERLET_API_KEY.');
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    fail(
      'apiKey holds a space, a line break or another character that no key has: copy it again, without what surrounds it.',
    );
  const key = readKey(apiKey);
  if (key?.family === 'publishable')
    fail('apiKey is a publishable key (adnet_pk_…): the relay needs the integration key (adnet_rk_…).');
  if (environment === undefined) return apiKey;
  oneOf('environment', environment, ['production', 'staging']);
  if (key && key.environment !== environment) {
    const [is, wants] =
      key.environment === 'staging'
        ? ['staging (…_test_…)', 'production (…_live_…)']
        : ['production (…_live_…)', 'staging (…_test_…)'];
    fail(
      `apiKey is a ${is} key but environment is '${environment}': give the ${wants} key, or write environment: '${key.environment}' and the address that goes with it.`,
    );
  }
  return apiKey;
}

function readVersion(version: unknown): string {
  if (typeof version === 'string' && /^v?\d+(\.\d+){0,2}([-+][\w.-]+)?$/.test(version)) return version;
  return fail(
    "version is missing or is none: pin the version of the Recommendations API that you tested with, such as version: '1.0.0'.",
  );
}

function readBaseUrl({ baseUrl, apiKey, environment }: RelayOptions): string {
  const example = "write the network's address, such as baseUrl: 'https://partner.example'";
  const url =
    typeof baseUrl === 'string' && URL.canParse(baseUrl)
      ? new URL(baseUrl)
      : fail(`baseUrl is missing or is no address: ${example}.`);
  if (url.username || url.password) fail(`baseUrl holds a user name or a password: ${example}, and the key as apiKey.`);
  if (url.search || url.hash) fail(`baseUrl ends in a query or a fragment: ${example}.`);
  if (!/^https?:$/.test(url.protocol)) fail(`baseUrl must begin with https://: ${example}.`);
  const isLive = environment === 'production' || readKey(apiKey)?.environment === 'production';
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (isLive && url.protocol === 'http:' && !isLoopback) {
    fail(`baseUrl is not https, so a live key would travel in the clear: ${example}.`);
  }
  return url.href.replace(/\/+$/, '');
}

function readBasePath(basePath: unknown): string {
  if (basePath === undefined) return '';
  if (typeof basePath !== 'string' || !/^\/[\w\-./~]*$/.test(basePath) || /\/\/|\/\.\.?(\/|$)/.test(basePath)) {
    fail("basePath must be a plain path that begins with a slash, such as basePath: '/offers'.");
  }
  return basePath.replace(/\/$/, '');
}

function readOrigins(origins: unknown): ReadonlySet<string> {
  if (origins === undefined) return new Set();
  if (!Array.isArray(origins)) fail("allowedOrigins must be a list, such as allowedOrigins: ['https://shop.example'].");
  for (const origin of origins as readonly unknown[]) {
    const isExact =
      typeof origin === 'string' &&
      URL.canParse(origin) &&
      /^https?:$/.test(new URL(origin).protocol) &&
      new URL(origin).origin === origin;
    if (!isExact)
      fail(
        `allowedOrigins holds '${String(origin)}': write exact origins only, such as 'https://shop.example', with no path, no slash at the end and no *.`,
      );
  }
  return new Set(origins as readonly string[]);
}

function readHeaderName(name: unknown): string | undefined {
  if (name === undefined || (typeof name === 'string' && /^[a-z0-9-]+$/i.test(name))) return name;
  return fail(
    "addressHeader must be the name of a header that your own proxy sets, such as addressHeader: 'x-forwarded-for'.",
  );
}

function readSeen(seen: unknown): SeenStore | undefined {
  if (seen === undefined) return undefined;
  const hasAll = isObject(seen) && ['claim', 'accept', 'release'].every((name) => typeof seen[name] === 'function');
  return hasAll
    ? (seen as unknown as SeenStore)
    : fail(
        'seen must have claim, accept and release: createSeenMemory(), await openSeenFile(directory) or await openSeenRedis({ url }).',
      );
}

function readRateLimit(
  rateLimit: unknown,
  { now, factor }: { now: () => number; factor: number },
): RateLimiter | undefined {
  if (rateLimit === false) return undefined;
  if (rateLimit !== undefined && !isObject(rateLimit))
    fail('rateLimit must be false, { perAddress, perSession } or an object with take().');
  if (isObject(rateLimit) && typeof rateLimit['take'] === 'function') return rateLimit as unknown as RateLimiter;
  const given: Partial<RateLimits> = rateLimit ?? {};
  for (const name of Object.keys(given))
    if (!(name in DEFAULT_RATE_LIMITS)) fail(`rateLimit has no '${name}': it takes perAddress and perSession.`);
  const widened = ({ burst, perSecond }: Bucket): Bucket => ({ burst: burst * factor, perSecond: perSecond * factor });
  return createRateLimiter(
    {
      perAddress: bucket('perAddress', given.perAddress) ?? widened(DEFAULT_RATE_LIMITS.perAddress),
      perSession: bucket('perSession', given.perSession) ?? widened(DEFAULT_RATE_LIMITS.perSession),
    },
    now,
  );
}

function bucket(name: string, given: Bucket | undefined): Bucket | undefined {
  if (given === undefined) return undefined;
  const isBucket =
    isObject(given) &&
    [given.burst, given.perSecond].every((value) => typeof value === 'number' && value > 0 && Number.isFinite(value));
  return isBucket
    ? given
    : fail(`rateLimit.${name} must be two numbers above 0, such as { burst: 60, perSecond: 10 }.`);
}

function numbers<T extends RelayTimeouts | RelayLimits>(
  option: string,
  is: { defaults: T; given: Partial<T> | undefined; max: number; unit: string },
): T {
  const { defaults, given, max, unit } = is;
  if (given === undefined) return defaults;
  if (!isObject(given))
    return fail(
      `${option} must be an object of ${unit}, such as ${option}: { ${Object.entries(defaults)[0]?.join(': ')} }.`,
    );
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) fail(`${option} has no '${name}': it takes ${Object.keys(defaults).join(', ')}.`);
    const isFine = value === undefined || (typeof value === 'number' && value >= 1 && value <= max);
    if (!isFine) fail(`${option}.${name} must be a number of ${unit} between 1 and ${max}.`);
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

function flag(name: string, value: unknown): boolean {
  return value === undefined || typeof value === 'boolean' ? value === true : fail(`${name} must be true or false.`);
}

function oneOf<const Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  return (
    words.find((word) => word === value) ?? fail(`${name} must be ${words.map((word) => `'${word}'`).join(' or ')}.`)
  );
}

function functionOr<T>(name: string, value: T): T {
  return value === undefined || typeof value === 'function' ? value : fail(`${name} must be a function.`);
}
