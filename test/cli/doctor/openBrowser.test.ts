import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
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
