import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isGroup } from '../../../src/cli/command.ts';
import { commands } from '../../../src/operator/commands.ts';
import {
  bashCompletion,
  completedCommands,
  fishCompletion,
  zshCompletion,
} from '../../../src/operator/command/completion.ts';

const ENTRIES = completedCommands(commands);

/** What bash proposes for the last word of a line. */
function inBash(...words: readonly string[]): string[] {
  const quoted = ['offerlet-operator', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${bashCompletion(ENTRIES)}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _offerlet_operator; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', cwd: 'test/operator/command' })
    .split('\n')
    .filter(Boolean);
}

test('bash completes commands, subcommands and options', () => {
  expect(inBash('')).toEqual(expect.arrayContaining(['publishers', 'report', '--version']));
  expect(inBash('pub')).toEqual(['publishers']);
  expect(inBash('publishers', '')).toEqual(['list', 'show', 'add', 'remove', '--help']);
  expect(inBash('publishers', 'list', '--st')).toEqual(['--status']);
  expect(inBash('report', '--comp')).toEqual(['--compare']);
  expect(inBash('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
});

test('bash completes values, even after a comma, and files', () => {
  expect(inBash('report', '--compare', '')).toEqual(['previous', 'year']);
  expect(inBash('report', '--period', 'last-m')).toEqual(['last-month']);
  expect(inBash('report', '--metrics', 'clicks,cv')).toEqual(['clicks,cvr']);
  expect(inBash('publishers', 'list', '--status', '')).toContain('PENDING');
  expect(inBash('report', '--output', 'completion')).toContain('completion.test.ts');
  expect(inBash('report', '--period', '')).toEqual(expect.arrayContaining(['7d', '30d', '90d', 'last-month']));
  expect(inBash('report', '--limit', '')).toEqual([]);
});

test('each shell knows every command and option', () => {
  for (const script of [bashCompletion(ENTRIES), zshCompletion(ENTRIES), fishCompletion(ENTRIES)])
    for (const [name, command] of Object.entries(commands))
      for (const option of isGroup(command)
        ? Object.values(command.commands).flatMap((one) => Object.keys(one.options))
        : [name, ...Object.keys(command.options)])
        expect(script).toContain(option);
});

test.each([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
])('the script for %s has no syntax error, where the shell is installed', (shell, completion) => {
  // fish reads no script from a socket.
  const file = join(mkdtempSync(join(tmpdir(), 'offerlet-completion-')), shell);
  writeFileSync(file, completion(ENTRIES));
  const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  rmSync(dirname(file), { recursive: true });
  if (!error) expect([status, stderr]).toEqual([0, '']);
});
