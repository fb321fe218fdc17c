import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const PROGRESS = `import { createProgress } from './tools/progress.mjs';
const progress = createProgress('Building', 2);
progress.step('modules', () => '3 of 4');
progress.step('pages');
progress.end('Built');`;

function run(prelude: string): { stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--input-type=module', '-e', prelude + PROGRESS], { encoding: 'utf8' });
}

test('each step of a build is one line on stderr, and stdout stays free for `npm pack --json`', () => {
  const { stdout, stderr } = run('');
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^Building 1 of 2: modules\nBuilding 2 of 2: pages\nBuilt in \d+ s\n$/);
});

test('on a terminal all steps share one line, which says how far they are', () => {
  const { stderr } = run('process.stderr.isTTY = true;');
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(stderr).toContain('Building 1 of 2: modules: 3 of 4 (0 s)');
});
