import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countByInterface, isVerified, verify } from '../../src/verify/verify.ts';

const KEY = 'adnet_sk_test_of_a_test';
const server = spawn(process.execPath, ['examples/network-minimal/server.js'], {
  env: { ...process.env, PORT: '0', API_KEY: KEY },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let url = '';
beforeAll(async () => {
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  url = line.toString().trim();
});
afterAll(() => void server.kill());

test('examples/network-minimal, which shares no code with the sandbox, holds offers and events', async () => {
  const found = await verify({ url, version: '1.0.0', keys: { integration: KEY }, fetch, paceMs: 0 });
  expect(found.verdicts.filter(({ state }) => state === 'fails' || state === 'untold')).toEqual([]);
  expect(isVerified(found)).toBe(true);
  const held = countByInterface(found).filter(({ holds, all }) => holds === all);
  expect(held.map(({ name }) => name)).toEqual(['recommendations', 'events']);
  const page = readFileSync('docs/operators/build-a-network.md', 'utf8');
  const shown = [...page.matchAll(/^\w+ +\d+ of (\d+) hold/gm)].map(([, all]) => Number(all));
  expect(shown, 'the sample on the page').toEqual(
    countByInterface(found)
      .slice(0, 3)
      .map(({ all }) => all),
  );
});
