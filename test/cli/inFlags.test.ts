import { expect, test } from 'vitest';
import { inFlags } from '../../src/cli/inFlags.ts';
import { createRelay } from '../../src/relay.ts';

const GOOD = { apiKey: 'adnet_rk_test_1', version: '1.0.0', baseUrl: 'https://network.example' };

test.each([
  [
    { baseUrl: 'network.example' },
    "--network is missing or is no address: write the network's address, such as --network https://partner.example.",
  ],
  [
    { version: 'newest' },
    '--version is missing or is none: pin the version of the Recommendations API that you tested with, such as --version 1.0.0.',
  ],
  [{ basePath: 'offers' }, '--base-path must be a plain path that begins with a slash, such as --base-path /offers.'],
  [
    { apiKey: 'adnet_pk_test_1' },
    'OFFERLET_API_KEY is a publishable key (adnet_pk_…): the relay needs the integration key (adnet_rk_…).',
  ],
  [
    { environment: 'production' as const },
    "OFFERLET_API_KEY is a staging (…_test_…) key but environment is 'production': give the production (…_live_…) key, or write --environment staging and the address that goes with it.",
  ],
])('what is wrong with %j is said in the words of the command', (wrong, sentence) => {
  let said = '';
  try {
    createRelay({ ...GOOD, ...wrong });
  } catch (error) {
    said = inFlags((error as Error).message);
  }
  expect(said).toBe(sentence);
});
