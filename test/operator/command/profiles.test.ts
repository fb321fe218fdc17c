import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useOperatorWorld } from '../operatorWorld.ts';

// A profile is a network and the place of its key, by one name.

const world = useOperatorWorld();
const NOTHING = { OFFERLET_NETWORK: '', OFFERLET_API_KEY: '' };
const path = (): string => join(world.folder, '.config/offerlet/profiles.json');

function write(profiles: unknown): void {
  mkdirSync(join(world.folder, '.config/offerlet'), { recursive: true });
  writeFileSync(path(), JSON.stringify({ profiles }), { mode: 0o600 });
  chmodSync(path(), 0o600);
}

test('a profile names network and key; its file contains no key and is readable by its owner only', async () => {
  const keyFile = join(world.folder, 'key');
  writeFileSync(keyFile, world.key, { mode: 0o600 });
  const added = await world.run(`profiles add demo --network ${world.url} --api-key-file ${keyFile}`, { env: NOTHING });
  expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('--profile demo') as string]);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(readFileSync(path(), 'utf8')).not.toContain(world.key);
  const whoami = await world.run('whoami --profile demo --json', { env: NOTHING });
  expect(JSON.parse(whoami.stdout)).toMatchObject({ network: world.url, channel: 'Demo Channel' });
  expect(await world.run('whoami', { env: { ...NOTHING, OFFERLET_PROFILE: 'demo' } })).toMatchObject({ code: 0 });
  // A key in a variable.
  await world.run(`profiles add other --network ${world.url} --api-key-env DEMO_KEY`, { env: NOTHING });
  expect(await world.run('whoami --profile other', { env: { ...NOTHING, DEMO_KEY: world.key } })).toMatchObject({
    code: 0,
  });
  expect(await world.run('whoami --profile other', { env: NOTHING })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('DEMO_KEY, which is not set') as string,
  });
  const listed = JSON.parse((await world.run('profiles list --json', { env: NOTHING })).stdout) as {
    profiles: object[];
  };
  expect(listed.profiles).toMatchObject([
    { name: 'demo', environment: 'staging', problem: null },
    { name: 'other', environment: null, problem: 'DEMO_KEY is not set' },
  ]);
});

test('a removed profile is gone, and its key is not', async () => {
  const keyFile = join(world.folder, 'live-key');
  writeFileSync(keyFile, world.key, { mode: 0o600 });
  await world.run(`profiles add live --network ${world.url} --api-key-file ${keyFile}`, { env: NOTHING });
  const before = readFileSync(path(), 'utf8');
  expect(await world.run('profiles remove lvie', { env: NOTHING })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean live?') as string,
  });
  expect(await world.run('profiles remove', { env: NOTHING })).toMatchObject({ code: 2 });
  expect(readFileSync(path(), 'utf8')).toBe(before);
  const { code, stderr } = await world.run('profiles remove live', { env: NOTHING });
  expect([code, stderr]).toEqual([0, `Removed live (${world.url}). Its key is still in "${keyFile}".\n`]);
  expect(readFileSync(keyFile, 'utf8')).toBe(world.key);
  expect(JSON.parse(readFileSync(path(), 'utf8'))).not.toHaveProperty('profiles.live');
  expect(await world.run('whoami --profile live', { env: NOTHING })).toMatchObject({ code: 2 });
});

test('a profile brings its variant', async () => {
  write({ one: { network: world.url, api_key_env: 'ONE', variant: 'publisher' } });
  const ONE = world.keys['publisher_reporting'] ?? '';
  const { stdout } = await world.run('report --profile one --metrics publisher_payout --csv', {
    env: { ...NOTHING, ONE },
  });
  expect(stdout).toMatch(/^period_start,period_end,publisher_payout\r\n/);
});

