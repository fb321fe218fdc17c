import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../fixtures/serve.ts';

const isPhpThere = spawnSync('php', ['--version']).status === 0;
const isRequired = process.env['OFFERLET_TEST_PHP'] === '1';
const SECRET = 'context-secret-0123456789';

/** A session as the shop's checkout leaves it, for the shopper who has its cookie. */
const CHECKOUT = `<?php
if (($_COOKIE['PHPSESSID'] ?? '') !== '0123456789abcdef') return;
session_id('0123456789abcdef');
session_start();
$_SESSION['order'] = ['id' => 1001, 'email' => 'ada@example.com'];
session_write_close();`;

describe.skipIf(!isPhpThere && !isRequired)('the context of a shop in PHP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-php-'));
  const servers: ChildProcess[] = [];

  beforeAll(() => {
    cpSync('examples/deploy/offers-context.php', join(folder, 'offers-context.php'));
    writeFileSync(join(folder, 'checkout.php'), CHECKOUT);
  });
  afterAll(() => {
    for (const server of servers) server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the shop with this secret in its environment, and returns a function that calls it. */
  async function openShop(secret?: string): Promise<(authorization: string, cookie?: string) => Promise<Response>> {
    const port = await freePort();
    const options = ['-d', `auto_prepend_file=${folder}/checkout.php`, '-d', `session.save_path=${folder}`];
    const { OFFERLET_CONTEXT_SECRET: _, ...rest } = process.env;
    const server = spawn('php', [...options, '-S', `127.0.0.1:${port}`, '-t', folder], {
      env: { ...rest, ...(secret !== undefined && { OFFERLET_CONTEXT_SECRET: secret }) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    servers.push(server);
    await new Promise<void>((resolve) => {
      server.stderr.on('data', (chunk: Buffer) => chunk.toString().includes('started') && resolve());
    });
    return (authorization, cookie = 'PHPSESSID=0123456789abcdef') =>
      fetch(`http://127.0.0.1:${port}/offers-context.php`, {
        method: 'POST',
        headers: { authorization, cookie },
        body: '{}',
      });
  }

  test('returns the order to callers that know the secret, and nothing to others', async () => {
    const ask = await openShop(SECRET);
    const known = await ask(`Bearer ${SECRET}`);
    expect([known.status, await known.json()]).toEqual([
      200,
      { user_details: { email: 'ada@example.com' }, order_details: { order_id: '1001' } },
    ]);
    for (const wrong of ['', 'Bearer', 'Bearer ', `Bearer ${SECRET}x`, SECRET]) {
      const refused = await ask(wrong);
      expect([refused.status, await refused.text()]).toEqual([401, '']);
    }
  });

  test.each(['', 'PHPSESSID=fedcba9876543210'])(
    'knows nothing about a session without an order: %j',
    async (cookie) => {
      const ask = await openShop(SECRET);
      const response = await ask(`Bearer ${SECRET}`, cookie);
      expect([response.status, await response.text()]).toEqual([204, '']);
    },
  );

  test('without its own secret it refuses everybody', async () => {
    const ask = await openShop();
    for (const authorization of ['', 'Bearer', 'Bearer ']) expect((await ask(authorization)).status).toBe(401);
  });
});
