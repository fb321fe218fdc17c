import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commands } from '../../../src/operator/commands.ts';
import { runCommand, type Ran, type RunOptions } from '../../fixtures/runCommand.ts';
import { openScriptedServer, type Scripted, type ScriptedServer } from '../clients/scriptedServer.ts';

// Commands before a network with scripted responses.

let server: ScriptedServer;
beforeAll(async () => void (server = await openScriptedServer()));
afterAll(() => server.close());

/** Runs words that spaces separate. */
function offerlet(words: string, { env, ...options }: RunOptions = {}): Promise<Ran> {
  const usual = { OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: 'adnet_sk_test_1', NO_COLOR: '1', TERM: 'xterm' };
  return runCommand({ name: 'offerlet-operator', commands }, words.split(' '), {
    env: { ...usual, ...env },
    ...options,
  });
}

/** Runs `whoami` with an integration key, whose check is a request for offers. */
function whoami(response: Scripted, network = server.url): Promise<Ran> {
  server.responses = [response];
  return offerlet('whoami', { env: { OFFERLET_API_KEY: 'adnet_rk_test_1', OFFERLET_NETWORK: network } });
}

test.each<[status: number, body: unknown]>([
  [400, { message: 'user_details is required' }],
  [422, { message: 'user_details is required' }],
  [200, { session_id: 's' }],
])('a %i to an empty request for offers means that the key was accepted', async (status, body) => {
  expect(await whoami({ status, body })).toMatchObject({ code: 0, stdout: expect.stringContaining('integration') });
});

test.each<[status: number, body: unknown]>([
  [200, '<html>'],
  [404, { message: 'no' }],
  [429, {}],
  [500, {}],
  [503, {}],
])('a %i says nothing about an integration key', async (status, body) => {
  const { code, stdout, stderr } = await whoami({ status, body });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`returned ${status}: the key was not checked. Check --network.`);
});

test.each<[what: string, response: Scripted, line: RegExp]>([
  ['redirects', { status: 302, headers: { location: '/elsewhere' } }, /redirected the request/],
  ['hangs up', (response) => void response.destroy(), /closed the connection/],
  ['is silent', () => undefined, /timed out after 5000 ms\. Check --network/],
])('whoami says so when the network %s', async (_, response, line) => {
  const { code, stderr } = await whoami(response);
  expect([code, stderr]).toEqual([1, expect.stringMatching(line)]);
});

test('a refusal is one short line', async () => {
  const { code, stderr } = await whoami({ status: 401, body: { message: 'x'.repeat(100_000) } });
  expect([code, stderr.length < 500]).toEqual([3, true]);
});

test('a refusal that repeats the key in capitals, or behind a long text, does not print it', async () => {
  for (const message of ['No: ADNET_rk_Test_1', `${'x'.repeat(292)}adnet_rk_test_1`]) {
    const { code, stderr } = await whoami({ status: 401, body: { message } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('[key') as unknown]);
    expect(stderr).not.toMatch(/adnet_rk/i);
  }
});

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
  // oxlint-disable-next-line no-control-regex -- escape sequences
  expect(stdout).not.toMatch(/[\u001B\u009B\u202E]/);
});

test('data that cannot be understood is one line', async () => {
  server.responses = [{ body: { categories: [{ remote_id: 'c', name: NAME, subcategories: null }] } }];
  const { code, stdout, stderr } = await offerlet('categories list');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^offerlet: The network returned data that could not be understood.*\n$/);
});

const MB = 1_000_000;
let sent = 0;
beforeEach(() => void (sent = 0));
/** A response without end, at the speed at which it is read. */
const endless =
  (statusOf: (path: string) => number): Scripted =>
  (response, request) => {
    const part = Buffer.alloc(MB / 10, 120);
    response.writeHead(statusOf(request.url), { 'content-type': 'application/json' });
    const send = (): void => {
      while (!response.destroyed && response.write(part)) sent += part.length;
      sent += part.length;
    };
    response.on('drain', send);
    send();
  };

test('whoami reads no more than a megabyte of a health or a refusal without end', async () => {
  const { code, stderr } = await whoami(endless((path) => (path === '/health' ? 200 : 401)));
  expect([code, stderr]).toEqual([3, expect.stringContaining('The key was refused (401).') as unknown]);
  // What the sockets have taken beyond that was never read.
  expect(sent).toBeLessThan(30 * MB);
});
