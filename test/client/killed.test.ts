// Processes of `offerlet events send` that are killed: the next one sends the same file, and each event is stored once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { serve } from '../fixtures/serve.ts';
import { clicks } from './clientWorld.ts';
import { openModelNetwork } from './modelNetwork.ts';

test('after kill -9 in the middle of a file, the next run stores each event once', async () => {
  const network = openModelNetwork();
  let kill: () => void = () => undefined;
  const server = await serve((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      void network.fetch(`http://127.0.0.1${request.url ?? ''}`, { body, headers: {} }).then(async (reply) => {
        // The third group is stored, and its sender dies before it hears of it.
        if (network.calls.length === 3) kill();
        else response.writeHead(reply.status).end(await reply.text());
      });
    });
  });
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-killed-'));
  const file = join(folder, 'events.jsonl');
  const lines = clicks(90).map((event, at) => ({ ...event, event_id: undefined, asset_id: `asset-${at}` }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const env = { PATH: process.env['PATH'], OFFERLET_NETWORK: server.url, OFFERLET_API_KEY: 'adnet_rk_test_example' };
  const run = async (): Promise<unknown> => {
    const script = fileURLToPath(new URL('killedSend.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, 'events', 'send', file], { env, stdio: 'inherit' });
    kill = () => child.kill('SIGKILL');
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return code ?? signal;
  };
  try {
    expect(await run()).toBe('SIGKILL');
    expect(network.stored).toHaveLength(60);
    expect(await run()).toBe(0);
    expect(network.stored).toHaveLength(90);
    expect(network.sizes()).toEqual([20, 20, 20, 20, 20, 20, 20, 10]);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
