import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILDS } from '../examples/prepare.mjs';

// The projects that test/examples/ installs, builds and runs.
const EXAMPLES = [...new Set(BUILDS.map(([name]) => name))];

test.each(EXAMPLES)('examples/%s has at most 60 lines of code', (name) => {
  const files = readdirSync(join('examples', name), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map((file) => file.name).filter((file) => /lock/.test(file))).toEqual([]);
  const lines = files
    .filter((file) => !/\.(?:json|html)$/.test(file.name))
    .flatMap((file) => readFileSync(join(file.parentPath, file.name), 'utf8').split('\n'))
    .filter((line) => line.trim() !== '');
  expect(lines.length).toBeLessThanOrEqual(60);
});

test.each(EXAMPLES)('examples/%s pins its dependencies', (name) => {
  const { dependencies, devDependencies = {} } = manifestAt(join('examples', name, 'package.json'));
  const all = Object.entries({ ...dependencies, ...devDependencies });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-beta)?$/.test(version))).toEqual([]);
});

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function manifestAt(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
