import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installPackages, publishedProblems, runCommand, runModule, typeCheck, whileRunning } from './packages.ts';

// The tarball of `offerlet-operator` as npm would publish it, installed into an empty project by itself and used there.
const { project, packed } = installPackages(['packages/operator']);

test('nothing is published but the build, in less than 1.25 MB, more than half of it source maps', () => {
  expect(packed().files).toContain('dist/operator/console/page/console.js.br');
  expect(packed().files.filter((path) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path))).toEqual([]);
  expect(packed().files.filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))).toEqual([]);
  expect(packed().files.filter((path) => /^dist\/(relay|network|widget|queue|session|sandbox)/.test(path))).toEqual([]);
  expect(packed().unpackedBytes).toBeLessThan(1_250_000);
});

test('npm install brings the server of the console and a YAML parser, and neither widget nor relay', () => {
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed.toSorted()).toEqual(['offerlet-operator', 'yaml']);
});

test('clients and console can be imported, and their types are strict', () => {
  const output = runModule(
    project,
    `import { ChannelClient, createOperatorConsole, ReportingClient, toCsv } from 'offerlet-operator';
    console.log([ChannelClient, createOperatorConsole, ReportingClient, toCsv].map((value) => typeof value).join(' '));`,
  );
  expect(output.trim()).toBe('function function function function');
  const types = typeCheck(
    project,
    `import { ChannelClient, period, ReportingClient } from 'offerlet-operator';
const options = { networkUrl: 'https://channel.example', apiKey: 'k' };
new ChannelClient(options);
const { totals } = await new ReportingClient({ ...options, variant: 'channel' }).report({ ...period('last_month'), metrics: ['clicks'] });
const clicks: number = totals.clicks;
// @ts-expect-error: a metric that was not requested
totals.impressions.toFixed();
export { clicks };
`,
  );
  expect(types).toBe('');
});

test('the commands run without the package offerlet', () => {
  expect(runCommand(project, ['offerlet-operator', '--version']).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = runCommand(project, ['offerlet-operator', 'publishers', 'add', '--help']);
  expect([help.status, help.stdout]).toEqual([0, expect.stringContaining('offerlet-operator publishers add new.csv')]);
  const { status, stderr } = runCommand(project, ['offerlet-operator', 'whoami', '--network', 'http://127.0.0.1:9']);
  expect([status, stderr]).toEqual([2, expect.stringContaining('The key is missing.')]);
});

test('the console serves its page', async () => {
  process.env['OFFERLET_API_KEY'] = 'adnet_sk_test_1';
  const args = ['offerlet-operator', 'console', '--network', 'http://127.0.0.1:9', '--port', '0', '--json'];
  await whileRunning(project, args, async ({ url }) => {
    expect(await (await fetch(url)).text()).toContain('console.js');
    const script = await fetch(`${url}/console.js`);
    expect(script.status).toBe(200);
    // The clients refuse to load in a browser: a page that imports them by accident would stay empty.
    expect((await script.text()).includes('must not run in a browser')).toBe(false);
  }).finally(() => delete process.env['OFFERLET_API_KEY']);
});

test('publint and attw find nothing wrong with the package', () => {
  expect(publishedProblems(packed().tarball)).toEqual([]);
});
