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

test('all packages have one version, and the sandbox depends on exactly that one of the others', () => {
  expect([operator.version, sandbox.version]).toEqual([offerlet.version, offerlet.version]);
  expect(sandbox.dependencies).toMatchObject({ offerlet: offerlet.version, 'offerlet-operator': offerlet.version });
  for (const [folder, { license, engines }] of Object.entries({ operator, sandbox })) {
    expect([license, engines]).toEqual([offerlet.license, offerlet.engines]);
    expect(readFileSync(`packages/${folder}/LICENSE`, 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  }
});

test('offerlet depends on idb-keyval only, and takes the Preact of an extension', () => {
  expect(Object.keys(offerlet.dependencies)).toEqual(['idb-keyval']);
  expect(offerlet.peerDependencies?.['preact']).toBe('^10.10.0 || ^11.0.0');
});

test('the other packages are published with the dependencies that they are tested with', () => {
  for (const [name, version] of [operator, sandbox].flatMap(({ dependencies }) => Object.entries(dependencies)))
    if (!name.startsWith('offerlet')) expect(offerlet.devDependencies?.[name], name).toBe(version);
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
