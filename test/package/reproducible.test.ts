import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pack, temporaryFolder } from './packages.ts';

const SOURCES = ['src', 'demo', 'tools', 'vite.config.ts', 'tsconfig.json'];
const MANIFESTS = [
  'package.json',
  'package-lock.json',
  'packages/operator/package.json',
  'packages/sandbox/package.json',
];
const DOCUMENTS = [
  'README.md',
  'docs',
  'CONTRIBUTING.md',
  'LICENSE',
  'CHANGELOG.md',
  'packages/operator/README.md',
  'packages/operator/LICENSE',
  'packages/sandbox/README.md',
  'packages/sandbox/LICENSE',
];

const folder = temporaryFolder();
afterAll(() => folder.remove());

test('another build of the same sources, in another folder, gives the same files and tarballs', () => {
  for (const path of [...SOURCES, ...MANIFESTS, ...DOCUMENTS])
    cpSync(path, join(folder.path, path), { recursive: true });
  linkDependencies(join(folder.path, 'node_modules'));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/build.mjs'], {
    cwd: folder.path,
    encoding: 'utf8',
  });
  expect(status, stdout + stderr).toBe(0);
  for (const dist of ['dist', 'packages/operator/dist', 'packages/sandbox/dist'])
    expect(hashes(join(folder.path, dist)), 'was dist/ built from these sources?').toEqual(hashes(dist));
  for (const path of ['.', 'packages/operator', 'packages/sandbox'])
    expect(hashOf(pack(join(folder.path, path), folder.path).tarball), path).toBe(
      hashOf(pack(path, mkdtempSync(join(folder.path, 'packed-'))).tarball),
    );
});

/** Fills a separate node_modules folder, because a build writes links and marks there. */
function linkDependencies(target: string): void {
  mkdirSync(target);
  for (const name of readdirSync('node_modules')) {
    if (name === '.offerlet') cpSync(join('node_modules', name), join(target, name), { recursive: true });
    else if (!name.startsWith('offerlet')) symlinkSync(resolve('node_modules', name), join(target, name), 'junction');
  }
}

function hashes(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .toSorted()
      .map((path) => [path.slice(directory.length + 1), hashOf(path)]),
  );
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
