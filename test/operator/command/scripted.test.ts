import { expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { commands } from '../../../src/operator/commands.ts';
import { runCommand, type Ran, type RunOptions } from '../../fixtures/runCommand.ts';
import { openScriptedServer } from '../clients/scriptedServer.ts';

// Commands before a network with scripted responses.

const server = ofSuite(openScriptedServer);

/** Runs words that spaces separate. */
function offerlet(words: string, { env, ...options }: RunOptions = {}): Promise<Ran> {
  const usual = { OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: 'adnet_sk_test_1', NO_COLOR: '1', TERM: 'xterm' };
  return runCommand({ name: 'offerlet-operator', commands }, words.split(' '), {
    env: { ...usual, ...env },
    ...options,
  });
}

const NAME = '\u001B[2J\u009B1mevil\u202E';

test.each(['', '--csv'])('a hostile network controls no terminal: %s', async (format) => {
  const row = { period_start: '2026-01-01T00:00:00Z', period_end: '2026-01-02T00:00:00Z', publisher_name: NAME };
  const body = {
    data: [{ ...row, [NAME]: 1 }],
    summary: { [NAME]: 1 },
    pagination: { offset: 0, limit: 50, total: 1, has_more: false },
    meta: { timezone: NAME, data_through: null, request_id: 'r' },
  };
  server.responses = [{ body }];
  const { stdout, code } = await offerlet(`report --by publisher ${format}`.trim(), { columns: 80 });
  expect([code, stdout]).toEqual([0, expect.stringContaining('evil') as unknown]);
  // On a slow machine a line says what the command waits for, and is erased.
  // oxlint-disable-next-line no-control-regex -- escape sequences
  expect(stdout.replaceAll('\u001B[K', '')).not.toMatch(/[\u001B\u009B\u202E]/);
});

test('data that cannot be understood is one line', async () => {
  server.responses = [{ body: { categories: [{ remote_id: 'c', name: NAME, subcategories: null }] } }];
  const { code, stdout, stderr } = await offerlet('categories list');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^offerlet: The network returned data that could not be understood.*\n$/);
});

test.each([
  [400, 0],
  [401, 3],
  [500, 1],
])('whoami: after a %i to an integration key its exit code is %i', async (status, code) => {
  server.responses = [{ status, body: {} }];
  expect((await offerlet('whoami', { env: { OFFERLET_API_KEY: 'adnet_rk_test_1' } })).code).toBe(code);
});
