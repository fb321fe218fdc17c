import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The tarball as npm would publish it, installed into an empty project and used there.
const folder = mkdtempSync(join(tmpdir(), 'packed-'));
const project = join(folder, 'project');
let files: string[] = [];
let tarball = '';

beforeAll(() => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { encoding: 'utf8' }),
  ) as { filename: string; files: { path: string }[] }[];
  files = packed?.files.map(({ path }) => path) ?? [];
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
  execFileSync('mkdir', ['-p', project]);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'merchant', private: true, type: 'module' }));
  execFileSync(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      tarball,
      `typescript@${versionOf('typescript')}`,
      `@types/node@${versionOf('@types/node')}`,
    ],
    { cwd: project, stdio: 'pipe' },
  );
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('nothing is published but the build and the documents', () => {
  expect(
    files.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$|SECURITY\.md$)/.test(path)),
  ).toEqual([]);
  expect(files).toContain('dist/offerlet.js');
  expect(files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
});

test('every entry can be imported where it is meant to run', () => {
  const script = `
    const index = await import('offerlet');
    const element = await import('offerlet/element');
    const queue = await import('offerlet/queue');
    const relay = await import('offerlet/relay');
    const clients = await import('offerlet/clients');
    const network = await import('offerlet/network');
    console.log([typeof index.showOffers, typeof element, typeof queue.openQueue, typeof relay.createRelay, typeof relay.toNode,
      typeof clients.ChannelClient, typeof clients.ReportingClient, typeof network.createNetwork].join(' '));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout.trim()).toBe('function object function function function function function function');
});

test('the types of every entry are there and strict', () => {
  writeFileSync(
    join(project, 'use.ts'),
    `import { showOffers } from 'offerlet';
import 'offerlet/element';
import { openQueue } from 'offerlet/queue';
import { createRelay, toNode } from 'offerlet/relay';
import { ChannelClient, ReportingClient } from 'offerlet/clients';
import { createNetwork } from 'offerlet/network';
const offers = showOffers({ relay: '/offers', request: { user_details: { email_hash: 'x' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } } });
const code: 'rendered' | 'no_offers' | 'consent_denied' | 'already_shown' | 'invalid_config' | 'refused' | 'network_error' = (await offers.outcome).code;
// @ts-expect-error: a view that does not exist
showOffers({ relay: '/offers', request: { user_details: {}, placement_details: { view: 'HOME', display_mode: 'INLINE' } } });
const tracked: Promise<void> = openQueue({ endpoint: '/offers/events/batch' }).track({ event_name: 'WIDGET_LOAD', session_id: 'x' });
const relay = createRelay({ apiKey: 'k', version: '1.0.0', baseUrl: 'https://partner.example' });
const answer: Promise<Response> = relay(new Request('https://shop.example/offers/health'), { ip: '127.0.0.1' });
toNode(relay);
new ChannelClient({ baseUrl: 'https://channel.example', apiKey: 'k' });
new ReportingClient({ baseUrl: 'https://channel.example', apiKey: 'k', variant: 'channel' });
void createNetwork;
export { code, tracked, answer };
`,
  );
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom,dom.iterable',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
    '--module',
    'nodenext',
    '--moduleResolution',
    'nodenext',
    'use.ts',
  ];
  const { stdout } = spawnSync(join(project, 'node_modules/.bin/tsc'), options, { cwd: project, encoding: 'utf8' });
  expect(stdout).toBe('');
});

test('the command runs from the tarball', () => {
  const { stdout, status } = spawnSync(join(project, 'node_modules/.bin/offerlet'), ['--help'], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(stdout).toContain('offerlet sandbox');
});

test('publint and attw find nothing wrong with the package', () => {
  const publint = spawnSync('npx', ['publint', '--strict', tarball], { encoding: 'utf8' });
  expect(publint.status, publint.stdout + publint.stderr).toBe(0);
  const attw = spawnSync(
    'npx',
    ['attw', '--profile', 'esm-only', '--exclude-entrypoints', 'offerlet.js', 'offerlet-inspector.js', '--', tarball],
    { encoding: 'utf8' },
  );
  expect(attw.status, attw.stdout + attw.stderr).toBe(0);
});

function versionOf(name: string): string {
  const { devDependencies } = JSON.parse(
    execFileSync('node', ['-p', 'JSON.stringify(require("./package.json"))'], { encoding: 'utf8' }),
  ) as { devDependencies: Record<string, string> };
  return devDependencies[name] ?? 'latest';
}
