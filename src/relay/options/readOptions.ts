import { quote, readNetworkUrl, readVersion } from '../../http/networkAccess.ts';
import { isObject } from '../../wire/json.ts';
import { readKey, type Environment } from '../../wire/keys.ts';
import { EVENTS_BODY_MAX_BYTES, RECOMMENDATIONS_BODY_MAX_BYTES, RESPONSE_MAX_BYTES } from '../../wire/limits.ts';
import { carefulClock, createDedupeMemory } from '../dedupe/createDedupeMemory.ts';
import { RelayConfigError } from '../errors.ts';
import { checkWhole, readChoice, readFlag, readFunction, readNumbers, refuseOption } from '../optionValue.ts';
import { readRateLimit } from '../rateLimits.ts';
import { LOG_LEVELS } from '../telemetry.ts';
import { readAddressHeader, readBasePath, readDedupe, readOrigins } from './pageOptions.ts';
import { readKeyOption, URL_CHECK } from './networkAccess.ts';
import type { RelayLimits, RelayOptions, RelayTimeouts } from './relayOptions.ts';

/** `always`: every request is a test. `asked`: those that the page marks. `never`: the page's mark is removed. */
export type SandboxRule = 'always' | 'asked' | 'never';

/** The defaults of `timeouts`. */
export const TIMEOUTS: RelayTimeouts = {
  recommendations: 2_500,
  events: 8_000,
  body: 10_000,
  authorize: 2_000,
  context: 2_000,
  dedupe: 2_000,
  records: 10_000,
};
const LIMITS: RelayLimits = {
  recommendationsBytes: RECOMMENDATIONS_BODY_MAX_BYTES,
  eventsBytes: EVENTS_BODY_MAX_BYTES,
  answerBytes: RESPONSE_MAX_BYTES,
};
const TIMEOUT_MAX_MS = 120_000;
const LIMIT_MAX_BYTES = 16 * 1024 * 1024;
/** More proxies in a row than anybody has. */
const HOPS_MAX = 16;
/** In sandbox mode one machine plays many shoppers. */
const SANDBOX_RATE_FACTOR = 10;

/** One option: how it is checked, and what `offerlet relay` calls it. */
interface Row<Given> {
  /** Returns the setting. Throws a `RelayConfigError` for a value that cannot be used. */
  read(given: Given, so: SoFar): unknown;
  /** `undefined` for what only code can say. */
  readonly flag: Flag<Given> | undefined;
}

/** An option of the command, in the form of `cli/command.ts`. It is also an environment variable. */
type Flag<Given> = {
  readonly name: string;
  readonly about: string;
  /** Errors name the environment variable, which is where it belongs. */
  readonly isSecret?: true;
  /** Turns what was written into the option's value; without it, that is the value. */
  from?(words: readonly string[]): Given;
} & (
  | { readonly kind: 'flag' }
  | { readonly kind: 'text' | 'list'; readonly value: string; readonly default?: string }
  | { readonly kind: 'choice'; readonly choices: readonly string[]; readonly default?: string }
);

/** All options as given, and the settings that the rows above have read. */
interface SoFar {
  readonly options: RelayOptions;
  readonly settings: {
    readonly apiKey: string;
    readonly environment: Environment | undefined;
    readonly timeouts: RelayTimeouts;
  };
}

/**
 * Every option of `createRelay`, in the order in which they are read. Settings, flags, environment variables, `--help` and
 * the names in errors follow from it. An option of `RelayOptions` without a row is a type error.
 */
