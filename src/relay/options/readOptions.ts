import { isObject } from '../../wire/json.ts';
import { EVENTS_BODY_MAX_BYTES, RECOMMENDATIONS_BODY_MAX_BYTES, RESPONSE_MAX_BYTES } from '../../wire/limits.ts';
import { RelayConfigError } from '../errors.ts';
import type { RateLimiter } from '../limits/createRateLimiter.ts';
import { createSeenMemory } from '../seen/createSeenMemory.ts';
import type { SeenStore } from '../seen/seenStore.ts';
import { readNetworkAccess, type NetworkAccess } from './networkAccess.ts';
import { readFlag, readFunction, readNumbers, readChoice, refuseOption } from './optionValue.ts';
import { readAddressHeader, readBasePath, readOrigins } from './pageOptions.ts';
import { readRateLimit } from './readRateLimit.ts';
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
  readonly forwardAddress: boolean;
  readonly addressHeader: string | undefined;
  readonly timeouts: RelayTimeouts;
  readonly limits: RelayLimits;
  readonly limiter: RateLimiter | undefined;
  readonly seen: SeenStore;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly now: () => number;
  readonly onLog: RelayOptions['onLog'];
  readonly onMetric: RelayOptions['onMetric'];
}

const TIMEOUTS: RelayTimeouts = { recommendations: 2_500, events: 8_000, body: 10_000, context: 2_000, seen: 2_000 };
const LIMITS: RelayLimits = {
  recommendationsBytes: RECOMMENDATIONS_BODY_MAX_BYTES,
  eventsBytes: EVENTS_BODY_MAX_BYTES,
  answerBytes: RESPONSE_MAX_BYTES,
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
  'authorize',
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

/** Checks the options of `createRelay`. Throws a `RelayConfigError` that says what to use instead. */
export function readOptions(options: RelayOptions): RelaySettings {
  if (!isObject(options))
    throw new RelayConfigError('createRelay needs its options: createRelay({ apiKey, version, baseUrl }).');
  for (const name of Object.keys(options)) {
    if (!(NAMES as readonly string[]).includes(name))
      throw new RelayConfigError(`createRelay has no option '${name}'. Its options are ${NAMES.join(', ')}.`);
  }
  const network = readNetworkAccess(options);
  const now = readFunction('now', options.now) ?? Date.now;
  const isSandbox = readFlag('sandbox', options.sandbox);
  const { limits } = options;
  const timeouts = readNumbers('timeouts', {
    defaults: TIMEOUTS,
    given: options.timeouts,
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
    forwardAddress: readFlag('forwardAddress', options.forwardAddress),
    addressHeader: readAddressHeader(options.addressHeader),
    timeouts,
    limits: readNumbers('limits', { defaults: LIMITS, given: limits, max: LIMIT_MAX_BYTES, unit: 'bytes' }),
    limiter: readRateLimit(options.rateLimit, { now, factor: isSandbox ? SANDBOX_RATE_FACTOR : 1 }),
    seen: readSeen(options.seen, timeouts) ?? createSeenMemory({ now }),
    fetch: readFunction('fetch', options.fetch),
    now,
    onLog: readFunction('onLog', options.onLog),
    onMetric: readFunction('onMetric', options.onMetric),
  };
}

function readSeen(seen: unknown, timeouts: RelayTimeouts): SeenStore | undefined {
  if (seen === undefined) return undefined;
  const hasAll = isObject(seen) && ['claim', 'accept', 'release'].every((name) => typeof seen[name] === 'function');
  if (!hasAll)
    return refuseOption(
      'seen',
      'must have claim, accept and release. Use createSeenMemory(), await openSeenFile(directory) or await openSeenRedis({ url }).',
    );
  const store = seen as unknown as SeenStore;
  const needed = timeouts.events + timeouts.seen;
  if (store.claimMs !== undefined && !(store.claimMs >= needed))
    return refuseOption(
      'seen',
      `has a claimMs of ${store.claimMs}, but an event can be on its way for ${needed} milliseconds (timeouts.events and timeouts.seen), and another relay would send it again. Use a claimMs of ${needed} or more, or shorter timeouts.`,
    );
  return store;
}