test('the key of a profile never reaches another network', async () => {
  write({ demo: { network: world.url, api_key_env: 'DEMO_KEY' } });
  for (const args of ['--network http://127.0.0.1:9', '--api-key-file /dev/null'])
    expect(await world.run(`whoami --profile demo ${args}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use either --profile') as string,
    });
  // Variables of the environment give way to it.
  const env = { OFFERLET_NETWORK: 'http://127.0.0.1:9', OFFERLET_API_KEY: 'adnet_sk_test_other', DEMO_KEY: world.key };
  expect(await world.run('whoami --profile demo', { env })).toMatchObject({ code: 0 });
});

test.each<[what: string, profiles: unknown, line: RegExp]>([
  ['a key', { a: { network: 'https://a.example', api_key: 'adnet_sk_live_canary' } }, /There is a key/],
  ['no network', { a: { api_key_env: 'A' } }, /network of "a" is missing/],
  ['no place of a key', { a: { network: 'https://a.example' } }, /needs either api_key_file or api_key_env/],
  ['another name', { abc: { network: 'https://a.example', api_key_env: 'A' } }, /Did you mean abc\?/],
  ['a name that is a path', { '../x': { network: 'https://a.example', api_key_env: 'A' } }, /is not a name/],
])('a file with %s is refused in one line', async (_what, profiles, line) => {
  write(profiles);
  const { code, stderr, stdout } = await world.run('whoami --profile abd');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(line);
  expect(stderr).not.toContain('canary');
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('a file that others can write is refused: they could have the key sent to them', async () => {
  write({ demo: { network: world.url, api_key_env: 'DEMO_KEY' } });
  chmodSync(path(), 0o666);
  expect(await world.run('whoami --profile demo', { env: { DEMO_KEY: world.key } })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Other accounts can change') as string,
  });
});

test('without a choice the console opens all profiles, each at its own path, and logs what it changes', async () => {
  write({
    demo: { network: world.url, api_key_env: 'DEMO_KEY' },
    live: { network: 'https://channel.example', api_key_env: 'LIVE_KEY' },
    gone: { network: world.url, api_key_env: 'GONE' },
  });
  const child = spawn(process.execPath, [await world.file(), 'console', '--port', '0', '--json'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: world.folder, DEMO_KEY: world.key, LIVE_KEY: 'adnet_sk_live_canary' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const { url: base } = JSON.parse(chunk.toString().split('\n')[0] ?? '') as { url: string };
    expect((await fetch(base, { redirect: 'manual' })).headers.get('location')).toBe('/demo/');
    const session = (await (await fetch(`${base}/demo/api/session`)).json()) as object;
    expect(session).toMatchObject({
      channel: 'Demo Channel',
      environment: 'staging',
      profiles: [
        { name: 'demo', path: '/demo/', environment: 'staging' },
        { name: 'live', path: '/live/', environment: 'production' },
      ],
    });
    expect(JSON.stringify(session)).not.toMatch(/adnet_sk/);
    const { channel } = (await (await fetch(`${base}/demo/api/exclusions`)).json()) as { channel: string[] };
    const { categories } = (await (await fetch(`${base}/demo/api/categories`)).json()) as {
      categories: { subcategories: { remote_id: string }[] }[];
    };
    const subcategory_ids = [categories[0]?.subcategories[0]?.remote_id ?? ''];
    const put = await fetch(`${base}/demo/api/exclusions`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ subcategory_ids, base: channel }),
    });
    expect(put.status).toBe(200);
    const { changes } = JSON.parse((await world.run('changes --json')).stdout) as { changes: object[] };
    expect(changes[0]).toMatchObject({ from: 'console', outcome: 'done', before: channel, after: subcategory_ids });
    // What the console did, a command takes back.
    expect(await world.run('exclusions undo --yes')).toMatchObject({ code: 0 });
    expect(await (await fetch(`${base}/demo/api/exclusions`)).json()).toMatchObject({ channel });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

test('profiles that are added at once are all there', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const added = await Promise.all(
    names.map((name) =>
      world.runProcess(`profiles add ${name} --network ${world.url} --api-key-env DEMO_KEY`, { env: NOTHING }),
    ),
  );
  expect(added.map(({ code }) => code)).toEqual(names.map(() => 0));
  const { profiles } = JSON.parse(readFileSync(path(), 'utf8')) as { profiles: object };
  expect(Object.keys(profiles)).toEqual(expect.arrayContaining(names));
});