const ROWS = {
  apiKey: {
    read: (_, { options }) => readKeyOption(options),
    flag: {
      name: 'api-key',
      isSecret: true,
      kind: 'text',
      value: 'KEY',
      about: 'Integration key. Required. Other users of this machine can see it, so set OFFERLET_API_KEY instead.',
    },
  },
  version: {
    read: (given) => readVersion(given, refuseOption),
    // The version of the Recommendations API that this release was tested with.
    flag: {
      name: 'version',
      kind: 'text',
      value: 'VERSION',
      default: '1.0.0',
      about: 'Version of the Recommendations API.',
    },
  },
  /** `undefined` when neither the option nor the key says. */
  environment: {
    read: (given, { settings }) => given ?? readKey(settings.apiKey)?.environment,
    flag: {
      name: 'environment',
      kind: 'choice',
      choices: ['staging', 'production'],
      about: 'Refuses to start when the key is for the other environment.',
    },
  },
  /** Without a slash at its end. */
  networkUrl: {
    read: (given, { settings: { environment } }) => readNetworkUrl(given, { environment, ...URL_CHECK }),
    flag: {
      name: 'network',
      kind: 'text',
      value: 'URL',
      about: 'URL of the network, such as https://partner.example. Required.',
    },
  },
  sandbox: {
    read: (given, { settings: { environment } }): SandboxRule =>
      readFlag('sandbox', given) ? 'always' : environment === 'production' ? 'never' : 'asked',
    flag: { name: 'sandbox', kind: 'flag', about: 'Marks every request as a test.' },
  },
  /** Without a slash at its end: `/offers`, or empty for the root. */
  basePath: {
    read: readBasePath,
    flag: {
      name: 'base-path',
      kind: 'text',
      value: 'PATH',
      default: '/',
      about: 'Path at which the relay is mounted.',
    },
  },
  allowedOrigins: {
    read: readOrigins,
    flag: {
      name: 'allow-origin',
      kind: 'list',
      value: 'ORIGIN',
      about: 'Another origin whose pages may use the relay, such as https://shop.example.',
    },
  },
  authorize: { read: (given) => readFunction('authorize', given), flag: undefined },
  context: { read: (given) => readFunction('context', given), flag: undefined },
  emails: {
    read: (given = 'hash') => readChoice('emails', { value: given, words: ['hash', 'raw'] }),
    flag: {
      name: 'emails',
      kind: 'choice',
      choices: ['hash', 'raw'],
      default: 'hash',
      about: "How the shopper's email is sent to the network.",
    },
  },
  forwardEventIds: {
    read: (given) => readFlag('forwardEventIds', given),
    flag: {
      name: 'forward-event-ids',
      kind: 'flag',
      about: 'Forwards event_id, for networks that detect duplicates by it.',
    },
  },
  /** Whether the times of events are corrected by `time`. */
  correctTime: { read: (given = true) => readFlag('correctTime', given), flag: undefined },
  forwardAddress: {
    read: (given) => readFlag('forwardAddress', given),
    flag: { name: 'forward-address', kind: 'flag', about: "Sends the shopper's IP address to the network." },
  },
  addressHeader: {
    read: readAddressHeader,
    flag: {
      name: 'address-header',
      kind: 'text',
      value: 'NAME',
      about: "Header with the shopper's IP address that your reverse proxy sets, such as x-forwarded-for.",
    },
  },
  trustedHops: {
    read(given = 1, { options }) {
      checkWhole('trustedHops', given, HOPS_MAX);
      if (given > 1 && options.addressHeader === undefined)
        refuseOption('trustedHops', 'counts the entries of addressHeader, which is missing.');
      return given;
    },
    flag: {
      name: 'trusted-hops',
      kind: 'text',
      value: 'N',
      default: '1',
      about: 'How many of your proxies append to that header, such as 2 behind a content network and a proxy.',
      from: (written) => Number(String(written)),
    },
  },
  timeouts: {
    read: (given) => readNumbers('timeouts', { defaults: TIMEOUTS, given, max: TIMEOUT_MAX_MS, unit: 'milliseconds' }),
    flag: {
      name: 'timeout',
      kind: 'list',
      value: 'NAME=MS',
      about: 'A timeout: recommendations, events, body, context, dedupe or records, such as context=300.',
      from: (words) => readAmounts('timeouts', { words, example: 'recommendations=2000' }),
    },
  },
  limits: {
    read: (given) => readNumbers('limits', { defaults: LIMITS, given, max: LIMIT_MAX_BYTES, unit: 'bytes' }),
    flag: {
      name: 'limit',
      kind: 'list',
      value: 'NAME=BYTES',
      about: 'A limit: recommendationsBytes, eventsBytes or answerBytes.',
      from: (words) => readAmounts('limits', { words, example: 'eventsBytes=32768' }),
    },
  },
  /** `undefined` for none. */
  rateLimit: {
    read: (given, { options }) => readRateLimit(given, options.sandbox === true ? SANDBOX_RATE_FACTOR : 1),
    flag: {
      name: 'rate-limit',
      kind: 'list',
      value: 'NAME=BURST/PER_SECOND',
      about: 'A rate limit: perAddress, perNetwork or perSession, such as perAddress=600/100. "off" for none.',
      from: readBuckets,
    },
  },
  /** The time by which events are too old: never ahead because somebody sets the machine's clock for a moment. */
  now: { read: (given) => readFunction('now', given) ?? carefulClock(), flag: undefined },
  dedupe: {
    read: (given, { options: { now }, settings: { timeouts } }) =>
      readDedupe(given, timeouts) ?? createDedupeMemory(now ? { now } : {}),
    flag: undefined,
  },
  fetch: { read: (given) => readFunction('fetch', given), flag: undefined },
  onOffers: { read: (given) => readFunction('onOffers', given), flag: undefined },
  onEvents: { read: (given) => readFunction('onEvents', given), flag: undefined },
  onLog: { read: (given) => readFunction('onLog', given), flag: undefined },
  onMetric: { read: (given) => readFunction('onMetric', given), flag: undefined },
  logLevel: {
    read: (given) => (given === undefined ? undefined : readChoice('logLevel', { value: given, words: LOG_LEVELS })),
    flag: {
      name: 'log-level',
      kind: 'choice',
      choices: LOG_LEVELS,
      default: 'info',
      about: 'The least important level that is logged; info is a line for each request.',
    },
  },
} as const satisfies { readonly [Name in keyof RelayOptions]-?: Row<RelayOptions[Name]> };

