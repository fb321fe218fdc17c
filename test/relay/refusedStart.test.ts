import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { ofSuite } from '../fixtures/opened.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { runCommand, type Ran } from '../fixtures/runCommand.ts';
import { serve } from '../fixtures/serve.ts';
import { KEY } from './scriptedNetwork.ts';

let environment = 'staging';
const network = ofSuite(() => serve((_, response) => response.end(JSON.stringify({ status: 'ok', environment }))));

/** Runs the command in this process: one that refuses to start ends. */
function refuse(args: string[], env: Record<string, string>): Promise<Ran> {
  const words = ['relay', '--network', network.url, '--port', '0', ...args];
  return runCommand({ name: 'offerlet', commands: COMMANDS }, words, { env });
}

test('without a key, with a short token, and before a network of another environment, it does not start', async () => {
  expect((await refuse([], {})).stderr).toMatch(/integration key is missing: set OFFERLET_API_KEY/);
  const short = { OFFERLET_API_KEY: KEY, OFFERLET_PREFETCH_TOKEN: 'short' };
  expect((await refuse([], short)).stderr).toMatch(/OFFERLET_PREFETCH_TOKEN is too short\. Use 24 random characters/);
  environment = 'production';
  const { code, stdout, stderr } = await refuse([], { OFFERLET_API_KEY: KEY });
  environment = 'staging';
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/OFFERLET_API_KEY is a test key .* is a production network\. Use a live key/);
  expect(stderr).not.toContain(KEY);
});

test.each<[args: string[], message: RegExp]>([
  [
    ['--environment', 'production'],
    /OFFERLET_API_KEY is a staging \(…_test_…\) key, but the environment is production/,
  ],
  [['--allow-origin', '*'], /--allow-origin contains "\*"\. Use exact origins/],
  [['--network', 'partner'], /--network is not a valid URL: "partner"\. Use something like "https:/],
  [['--timeout', 'recommendations'], /--timeout is not a name and a whole number: "recommendations"/],
  [['--timeout', 'offers=5'], /--timeout has no 'offers'. It takes recommendations, events/],
  [['--limit', 'answerBytes=1e9'], /--limit is not a name and a whole number/],
  [['--rate-limit', 'perAddress=5'], /--rate-limit is not a name, a burst and a rate: "perAddress=5"/],
  [['--redis', 'http://127.0.0.1'], /--redis is not a Redis URL/],
  [['--log-level', 'debug'], /--log-level is not a valid value: "debug"/],
  [['--api-key-file', '/dev/null'], /--api-key-file and OFFERLET_API_KEY are two keys/],
  [['--shops', '/dev/null'], /--api-key is for one shop\. With --shops, write apiKey for each shop in the file/],
  [['--events-to', '/dev/null/x'], /--events-to cannot be written: "\/dev\/null\/x" \(ENOTDIR\)/],
  [['--data', 'unused', '--redis', 'redis://127.0.0.1'], /--data and --redis are two places for the same events/],
])('%j stops the start with one line that says what to write', async (args, message) => {
  const { code, stdout, stderr } = await refuse(args, { OFFERLET_API_KEY: KEY });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test.each<[shops: object, message: RegExp]>([
  [{}, /must be a JSON object with a shop by each name/],
  [{ '../tea': {} }, /"\.\.\/tea" is not a name of a shop/],
  [{ tea: {} }, /tea has no key\. Use apiKey or apiKeyFile/],
  [{ tea: { apikey: KEY } }, /tea has no option "apikey"\. Did you mean apiKey/],
  [{ tea: { apiKey: KEY, hosts: 'tea.example' } }, /tea\.hosts must be a list of host names/],
  [{ tea: { apiKeyFile: 'missing' } }, /--shops tea\.apiKeyFile cannot be read: ".*missing" \(ENOENT\)/],
  [{ tea: { apiKey: KEY, hosts: ['*.tea.example'] } }, /tea\.hosts must be a list of host names/],
  [{ tea: { apiKey: KEY, basePath: '/x/' }, coffee: { apiKey: KEY, basePath: '/x' } }, /are both at every host \/x/],
  [{ tea: { apiKey: KEY, basePath: 'x' } }, /--shops: tea: basePath is not a path/],
  [{ tea: { apiKey: 'adnet_sk_test_canary' } }, /--shops: tea: apiKey is a management key/],
])('a file of shops %j stops the start with one line', async (shops, message) => {
  const file = join(makeFolder(), 'shops.json');
  await writeFile(file, JSON.stringify(shops), { mode: 0o600 });
  const { code, stdout, stderr } = await refuse(['--shops', file], {});
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/canary/);
});
