import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildCommand, type Command } from '../../relay/command.ts';
import { openScriptedServer, type Scripted, type ScriptedServer } from '../../clients/scriptedServer.ts';
import { runCommand } from './runCommand.ts';

let server: ScriptedServer;
let command: Command;
beforeAll(async () => {
  [server, command] = await Promise.all([openScriptedServer(), buildCommand()]);
}, 120_000);
afterEach(() => (sent = 0));
afterAll(async () => {
  await server.close();
  await command.remove();
});

const MB = 1_000_000;
let sent = 0;
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

async function whoami(apiKey: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: apiKey, NO_COLOR: '1', TERM: 'xterm' };
  return runCommand(['whoami'], { file: command.file, env });
}

test('whoami reads no more than a megabyte of a health or a refusal without end', async () => {
  server.responses = [endless((path) => (path === '/health' ? 200 : 401))];
  const { code, stderr } = await whoami('adnet_rk_test_1');
  expect([code, stderr]).toEqual([3, expect.stringContaining('The key was refused. (401)') as unknown]);
  // What the sockets have taken beyond that was never read.
  expect(sent).toBeLessThan(30 * MB);
});

test('a client gives up on a response of more than 64 MiB', { timeout: 60_000 }, async () => {
  server.responses = [endless(() => 200)];
  const { code, stderr } = await whoami('adnet_sk_test_1');
  expect(code).not.toBe(0);
  expect(stderr).toContain('got a response that is larger than 64 MiB');
  expect(sent).toBeLessThan(200 * MB);
});
