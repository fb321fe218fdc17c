import { afterEach, expect, test } from 'vitest';
import type { Scripted } from '../clients/scriptedServer.ts';
import { useScriptedCommand } from './scriptedCommand.ts';

const scripted = useScriptedCommand();
afterEach(() => (sent = 0));

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

test('whoami reads no more than a megabyte of a health or a refusal without end', async () => {
  scripted.server().responses = [endless((path) => (path === '/health' ? 200 : 401))];
  const { code, stderr } = await scripted.offerlet(['whoami'], { apiKey: 'adnet_rk_test_1' });
  expect([code, stderr]).toEqual([3, expect.stringContaining('The key was refused (401).') as unknown]);
  // What the sockets have taken beyond that was never read.
  expect(sent).toBeLessThan(30 * MB);
});

test('a client gives up on a response of more than 64 MiB', { timeout: 60_000 }, async () => {
  scripted.server().responses = [endless(() => 200)];
  const { code, stderr } = await scripted.offerlet(['whoami'], { apiKey: 'adnet_sk_test_1' });
  expect(code).not.toBe(0);
  expect(stderr).toContain('got a response that is larger than 64 MiB');
  expect(sent).toBeLessThan(200 * MB);
});
