import { expect, test } from 'vitest';
import { openScriptedServer, type Scripted } from '../clients/scriptedServer.ts';
import type { Ran } from '../../fixtures/runCommand.ts';
import { useScriptedCommand } from './scriptedCommand.ts';

const scripted = useScriptedCommand();

/** Runs `whoami` with an integration key, whose check is a request for offers. */
function whoami(response: Scripted, network?: string): Promise<Ran> {
  scripted.server().responses = [response];
  return scripted.offerlet(['whoami'], { apiKey: 'adnet_rk_test_1', network });
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

test('a refusal that repeats the key in capitals, or behind a long text, does not print it', async () => {
  for (const message of ['No: ADNET_rk_Test_1', `${'x'.repeat(292)}adnet_rk_test_1`]) {
    const { code, stderr } = await whoami({ status: 401, body: { message } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('[key') as unknown]);
    expect(stderr).not.toMatch(/adnet_rk/i);
  }
});
