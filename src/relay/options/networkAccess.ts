import { readKey, type Environment } from '../../wire/keys.ts';
import { isLoopbackHost } from '../../wire/loopback.ts';
import { quote, readChoice, refuseOption } from './optionValue.ts';
import type { RelayOptions } from './relayOptions.ts';

/** Which network is called, and with which key. */
export interface NetworkAccess {
  readonly apiKey: string;
  readonly version: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** `undefined` when neither the option nor the key says. */
  readonly environment: Environment | undefined;
}

/** Checks the options that must agree with each other: key, environment and URL. */
export function readNetworkAccess(options: RelayOptions): NetworkAccess {
  const apiKey = readApiKey(options);
  const environment = options.environment ?? readKey(apiKey)?.environment;
  return {
    apiKey,
    version: readVersion(options.version),
    baseUrl: readBaseUrl(options.baseUrl, { isLive: environment === 'production' }),
    environment,
  };
}

/** The key. Stops the start when it is not a usable key, or one of the other environment. */
export function readApiKey({ apiKey: given, environment }: Pick<RelayOptions, 'apiKey' | 'environment'>): string {
  const apiKey = typeof given === 'function' ? given() : given;
  if (typeof apiKey !== 'string' || apiKey === '')
    refuseOption('apiKey', 'is missing. Use the integration key, such as process.env.OFFERLET_API_KEY.');
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    refuseOption(
      'apiKey',
      'contains a space, a line break or another character that no key has. Copy it again, without what surrounds it.',
    );
  const wrong = OTHER_KEYS.find(({ prefix }) => apiKey.startsWith(prefix));
  if (wrong) refuseOption('apiKey', `is a ${wrong.name} key (${wrong.prefix}…). Use the integration key (adnet_rk_…).`);
  const key = readKey(apiKey);
  if (environment === undefined) return apiKey;
  readChoice('environment', { value: environment, words: ['production', 'staging'] });
  if (key && key.environment !== environment)
    refuseOption(
      'apiKey',
      `is a ${NAMES[key.environment]} key, but the environment is ${environment}. Use the ${NAMES[environment]} key, or the environment ${key.environment} with the URL of its network.`,
    );
  return apiKey;
}

/** Keys that open other interfaces of the network. The network would refuse them at every request. */
const OTHER_KEYS = [
  { prefix: 'adnet_pk_', name: 'publishable' },
  { prefix: 'adnet_sk_', name: 'management' },
] as const;

const NAMES: Readonly<Record<Environment, string>> = {
  staging: 'staging (…_test_…)',
  production: 'production (…_live_…)',
};

function readVersion(version: unknown): string {
  if (typeof version === 'string' && /^v?\d+(\.\d+){0,2}([-+][\w.-]+)?$/.test(version)) return version;
  const problem = version === undefined ? 'is missing' : `is not a version: ${quote(version)}`;
  return refuseOption(
    'version',
    `${problem}. Use the Recommendations API version that you tested with, such as "1.0.0".`,
  );
}

/** The network's URL, without a slash at its end. */
export function readBaseUrl(baseUrl: unknown, { isLive }: { isLive: boolean }): string {
  const example = 'Use something like "https://partner.example"';
  if (baseUrl === undefined || baseUrl === '') refuseOption('baseUrl', `is missing. ${example}.`);
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl))
    refuseOption('baseUrl', `is not a valid URL: ${quote(baseUrl)}. ${example}.`);
  const url = new URL(baseUrl);
  if (url.username || url.password)
    refuseOption('baseUrl', `contains a user name or a password. ${example}, and pass the key as apiKey.`);
  if (url.search || url.hash) refuseOption('baseUrl', `ends in a query or a fragment. ${example}.`);
  if (!/^https?:$/.test(url.protocol)) refuseOption('baseUrl', `must begin with https://. ${example}.`);
  if (isLive && url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    refuseOption('baseUrl', `is not https, so a live key would be sent in the clear. ${example}.`);
  return url.href.replace(/\/+$/, '');
}
