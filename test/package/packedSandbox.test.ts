import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installPackages, publishedProblems, runCommand, runModule, typeCheck, whileRunning } from './packages.ts';
import { posting } from '../fixtures/posting.ts';

// The tarballs of all packages as npm would publish them, installed into an empty project and used there.
const { project, packed } = installPackages(['packages/sandbox', '.', 'packages/operator']);
const FREE_PORTS = ['--port', '0', '--network-port', '0', '--memory', '--json'];

test('nothing is published but the build and the documents', () => {
  expect(packed().files).toContain('dist/demo/shop.js');
  expect(packed().files).toContain('dist/fresh-database.tar.br');
  expect(packed().files.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path))).toEqual([]);
  expect(packed().files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
});

test.each([
  ['npx offerlet-sandbox', ['offerlet-sandbox']],
  ['offerlet sandbox', ['offerlet', 'sandbox']],
])('%s runs the shop, the relay and the network', async (_, command) => {
  await whileRunning(project, [...command, ...FREE_PORTS], async ({ shop, relay, network }) => {
    expect(await (await fetch(`${shop}/console/console.js`)).text()).toContain('console');
    const order = await fetch(shop);
    expect([order.status, await order.text()]).toEqual([200, expect.stringContaining('offerlet.js')]);
    const widget = readFileSync(join(project, 'node_modules/offerlet/dist/offerlet.js'), 'utf8');
    expect(await (await fetch(`${shop}/offerlet.js`)).text()).toBe(widget);
    expect((await fetch(`${shop}/shop-page.js`)).status).toBe(200);
    const response = await fetch(
      `${relay}/recommendations`,
      posting(
        {
          user_details: { email_hash: 'a'.repeat(64) },
          placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
        },
        { origin: shop },
      ),
    );
    expect([response.status, await response.json()]).toEqual([
      200,
      expect.objectContaining({ recommendations: expect.anything() }),
    ]);
    expect((await fetch(`${network}/health`)).status).toBe(200);
  });
});

test.each([
  ['npx offerlet-sandbox network', ['offerlet-sandbox', 'network']],
  ['offerlet network', ['offerlet', 'network']],
])('%s runs the network by itself, and the relay command works with it', async (_, command) => {
  const args = [...command, '--port', '0', '--memory', '--seed', 'empty', '--json'];
  await whileRunning(project, args, async (network) => {
    const options = ['--network', network.url, '--api-key', network.keys.integration, '--environment', 'staging'];
    const relay = ['offerlet', 'relay', ...options, '--port', '0', '--json'];
    await whileRunning(project, relay, async ({ url }) => {
      expect((await fetch(`${url}/health`)).status).toBe(200);
    });
  });
});

test('createNetwork can be imported, and its types are strict', () => {
  const output = runModule(
    project,
    `import { createNetwork } from 'offerlet-sandbox';
    const network = await createNetwork({ memory: true, seed: 'empty', log: () => undefined });
    const response = await network.fetch(new Request('http://localhost/health'));
    console.log(response.status);
    await network.close();`,
  );
  expect(output.trim()).toBe('200');
  const types = typeCheck(
    project,
    `import { createNetwork, NetworkStartError, type Network, type NetworkOptions } from 'offerlet-sandbox';
const options: NetworkOptions = { memory: true };
const network: Network = await createNetwork(options);
// @ts-expect-error: an option that does not exist
await createNetwork({ directory: '/data' });
export { network, NetworkStartError };
`,
  );
  expect(types).toBe('');
});

test('a wrong call says in one line what to write', () => {
  const { status, stderr } = runCommand(project, ['offerlet-sandbox', 'relay']);
  expect([status, stderr]).toEqual([
    2,
    'offerlet: Unknown command "relay". Use offerlet-sandbox, or with network or verify as its first word.\n',
  ]);
  expect(runCommand(project, ['offerlet-sandbox', '--help']).stdout).toContain('offerlet-sandbox network');
});

test('publint and attw find nothing wrong with the package', () => {
  expect(publishedProblems(packed().tarball)).toEqual([]);
});
