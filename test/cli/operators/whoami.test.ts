import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCommand, type Command } from '../../relay/command.ts';
import { openScriptedServer, type Scripted, type ScriptedServer } from '../../clients/scriptedServer.ts';
import { runCommand } from './runCommand.ts';

let server: ScriptedServer;
let command: Command;
beforeAll(async () => {
  [server, command] = await Promise.all([openScriptedServer(), buildCommand()]);
}, 120_000);
afterAll(async () => {
  await server.close();
  await command.remove();
});

/** Runs `whoami` with an integration key, whose check is a request for offers. */
async function whoami(response: Scripted, network = server.url): ReturnType<typeof runCommand> {
  server.responses = [response];
  const env = { OFFERLET_NETWORK: network, OFFERLET_API_KEY: 'adnet_rk_test_1', NO_COLOR: '1', TERM: 'xterm' };
  return runCommand(['whoami'], { file: command.file, env });
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
])('whoami says so when the network %s', { timeout: 20_000 }, async (_, response, line) => {
  const { code, stderr } = await whoami(response);
  expect([code, stderr]).toEqual([1, expect.stringMatching(line)]);
});

test('whoami says that nothing listens', async () => {
  const closed = await openScriptedServer();
  await closed.close();
  const { code, stderr } = await whoami({}, closed.url);
  expect([code, stderr]).toEqual([1, expect.stringContaining('nothing listens there')]);
});

test('a refusal is one short line', async () => {
  const { code, stderr } = await whoami({ status: 401, body: { message: 'x'.repeat(100_000) } });
  expect([code, stderr.length < 500]).toEqual([3, true]);
});