type Rows = typeof ROWS;

/** The options of a relay, checked and with every default filled in. */
export type RelaySettings = { readonly [Name in keyof Rows]: ReturnType<Rows[Name]['read']> } & {
  /** The time of day, as this machine knows it. */
  readonly time: () => number;
};

/** The names of all options that have a value in JSON, for files of several shops. */
export const OPTION_NAMES: readonly string[] = Object.entries<Row<unknown>>(ROWS).flatMap(([name, { flag }]) =>
  flag ? name : [],
);

/** Checks the options of `createRelay`. Throws a `RelayConfigError` that says what to use instead. */
export function readOptions(options: RelayOptions): RelaySettings {
  if (!isObject(options))
    throw new RelayConfigError('createRelay needs its options: createRelay({ apiKey, version, networkUrl }).');
  const given: Readonly<Record<string, unknown>> = options;
  const names = [...Object.keys(ROWS), 'shop'];
  const other = Object.keys(given).find((name) => given[name] !== undefined && !Object.hasOwn(ROWS, name));
  if (other !== undefined)
    throw new RelayConfigError(`createRelay has no option ${quote(other, "'")}. Its options are ${names.join(', ')}.`);
  const settings: Record<string, unknown> = {};
  for (const [name, { read }] of Object.entries<Row<unknown>>(ROWS))
    settings[name] = read(given[name], { options, settings: settings as unknown as SoFar['settings'] });
  return { ...(settings as unknown as RelaySettings), time: options.now ?? Date.now };
}

/** The flags of `offerlet relay` that are options of `createRelay`, in the order of `--help`. */
export const RELAY_FLAGS = Object.fromEntries(
  Object.values<Row<unknown>>(ROWS).flatMap(({ flag }) => (flag ? [[flag.name, flag]] : [])),
) as unknown as FlagsOf<Rows>;

type FlagsOf<All> = {
  readonly [
    Name in keyof All as All[Name] extends { flag: { name: infer Word extends string } } ? Word : never
  ]: All[Name] extends { flag: infer Found } ? Found : never;
};

/** What each of those options is called by errors of the command. */
export const FLAG_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Row<unknown>>(ROWS).flatMap(([name, { flag }]) => (flag ? [[name, calledBy(flag)]] : [])),
);

function calledBy({ name, isSecret }: Flag<unknown>): string {
  return isSecret ? `OFFERLET_${name.toUpperCase().replaceAll('-', '_')}` : `--${name}`;
}

/** Returns the options that the flags of a command give. */
export function optionsFromFlags(settings: Readonly<Record<string, unknown>>): Partial<RelayOptions> {
  return Object.fromEntries(
    Object.entries<Row<unknown>>(ROWS).flatMap(([name, { flag }]) => {
      const value = flag && settings[flag.name];
      return value === undefined ? [] : [[name, flag?.from ? flag.from(value as readonly string[]) : value]];
    }),
  );
}

/** Reads pairs of `NAME=NUMBER`. Which names there are, and which numbers are allowed, the row's check knows. */
function readAmounts(option: string, { words, example }: { words: readonly string[]; example: string }): object {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, amount] = /^(\w+)=(\d+)$/.exec(word) ?? [];
      return name === undefined
        ? refuseOption(option, `is not a name and a whole number: "${word}". Use something like ${example}.`)
        : [name, Number(amount)];
    }),
  );
}

/** Reads `NAME=BURST/PER_SECOND`, or `off`. */
function readBuckets(words: readonly string[]): RelayOptions['rateLimit'] {
  if (words.length === 0) return undefined;
  if (words.length === 1 && words[0] === 'off') return false;
  return Object.fromEntries(
    words.map((word) => {
      const [, name, burst, perSecond] = /^(\w+)=(\d+)\/(\d+(?:\.\d+)?)$/.exec(word) ?? [];
      return name === undefined
        ? refuseOption(
            'rateLimit',
            `is not a name, a burst and a rate: "${word}". Use something like perAddress=600/100, or off.`,
          )
        : [name, { burst: Number(burst), perSecond: Number(perSecond) }];
    }),
  );
}
