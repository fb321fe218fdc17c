import { readIntegrationKey, readNetworkUrl } from '../../http/networkAccess.ts';
import { own, parseJson, plainText } from '../../wire/json.ts';
import { readKey, type Environment } from '../../wire/keys.ts';
import { RelayConfigError } from '../errors.ts';
import { explain } from '../telemetry.ts';
import { fetchText } from '../../http/fetchText.ts';
import { readChoice, refuseOption } from '../optionValue.ts';
import type { RelayOptions } from './relayOptions.ts';

/** The key. Stops the start when it is not a usable key, or one of the other environment. */
export function readKeyOption({ apiKey: given, environment }: Pick<RelayOptions, 'apiKey' | 'environment'>): string {
  const apiKey = readIntegrationKey(typeof given === 'function' ? given() : given, refuseOption);
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

export const URL_CHECK = { example: 'https://partner.example', refuse: refuseOption } as const;

const NAMES: Readonly<Record<Environment, string>> = {
  staging: 'staging (…_test_…)',
  production: 'production (…_live_…)',
};

/** What the network says about itself; `warning` when it says nothing that can be used. */
export interface NetworkCheck {
  readonly environment?: Environment;
  readonly version?: string;
  readonly warning?: string;
}

const UNKNOWN_FORM =
  'The key does not look like an integration key (adnet_rk_test_… or adnet_rk_live_…). If every response is a 401, copy it again.';
const TIMEOUT_MS = 3_000;
const RESPONSE_BYTES = 16 * 1024;

/**
 * Requests the network's `/health`, without the key, and compares its environment with the key's. Throws a
 * `RelayConfigError` when they differ; a network without a usable response is only a warning. The command does this at
 * every start.
 */
export async function checkNetwork(options: {
  apiKey: RelayOptions['apiKey'];
  networkUrl: string | undefined;
  fetch?: typeof globalThis.fetch;
}): Promise<NetworkCheck> {
  const key = readKey(readKeyOption(options));
  const networkUrl = readNetworkUrl(options.networkUrl, { environment: key?.environment, ...URL_CHECK });
  const url = `${networkUrl}/health`;
  try {
    const limits = { ms: TIMEOUT_MS, maxBytes: RESPONSE_BYTES, fetch: options.fetch };
    const { response, text } = await fetchText(url, {}, limits);
    const health = parseJson(text);
    const environment = own(health, 'environment');
    if (response.status !== 200 || (environment !== 'staging' && environment !== 'production')) {
      return {
        warning: `${url} does not say whether it is staging or production, so the key could not be checked against it.`,
      };
    }
    if (key && key.environment !== environment) refuseKey(key.environment, { environment, networkUrl });
    const version = plainText(own(health, 'version'), 40);
    const check: NetworkCheck = version === undefined ? { environment } : { environment, version };
    return key ? check : { ...check, warning: UNKNOWN_FORM };
  } catch (error) {
    if (error instanceof RelayConfigError) throw error;
    return { warning: `${url} did not respond, so the key could not be checked against it (${explain(error)}).` };
  }
}

function refuseKey(key: Environment, network: { environment: Environment; networkUrl: string }): never {
  const [is, other] =
    key === 'staging' ? ['a test key (adnet_…_test_…)', 'a live key'] : ['a live key (adnet_…_live_…)', 'a test key'];
  refuseOption(
    'apiKey',
    `is ${is}, but ${network.networkUrl} is a ${network.environment} network. Use ${other}, or the URL of the ${key} network.`,
  );
}
