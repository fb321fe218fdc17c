import { RESPONSE_MAX_BYTES, EVENTS_BODY_MAX_BYTES, RECOMMENDATIONS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { isObject } from '../../wire/json.ts';
import type { SandboxRule } from '../offers/composeRequest.ts';
import { readNetworkOptions, type NetworkOptions } from './networkOptions.ts';
import type { RelayLimits, RelayOptions, RelayTimeouts } from './options.ts';
import { fail, flag, functionOr, numbers, oneOf } from './optionValue.ts';
import { readBasePath, readHeaderName, readOrigins } from './pageOptions.ts';
import type { RateLimiter } from '../limits/rateLimit.ts';
import { readRateLimit } from './readRateLimit.ts';
import { createSeenMemory } from '../seen/createSeenMemory.ts';
import type { SeenStore } from '../seen/seenStore.ts';

/** The options, checked and with every default in its place. */
export interface Settings extends NetworkOptions {
  readonly sandbox: SandboxRule;
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
  const network = readNetworkOptions(options);
  const now = functionOr('now', options.now) ?? Date.now;
  functionOr('fetch', options.fetch);
  functionOr('onLog', options.onLog);
  functionOr('onMetric', options.onMetric);
  const isSandbox = flag('sandbox', options.sandbox);
  return {
    ...network,
    sandbox: isSandbox ? 'always' : network.environment === 'production' ? 'never' : 'asked',
    basePath: readBasePath(options.basePath),
    allowedOrigins: readOrigins(options.allowedOrigins),
    context: functionOr('context', options.context),
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
    limiter: readRateLimit(options.rateLimit, { now, factor: isSandbox ? SANDBOX_RATE_FACTOR : 1 }),
    seen: readSeen(options.seen) ?? createSeenMemory({ now }),
    now,
  };
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
