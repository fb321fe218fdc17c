import { own, parseJson } from '../../wire/json.ts';
import { readKey, type Environment } from '../../wire/keys.ts';
import { plainText } from '../../wire/plainText.ts';
import { RelayConfigError } from '../errors.ts';
import { explain } from '../log.ts';
import { readApiKey, readBaseUrl } from './networkOptions.ts';
import { readAnswer } from '../upstream/readAnswer.ts';

/** What the network says about itself; `warning` when it says nothing that can be used. */
export interface NetworkCheck {
  readonly environment?: Environment;
  readonly version?: string;
  readonly warning?: string;
}

const UNKNOWN_FORM =
  'The key does not look like an integration key (adnet_rk_test_… or adnet_rk_live_…). If every question is answered 401, copy it again.';
const TIMEOUT_MS = 3_000;
const ANSWER_BYTES = 16 * 1024;

/**
 * Asks the network's `/health` (without the key) whether it is the one that the key is for. Throws a `RelayConfigError`
 * when it is not; a network without such an answer is only a warning. The command does this at every start.
 */
export async function checkNetwork(options: {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  fetch?: typeof globalThis.fetch;
}): Promise<NetworkCheck> {
  const { fetch = globalThis.fetch } = options;
  const apiKey = readApiKey(options);
  const key = readKey(apiKey);
  const baseUrl = readBaseUrl(options.baseUrl, { isLive: key?.environment === 'production' });
  const address = `${baseUrl}/health`;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  try {
    const response = await fetch(address, { redirect: 'manual', signal: abort.signal });
    const health = parseJson(await readAnswer(response, ANSWER_BYTES));
    const environment = own(health, 'environment');
    if (response.status !== 200 || (environment !== 'staging' && environment !== 'production')) {
      return {
        warning: `${address} does not say whether it is staging or production, so the key could not be checked against it.`,
      };
    }
    if (key && key.environment !== environment)
      throw new RelayConfigError(mismatch(key.environment, { environment, baseUrl }));
    const version = plainText(own(health, 'version'), 40);
    const known: NetworkCheck = version === undefined ? { environment } : { environment, version };
    return key ? known : { ...known, warning: UNKNOWN_FORM };
  } catch (error) {
    if (error instanceof RelayConfigError) throw error;
    return { warning: `${address} did not answer, so the key could not be checked against it (${explain(error)}).` };
  } finally {
    clearTimeout(timer);
  }
}

function mismatch(key: Environment, network: { environment: Environment; baseUrl: string }): string {
  const [is, wanted] =
    key === 'staging' ? ['a test key (adnet_…_test_…)', 'a live key'] : ['a live key (adnet_…_live_…)', 'a test key'];
  return `The key is ${is}, but ${network.baseUrl} is a ${network.environment} network: give ${wanted}, or the address of the ${key} network.`;
}
