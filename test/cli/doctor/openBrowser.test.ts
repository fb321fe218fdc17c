import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBrowser } from '../../../src/cli/doctor/openBrowser.ts';

/** A browser that says its version, and ends when it is told to. */
const BROWSER = `#!${process.execPath}
const { createReadStream, writeSync } = require('node:fs');
createReadStream('', { fd: 3 }).on('data', (data) => {
  for (const message of String(data).split('\\0').filter(Boolean)) {
    const { id, method } = JSON.parse(message);
    if (method === 'Browser.close') process.exit();
    writeSync(4, JSON.stringify({ id, result: { product: 'Test/1' } }) + '\\0');
  }
});
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'offerlet-browser-'));
  vi.stubEnv('TMPDIR', directory);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  if (existsSync(directory)) rmSync(directory, { recursive: true });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s leaves no profile, and the code is %i', async (signal, code) => {
  const path = join(directory, 'browser.cjs');
  writeFileSync(path, BROWSER);
  chmodSync(path, 0o755);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  expect((await openBrowser(path)).version).toBe('Test/1');
  expect(readdirSync(directory)).toHaveLength(2);
  process.emit(signal, signal);
  await expect.poll(() => exit.mock.calls, { timeout: 5_000 }).toEqual([[code]]);
  expect(readdirSync(directory)).toEqual(['browser.cjs']);
});
