import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { doctorCommand } from '../../../src/cli/doctor/doctorCommand.ts';
import { findBrowser, openBrowser } from '../../../src/cli/doctor/openBrowser.ts';

const OPTIONS = { proxyPort: 1, isSandboxed: true, env: { PATH: process.env['PATH'] } };

let directory: string;
let temporary: string;
beforeEach(() => {
  directory = makeFolder();
  temporary = makeFolder();
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A browser that does something, and ends. */
function program(text: string): string {
  const file = join(directory, 'browser');
  writeFileSync(file, `#!/bin/sh\n${text}\nexit 1\n`);
  chmodSync(file, 0o755);
  return file;
}

test('the browser gets only the variables that it requires, a separate home, and no way around the proxy', async () => {
  const path = program(`env > ${directory}/env\necho "$@" > ${directory}/args`);
  const env = {
    ...OPTIONS.env,
    LANG: 'de_DE.UTF-8',
    HOME: '/home/me',
    OFFERLET_API_KEY: 'CANARY',
    AWS_SECRET_ACCESS_KEY: 'CANARY',
    HTTPS_PROXY: 'http://CANARY',
    NODE_OPTIONS: '--CANARY',
    LD_PRELOAD: 'CANARY',
  };
  await expect(openBrowser(path, { ...OPTIONS, env, proxyPort: 4711 })).rejects.toThrow('the browser has ended');
  const [given = '', args = ''] = ['env', 'args'].map((name) => readFileSync(join(directory, name), 'utf8'));
  expect(given + args).not.toContain('CANARY');
  expect(given).toMatch(/^HOME=.*offerlet-doctor-/m);
  expect(given).toMatch(/^LANG=de_DE.UTF-8$/m);
  expect(args).toContain('--proxy-server=socks5://127.0.0.1:4711');
  expect(args).toMatch(/--proxy-bypass-list=\S*<-loopback>/);
  expect(args).not.toContain('--no-sandbox');
});

test.each([
  ['echo "[1:1:FATAL] No usable sandbox! Update your kernel" >&2', /^it has no sandbox here.*--no-sandbox/],
  ['echo "libnss3.so: not found" >&2', 'the browser has ended (libnss3.so: not found).'],
] as const)('a browser that ends says why, and leaves nothing: %s', async (text, said) => {
  await expect(openBrowser(program(text), OPTIONS)).rejects.toThrow(said);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a browser that is not there is named', async () => {
  await expect(openBrowser(join(directory, 'missing'), OPTIONS)).rejects.toThrow('it is not there.');
  expect(readdirSync(temporary)).toEqual([]);
});

test.runIf(process.platform === 'linux')('root starts no browser without its sandbox unless told', async () => {
  const path = program(`touch ${directory}/started`);
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  const argv = ['http://127.0.0.1:9/', '--browser', path];
  await expect(doctorCommand.run({ argv, env: OPTIONS.env })).rejects.toThrow(
    /no sandbox when root starts it.*add --no-sandbox/,
  );
  expect(existsSync(join(directory, 'started'))).toBe(false);
});

test('a variable names the browser, and the PATH does not', async () => {
  const path = program('true');
  expect(await findBrowser({ CHROMIUM_BIN: path })).toBe(path);
  expect((await findBrowser({ PATH: directory })) ?? '').not.toContain(directory);
});
