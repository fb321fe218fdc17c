import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { doctorCommand } from '../../../src/cli/doctor/doctorCommand.ts';
import { findBrowser, openBrowser, readMessages } from '../../../src/cli/doctor/openBrowser.ts';

/** A browser that prints its version, records how it was started, and ends on command. */
const BROWSER = `#!${process.execPath}
const { createReadStream, writeFileSync, writeSync } = require('node:fs');
writeFileSync(__dirname + '/started.json', JSON.stringify({ env: process.env, args: process.argv.slice(2), cwd: process.cwd() }));
createReadStream('', { fd: 3 }).on('data', (data) => {
  for (const message of String(data).split('\\0').filter(Boolean)) {
    const { id, method } = JSON.parse(message);
    if (method === 'Browser.close') process.exit();
    writeSync(4, JSON.stringify({ id, result: { product: 'Test/1' } }) + '\\0');
  }
});
`;
const OPTIONS = { proxyPort: 1, isSandboxed: true, env: { PATH: process.env['PATH'] } };

let directory: string;
beforeEach(() => {
  directory = makeFolder();
  vi.stubEnv('TMPDIR', directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function program(path: string, text = BROWSER): string {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s leaves no profile, and the code is %i', async (signal, code) => {
  const path = program('browser.cjs');
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  expect((await openBrowser(path, OPTIONS)).version).toBe('Test/1');
  expect(readdirSync(directory)).toHaveLength(3);
  process.emit(signal, signal);
  await expect.poll(() => exit.mock.calls).toEqual([[code]]);
  expect(readdirSync(directory).toSorted()).toEqual(['browser.cjs', 'started.json']);
});

test('a second Ctrl-C does not wait for the browser, and leaves no profile behind', async () => {
  const path = program('browser.cjs', BROWSER.replaceAll('Browser.close', 'Browser.ignored'));
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  await openBrowser(path, OPTIONS);
  process.emit('SIGINT', 'SIGINT');
  expect(exit).not.toHaveBeenCalled();
  process.emit('SIGINT', 'SIGINT');
  expect(exit.mock.calls).toEqual([[130]]);
  expect(readdirSync(directory).toSorted()).toEqual(['browser.cjs', 'started.json']);
  await expect.poll(() => exit.mock.calls.length).toBe(2);
});

test('the browser gets only the variables that it requires, a separate home, and no way around the proxy', async () => {
  const path = program('browser.cjs');
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
  const browser = await openBrowser(path, { ...OPTIONS, env, proxyPort: 4711 });
  await browser.close();
  const started = JSON.parse(readFileSync(join(directory, 'started.json'), 'utf8')) as {
    env: Record<string, string>;
    args: string[];
    cwd: string;
  };
  expect(JSON.stringify(started)).not.toContain('CANARY');
  expect(
    Object.keys(started.env)
      .filter((name) => !name.startsWith('__'))
      .toSorted(),
  ).toEqual(['HOME', 'LANG', 'PATH', 'TEMP', 'TMP', 'TMPDIR', 'USERPROFILE']);
  expect(started.env['HOME']).toMatch(/offerlet-doctor-/);
  expect(started.cwd).toBe(started.env['HOME']);
  expect(started.args).toContain('--proxy-server=socks5://127.0.0.1:4711');
  expect(started.args).toContain('--proxy-bypass-list=<-loopback>');
  expect(started.args).not.toContain('--no-sandbox');
});

test('a browser is named by a path relative to the current folder, or by a command on the PATH', async () => {
  const path = program('bin/chromium');
  for (const [named, folders] of [
    [relative(process.cwd(), path), ''],
    ['chromium', dirname(path)],
  ] as const) {
    const browser = await openBrowser(named, {
      ...OPTIONS,
      env: { PATH: `${folders}${delimiter}${process.env['PATH']}` },
    });
    expect(browser.version).toBe('Test/1');
    await browser.close();
  }
});

test('a browser that ends says why, and leaves nothing', async () => {
  const path = program(
    'browser.cjs',
    '#!/bin/sh\necho "[1:1:FATAL] No usable sandbox! Update your kernel" >&2\nexit 1\n',
  );
  await expect(openBrowser(path, OPTIONS)).rejects.toThrow(/it has no sandbox here.*--no-sandbox/);
  const broken = program('broken.cjs', '#!/bin/sh\necho "libnss3.so: not found" >&2\nexit 127\n');
  await expect(openBrowser(broken, OPTIONS)).rejects.toThrow('the browser has ended (libnss3.so: not found).');
  await expect(openBrowser(join(directory, 'missing'), OPTIONS)).rejects.toThrow(/ENOENT/);
  expect(readdirSync(directory).toSorted()).toEqual(['broken.cjs', 'browser.cjs']);
});

test.runIf(process.platform === 'linux')('root starts no browser without its sandbox unless told', async () => {
  const path = program('browser.cjs');
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  const argv = ['http://127.0.0.1:9/', '--browser', path];
  await expect(doctorCommand.run({ argv, env: OPTIONS.env })).rejects.toThrow(
    /no sandbox when root starts it.*add --no-sandbox/,
  );
  expect(existsSync(join(directory, 'started.json'))).toBe(false);
});

test('no browser is found in the current folder, in a project, or by a relative path', () => {
  const clone = join(directory, 'clone');
  for (const path of [
    'clone/bin/chromium',
    'clone/node_modules/.bin/chromium',
    'node_modules/.bin/chromium',
    'clone/chromium',
  ])
    program(path);
  const system = program('usr/bin/chromium');
  vi.spyOn(process, 'cwd').mockReturnValue(clone);
  const folders = [
    clone,
    join(clone, 'bin'),
    join(clone, 'node_modules/.bin'),
    join(directory, 'node_modules/.bin'),
    'bin',
    '.',
    '',
  ];
  const env = { PATH: folders.join(delimiter), PLAYWRIGHT_BROWSERS_PATH: '0' };
  const outside = (path: string | undefined): boolean => path === undefined || !path.startsWith(directory);
  expect(outside(findBrowser(env))).toBe(true);
  expect(findBrowser({ ...env, PATH: [...folders, dirname(system)].join(delimiter) })).toBe(system);
});

test('the newest of Playwright’s downloads is found without Playwright', () => {
  const cache = join(directory, 'cache');
  const env = { PLAYWRIGHT_BROWSERS_PATH: cache };
  for (const revision of ['chromium-999', 'chromium-1200', 'firefox-2000'])
    program(`cache/${revision}/chrome-linux64/chrome`);
  expect(findBrowser(env)).toBe(join(cache, 'chromium-1200/chrome-linux64/chrome'));
  const shell = program('cache/chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell');
  expect(findBrowser(env)).toBe(shell);
  expect(findBrowser({ ...env, CHROMIUM_BIN: '/named' })).toBe('/named');
});

test('messages of any length are split, and long ones are skipped', async () => {
  const stream = new PassThrough();
  const messages: string[] = [];
  const skipped: [string, string][] = [];
  readMessages(stream, { onMessage: (text) => messages.push(text), onSkipped: (...ends) => skipped.push(ends) });
  const chunk = Buffer.alloc(65_536, 'x');
  stream.write('{"a":1}\0{"ü":');
  stream.write('2}\0{"method":"Runtime.consoleAPICalled","params":"');
  for (let count = 0; count < 4_000; count++)
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve));
  stream.write('","sessionId":"A"}\0{"a":3}\0\0');
  await expect.poll(() => messages).toEqual(['{"a":1}', '{"ü":2}', '{"a":3}', '']);
  expect(skipped).toHaveLength(1);
  expect(skipped[0]?.[0]).toMatch(/^\{"method":"Runtime\.consoleAPICalled","params":"x+$/);
  expect(skipped[0]?.[1]).toMatch(/x","sessionId":"A"\}$/);
});
