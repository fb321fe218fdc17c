import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Manifest {
  version: string;
  license: string;
  engines: object;
  dependencies: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  scripts: Record<string, string>;
}
const offerlet = readManifest('package.json');
const operator = readManifest('packages/operator/package.json');
const sandbox = readManifest('packages/sandbox/package.json');

// After a change: node tools/version.mjs
test('every file that names a version has that of package.json', () => {
  const check = (...words: string[]): string[] =>
    spawnSync(process.execPath, ['tools/version.mjs', ...words, '--check'], { encoding: 'utf8' }).stdout.match(
      /\S+$/gm,
    ) ?? [];
  expect(check()).toEqual([]);
  expect(check('9.8.7')).toEqual(
    expect.arrayContaining([
      'package.json',
      'packages/sandbox/package.json',
      'examples/next/package.json',
      'src/inspector/writeReport.ts',
      'examples/deploy/Dockerfile',
    ]),
  );
});

test('all packages have one license and need the same Node', () => {
  for (const [folder, { license, engines }] of Object.entries({ operator, sandbox })) {
    expect([license, engines]).toEqual([offerlet.license, offerlet.engines]);
    expect(readFileSync(`packages/${folder}/LICENSE`, 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  }
});

test('offerlet depends on idb-keyval only, and takes the Preact of an extension', () => {
  expect(Object.keys(offerlet.dependencies)).toEqual(['idb-keyval']);
  expect(offerlet.peerDependencies?.['preact']).toBe('^10.10.0 || ^11.0.0');
});

test('the other packages depend on nothing that is not tested here', () => {
  const names = [operator, sandbox].flatMap(({ dependencies }) => Object.keys(dependencies));
  expect(names.filter((name) => !name.startsWith('offerlet') && !offerlet.devDependencies?.[name])).toEqual([]);
});

test('every dependency is pinned to one version', () => {
  const all = [
    offerlet.dependencies,
    offerlet.devDependencies ?? {},
    operator.dependencies,
    sandbox.dependencies,
  ].flatMap(Object.entries);
  expect(all.filter(([, version]) => !/^(npm:\w+@)?\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
});

test('no package runs a script when it is installed', () => {
  for (const { scripts } of [offerlet, operator, sandbox])
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
