import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { openScriptedServer } from '../clients/scriptedServer.ts';
import { buildCommand } from '../../relay/command.ts';

// Each test runs commands, and this machine may be busy.

const KEY = 'adnet_sk_test_canary0123456789';
const command = ofSuite(() => buildCommand('src/operator/cli.ts'));
const network = ofSuite(openScriptedServer);
beforeAll(() => {
  network.responses = [{ body: { channel: { name: 'Demo', exclusions: { subcategories: { channel: [] } } } } }];
});

/** Runs a line of bash, in which `offerlet` is the command. */
function shell(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(
      'bash',
      ['--norc', '-c', `offerlet() { "${process.execPath}" "${command.file}" "$@"; }; ${line}`],
      {
        env: { PATH: process.env['PATH'] ?? '', OFFERLET_NETWORK: network.url },
      },
    );
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function keyFile(mode: number): string {
  const file = join(makeFolder(), 'key');
  writeFileSync(file, `${KEY}\n`);
  chmodSync(file, mode);
  return file;
}

test.runIf(process.platform === 'linux')('a full disk is one line, and no code of the command itself', async () => {
  expect(await shell('offerlet --help > /dev/full')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'offerlet: The output cannot be written (ENOSPC).\n',
  });
});

test.runIf(process.platform !== 'win32')('a reader who has seen enough ends a command without a word', async () => {
  expect(await shell('offerlet --help | true; exit ${PIPESTATUS[0]}')).toEqual({ code: 0, stdout: '', stderr: '' });
});

test.runIf(process.platform !== 'win32')('a command that fails with output that nobody reads fails', async () => {
  const failing = await buildCommand('test/operator/command/failing.ts');
  try {
    const { code, stderr } = await shell(`"${process.execPath}" "${failing.file}" | true; exit \${PIPESTATUS[0]}`);
    expect({ code, stderr }).toEqual({ code: 5, stderr: 'offerlet: 2 of 3 failed.\n' });
  } finally {
    await failing.remove();
  }
});

test.runIf(process.platform !== 'win32')('a key that every account can read is used, with a note', async () => {
  const open = await shell(`offerlet whoami --json --api-key-file ${keyFile(0o644)}`);
  expect(open.stderr).toMatch(/^Every account of this machine can read the key in ".*"\. Run chmod 600 on it\.\n$/);
  expect(JSON.parse(open.stdout)).toMatchObject({ channel: 'Demo' });
  for (const mode of [0o600, 0o640])
    expect((await shell(`offerlet whoami --json --api-key-file ${keyFile(mode)}`)).stderr).toBe('');
  expect((await shell(`offerlet whoami --json --api-key-file <(echo ${KEY})`)).stderr).toBe('');
});

test.runIf(process.platform !== 'win32')('a command goes on when nobody reads its messages', async () => {
  // The note on the key is written before the network is called.
  const { code, stdout } = await shell(`offerlet whoami --json --api-key-file ${keyFile(0o644)} 2> >(true)`);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ channel: 'Demo' });
});

test.runIf(process.platform === 'linux')(
  'a key file without end is no key, and a list without end is refused',
  async () => {
    const { code, stderr } = await shell('offerlet whoami --api-key-file /dev/zero');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('contains a space') });
    expect((await shell(`offerlet publishers add /dev/zero --api-key-file ${keyFile(0o600)}`)).stderr).toContain(
      'more than 32 MiB',
    );
  },
);
