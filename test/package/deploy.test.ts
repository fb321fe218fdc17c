import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, serve, type Served } from '../fixtures/serve.ts';
import { pack, temporaryFolder } from './packages.ts';

// examples/deploy/Dockerfile without Docker: its steps, one by one, with /app and /data in a folder of this test.

interface Step {
  readonly name: string;
  readonly rest: string;
}

/** The steps of each stage. */
const stages: Step[][] = readFileSync('examples/deploy/Dockerfile', 'utf8')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  .reduce<Step[][]>((all, step) => {
    if (step.name === 'FROM') all.push([]);
    all.at(-1)?.push(step);
    return all;
  }, []);

const folder = temporaryFolder();
const isRoot = process.getuid?.() === 0;
/** The user of the container: one without any rights, if this test may choose. */
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
const env: Record<string, string> = { PATH: process.env['PATH'] ?? '' };
let network: Served;
let relay: ChildProcess | undefined;

/** A path of the container on this machine. */
function placed(text: string): string {
  return text.replace(/\/(app|data)\b/g, `${folder.path}/$1`);
}

function find(stage: number, name: string): string {
  const step = stages[stage]?.find((each) => each.name === name);
  if (!step) throw new Error(`examples/deploy/Dockerfile has no ${name} in stage ${stage}.`);
  return step.rest;
}

/** What a step in JSON form runs. */
function wordsOf(text: string): string[] {
  return (JSON.parse(text) as string[]).map(placed);
}

beforeAll(async () => {
  network = await serve((_, response) => response.end(JSON.stringify({ status: 'ok', environment: 'staging' })));
  const { tarball } = pack('.', folder.path);
  const app = join(folder.path, 'app');
  mkdirSync(app);
  const install = find(0, 'RUN');
  const args = { OFFERLET: tarball, REDIS: argOf('REDIS') };
  execFileSync('sh', ['-c', install], { cwd: app, env: { ...process.env, ...args }, stdio: 'pipe' });
  for (const pair of find(1, 'ENV').split(' ')) {
    const [name = '', value = ''] = pair.split('=');
    env[name] = placed(value);
  }
  const prepare = placed(find(1, 'RUN')).replace('node:node', isRoot ? '65534:65534' : '$(id -u):$(id -g)');
  execFileSync('sh', ['-c', prepare], { stdio: 'pipe' });
  // The user has to pass through the folder, and may change nothing in it.
  chmodSync(folder.path, 0o755);
  Object.assign(env, { OFFERLET_NETWORK: network.url, OFFERLET_API_KEY: 'adnet_rk_test_0123456789abcdef' });
  env['OFFERLET_PORT'] = String(await freePort());
});

afterAll(async () => {
  relay?.kill('SIGKILL');
  await network.close();
  folder.remove();
});

function argOf(name: string): string {
  const arg = stages[0]?.find((each) => each.name === 'ARG' && each.rest.startsWith(`${name}=`));
  return arg?.rest.slice(name.length + 1) ?? '';
}

test('it has two stages, and the second one runs as a user without rights', () => {
  expect(stages).toHaveLength(2);
  expect(find(1, 'COPY')).toBe('--from=install /app /app');
  expect(find(1, 'USER')).toBe('node');
  const names = stages[1]?.map(({ name }) => name) ?? [];
  expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
});

test('it installs the version of this package and the Redis client that is tested', () => {
  const { version, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    devDependencies: Record<string, string>;
  };
  expect(argOf('OFFERLET')).toBe(`offerlet@${version}`);
  expect(argOf('REDIS')).toBe(`redis@${devDependencies['redis']}`);
  expect(readdirSync(join(folder.path, 'app/node_modules'))).toEqual(expect.arrayContaining(['offerlet', 'redis']));
});

test('as that user, with nothing but /data to write to, the relay runs and is healthy', async () => {
  const [program = '', ...args] = wordsOf(find(1, 'ENTRYPOINT'));
  expect(program).toBe('node');
  const health = wordsOf(find(1, 'HEALTHCHECK').replace(/^.*?CMD /, ''));
  const check = (): number | null => spawnSync(health[0] ?? '', health.slice(1), { env, ...user }).status;
  expect(check()).toBe(1);
  const data = join(folder.path, 'data');
  // A root that can't be written to, as far as Node has one.
  const readOnly = [PERMISSION, '--allow-fs-read=*', `--allow-fs-write=${data}/*`];
  relay = spawn(process.execPath, [...readOnly, ...args], {
    env,
    ...user,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [relay.stdout, relay.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await expect.poll(() => output).toContain('Press Ctrl-C to stop.');
  expect(check()).toBe(0);
  expect(readdirSync(data)).not.toEqual([]);
  const ended = new Promise((resolve) => relay?.once('exit', resolve));
  relay.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(check()).toBe(1);
});

/** Node 20 calls it experimental. */
const PERMISSION = process.versions.node.startsWith('20.') ? '--experimental-permission' : '--permission';

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
test.skipIf(!hasSystemd)('systemd understands the unit, and finds little that it should not be allowed', () => {
  const unit = 'examples/deploy/offerlet-relay.service';
  const copy = join(folder.path, 'offerlet-relay.service');
  cpSync(unit, copy);
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' });
  expect([verified.stderr, verified.status]).toEqual(['', 0]);
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', copy], {
    encoding: 'utf8',
  });
  expect(rated.status, rated.stdout.split('\n').at(-2)).toBe(0);
});
