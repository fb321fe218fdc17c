import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { find } from '../browsers.mjs';
import { codeBlocks, pageAt } from '../docs/pages.ts';
import { pack, temporaryFolder } from '../package/packages.ts';
import { freePort } from '../fixtures/serve.ts';
import { withNode } from './prepare.mjs';

// examples/merchant-ci as a merchant has it: a fresh project with the packed tarball, MSW, Vitest, Jest and Playwright.
const EXAMPLE = 'examples/merchant-ci';
/** Runners that the example itself does not use. */
const OTHERS = ['jest@30.5.2', 'jest-environment-jsdom@30.5.2', 'jest-fixed-jsdom@0.0.11'];
const folder = temporaryFolder();
const project = join(folder.path, 'merchant-ci');

beforeAll(() => {
  const { tarball } = pack('.', folder.path);
  cpSync(EXAMPLE, project, { recursive: true });
  const manifest = readFileSync(join(EXAMPLE, 'package.json'), 'utf8');
  writeFileSync(
    join(project, 'package.json'),
    manifest.replace(/"offerlet": "[^"]+"/, `"offerlet": "file:${tarball}"`),
  );
  const { status, output } = run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--save-dev',
    ...OTHERS,
  ]);
  expect(status, output).toBe(0);
});
afterAll(() => folder.remove());

test('npm test of the example passes, with the MSW block of docs/guides/testing.md: five tests in a browser, in parallel', async () => {
  const block = codeBlocks(pageAt('docs/guides/testing.md')).find(({ code }) => code.includes('msw/node'));
  write('unit/page.test.ts', block?.code ?? '');
  const { status, output } = runNewer('npm', ['test'], {
    CHROMIUM_BIN: find('chromium')?.path,
    PORT: String(await freePort()),
  });
  expect(status, output).toBe(0);
  expect(output).toContain('5 passed');
});

test('Jest can use the fake relay by MSW, and ends by itself', () => {
  write(
    'jest.config.js',
    `export default { testEnvironment: 'jest-fixed-jsdom', testMatch: ['**/relay.jest.js'], transform: {}, testEnvironmentOptions: { customExportConditions: [''] } };`,
  );
  write(
    'relay.jest.js',
    `import { setupServer } from 'msw/node';\n${USE}
    test('events are delivered', () => use(setupServer, offerletHandlers));
    test('what jsdom cannot do is reported', async () => {
      const { relay } = offerletHandlers();
      await expect(relay.whenDelivered('BRAND_VIEW', {}, { timeout: 10 })).rejects.toThrow('jsdom has no layout');
    });`,
  );
  const env = { NODE_OPTIONS: '--experimental-vm-modules' };
  const { status, output } = runNewer('npx', ['jest'], env);
  expect(status, output).toBe(0);
  expect(output).toContain('2 passed');
  expect(output).not.toContain('did not exit');
  const plain = runNewer('npx', ['jest', '--env', 'jest-environment-jsdom'], env);
  expect(plain.status).not.toBe(0); // that environment hides Node's Request and Response, from MSW as well
});

test('a fake relay leaves nothing open: no port, no timer, no handle', () => {
  write(
    'handles.mjs',
    `import { fakeRelay } from 'offerlet/testing';
    const relay = fakeRelay({ scenario: 'offers-timeout' });
    const response = await relay(new Request('https://shop.example/offers/recommendations', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_details: { external_guid: 'x' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } }) }));
    console.log(response.status, JSON.stringify(process.getActiveResourcesInfo().filter((name) => !/^(PipeWrap|TTYWrap|FSReqCallback)$/.test(name))));`,
  );
  const { status, output } = run(process.execPath, ['handles.mjs']);
  expect([status, output.trim()]).toEqual([0, '504 []']);
});

/** A module's text: `use` plays a page through MSW. */
const USE = `import { offerletHandlers } from 'offerlet/testing';
async function use(setupServer, offerletHandlers) {
  const handlers = offerletHandlers({ scenario: 'one-offer' });
  const server = setupServer(...handlers);
  server.listen({ onUnhandledRequest: 'error' });
  const post = (path, body) => fetch('https://shop.example/offers' + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const asked = await post('/recommendations', { user_details: { external_guid: 'x' }, placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' } });
  const { session_id, recommendations } = await asked.json();
  if (Object.keys(recommendations).length !== 1) throw new Error('not one offer');
  const event = { event_id: 'e-1', event_name: 'WIDGET_LOAD', event_datetime: new Date().toISOString(), session_id };
  if ((await post('/events/batch', { events: [event] })).status !== 202) throw new Error('not accepted');
  if ((await handlers.relay.whenDelivered('WIDGET_LOAD')).event_id !== 'e-1') throw new Error('not delivered');
  server.resetHandlers();
  server.close();
}`;

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

/** Runs a command with the Node that MSW and Vitest need, which is newer than ours. */
function runNewer(name: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const [command = '', ...before] = withNode('>=22.12', name);
  return run(command, [...before, ...args], env);
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  // Vitest's own variables would change what a test of the merchant sees.
  const { VITEST: _vitest, NODE_ENV: _mode, ...rest } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...rest, ...env },
  });
  return { status, output: stdout + stderr };
}
