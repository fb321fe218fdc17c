import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { installPackages, publishedProblems, runCommand, runModule, typeCheck, whileRunning } from './packages.ts';

// The tarball of `offerlet` as npm would publish it, installed into an empty project by itself and used there.
const { project, packed } = installPackages(['.']);

test('nothing is published but the build, the README and its neighbours, in less than 2 MB, 0.75 of it source maps', () => {
  expect(packed().files).toContain('dist/offerlet.js');
  expect(
    packed().files.filter((path) => !/^(dist\/|(README|CHANGELOG)\.md$|LICENSE$|package\.json$)/.test(path)),
  ).toEqual([]);
  expect(packed().files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  expect(
    packed().files.filter((path) =>
      /^dist\/(network|operator|sandbox|demo)|fresh-database|clients|console\//.test(path),
    ),
  ).toEqual([]);
  expect(packed().unpackedBytes).toBeLessThan(2_000_000);
});

test('every module that an entry or a command imports is published, and no other', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !path.endsWith('.js')) return;
    reached.add(path);
    for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?["'`](\.[^"'`]+)["'`]/g))
      visit(normalize(join(dirname(path), from)));
  };
  for (const entry of Object.values(exports)) visit(normalize(typeof entry === 'string' ? entry : entry.default));
  visit('dist/cli.js');
  const published = packed().files.filter((path) => /^dist\/.*\.js$/.test(path));
  expect(published.toSorted()).toEqual([...reached].filter((path) => path.startsWith('dist/')).toSorted());
});

test('the modules of servers and tests are readable, and their maps have the source', () => {
  for (const path of ['dist/relay/createRelay.js', 'dist/testing/fakeRelay.js']) {
    expect(readFileSync(path, 'utf8').split('\n').length, path).toBeGreaterThan(20);
    const map = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[]; sourcesContent: string[] };
    const source = join(dirname(path), map.sources[0] ?? '');
    expect(map.sourcesContent[0], path).toBe(readFileSync(source, 'utf8'));
    expect(packed().files).toContain(`${path}.map`);
  }
});

test('npm install brings idb-keyval, and nothing else', () => {
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed.toSorted()).toEqual(['idb-keyval', 'offerlet']);
});

test('every entry can be imported', () => {
  const output = runModule(
    project,
    `const index = await import('offerlet');
    const element = await import('offerlet/element');
    const queue = await import('offerlet/queue');
    const relay = await import('offerlet/relay');
    const redis = await import('offerlet/relay-redis');
    const shopify = await import('offerlet/relay-shopify');
    console.log([index.showOffers, element, queue.openQueue, relay.createRelay, relay.toNode, redis.openDedupeRedis,
      shopify.shopify].map((value) => typeof value).join(' '));`,
  );
  expect(output.trim()).toBe('function object function function function function function');
});

test('the React component is a client component, and needs React only when it is used', () => {
  expect(readFileSync(join(project, 'node_modules/offerlet/dist/react.js'), 'utf8')).toMatch(/^['"]use client['"];/);
  const installed = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, unknown>>;
  expect([installed.peerDependencies?.react, installed.peerDependenciesMeta?.react]).toEqual([
    '>=18',
    { optional: true },
  ]);
});

test('offerlet/testing works without MSW and Playwright, its types included', () => {
  const code = `import { fakeRelay, offerletHandlers, type DeliveredEvent, type ScenarioName } from 'offerlet/testing';
const scenario: ScenarioName = 'offline';
const relay = fakeRelay({ scenario, offers: [{ heading: 'Tea' }] });
const events: readonly DeliveredEvent[] = relay.delivered;
const response: Promise<Response> = relay(new Request('https://shop.example/offers/health'));
// @ts-expect-error: a scenario that does not exist
fakeRelay({ scenario: 'on-fire' });
export { events, response, offerletHandlers };
`;
  expect(typeCheck(project, code)).toBe('');
  const output = runModule(
    project,
    `import { fakeRelay, offerletHandlers } from 'offerlet/testing';
    const { status } = await fakeRelay()(new Request('https://shop.example/offers/health'));
    console.log(status, offerletHandlers().length);
    await import('offerlet/testing/playwright').catch((error) => console.log(error.message));`,
  );
  expect(output).toMatch(/^200 2\nCannot find package '@playwright\/test'/);
});

test('the csp command prints the policy, and the integrity value of the installed script', () => {
  const { status, stdout } = runCommand(project, [
    'offerlet',
    'csp',
    '--relay',
    'https://offers.shop.example/offers',
    '--html',
  ]);
  expect(status).toBe(0);
  const card = `import { renderOffers } from 'offerlet/html'; console.log(renderOffers(undefined).styleHash);`;
  const hash = runModule(project, card).trim();
  expect(stdout).toContain(
    `Content-Security-Policy: script-src 'self'; connect-src https://offers.shop.example; img-src https:; style-src 'self' ${hash}\n`,
  );
  const sheet = join(project, 'node_modules/offerlet/dist/offerlet.css');
  expect(hash).toBe(`'sha256-${createHash('sha256').update(readFileSync(sheet)).digest('base64')}'`);
  const value = runCommand(project, ['offerlet', 'integrity']).stdout.split('\n')[0];
  expect(value).toMatch(/^sha384-/);
  expect(stdout).toContain(`integrity="${value}" crossorigin="anonymous"`);
});

test('an extension renders the components with its own Preact', () => {
  const code = `console.log(Object.keys(await import('offerlet/shopify')).join(' '));`;
  expect(runModule(project, code)).toContain("Cannot find package 'preact'");
  cpSync('node_modules/preact', join(project, 'node_modules/preact'), { recursive: true });
  expect(runModule(project, code).trim()).toBe('Offers openShopifySession');
});

test('the relay command runs without any other package', async () => {
  const { status, stdout } = runCommand(project, ['offerlet', '--help']);
  expect([status, stdout]).toEqual([0, expect.stringContaining('offerlet relay')]);
  const args = ['offerlet', 'relay', '--network', 'http://127.0.0.1:9', '--api-key', 'k', '--port', '0', '--json'];
  await whileRunning(project, args, async ({ url }) => {
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

test.each(['sandbox', 'network', 'publishers', 'report'])('the command %s says in one line how to get it', (name) => {
  const { status, stdout, stderr } = runCommand(project, ['offerlet', name]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(
    /^offerlet: The command "\w+" is in the package offerlet-(?:sandbox|operator), which is not installed\. Add version [\d.]+ of it to your project, .*\n$/,
  );
  expect(stderr).not.toContain('npx');
});

test('publint and attw find nothing wrong with the package', () => {
  expect(
    publishedProblems(packed().tarball, [
      'offerlet.js',
      'offerlet.css',
      'offerlet-consent.js',
      'offerlet-inspector.js',
    ]),
  ).toEqual([]);
});
