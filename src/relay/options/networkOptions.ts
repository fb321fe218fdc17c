import { readKey, type Environment } from '../../wire/keys.ts';
import { isLoopbackHost } from '../../wire/loopback.ts';
import { fail, oneOf } from './optionValue.ts';
import type { RelayOptions } from './options.ts';

/** Which network is asked, and as whom. */
export interface NetworkOptions {
  readonly apiKey: string;
  readonly version: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** `undefined` when neither the option nor the key says. */
  readonly environment: Environment | undefined;
}

/** Checks the options that must agree with each other: key, environment and address. */
export function readNetworkOptions(options: RelayOptions): NetworkOptions {
  const apiKey = readApiKey(options);
  const environment = options.environment ?? readKey(apiKey)?.environment;
  return {
    apiKey,
    version: readVersion(options.version),
    baseUrl: readBaseUrl(options.baseUrl, { isLive: environment === 'production' }),
    environment,
  };
}

/** The key; stops the start when it is none, or one of another environment. */
export function readApiKey({ apiKey, environment }: Pick<RelayOptions, 'apiKey' | 'environment'>): string {
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

/** The network's address, without a slash at its end. */
export function readBaseUrl(baseUrl: unknown, { isLive }: { isLive: boolean }): string {
  const example = "write the network's address, such as baseUrl: 'https://partner.example'";
  const url =
    typeof baseUrl === 'string' && URL.canParse(baseUrl)
      ? new URL(baseUrl)
      : fail(`baseUrl is missing or is no address: ${example}.`);
  if (url.username || url.password) fail(`baseUrl holds a user name or a password: ${example}, and the key as apiKey.`);
  if (url.search || url.hash) fail(`baseUrl ends in a query or a fragment: ${example}.`);
  if (!/^https?:$/.test(url.protocol)) fail(`baseUrl must begin with https://: ${example}.`);
  if (isLive && url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    fail(`baseUrl is not https, so a live key would travel in the clear: ${example}.`);
  }
  return url.href.replace(/\/+$/, '');
}
