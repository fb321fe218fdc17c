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
const sandbox = readManifest('sandbox/package.json');

test('both packages have one version, and the sandbox depends on exactly that offerlet', () => {
  expect(sandbox.version).toBe(offerlet.version);
  expect(sandbox.dependencies['offerlet']).toBe(offerlet.version);
  expect([sandbox.license, sandbox.engines]).toEqual([offerlet.license, offerlet.engines]);
  expect(readFileSync('sandbox/LICENSE', 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
});

test('offerlet depends on idb-keyval only, and takes the Preact of an extension', () => {
  expect(Object.keys(offerlet.dependencies)).toEqual(['idb-keyval']);
  expect(offerlet.peerDependencies?.['preact']).toBe('^10.10.0 || ^11.0.0');
});

test('the sandbox is published with the dependencies that it is tested with', () => {
  for (const [name, version] of Object.entries(sandbox.dependencies))
    if (name !== 'offerlet') expect(offerlet.devDependencies?.[name], name).toBe(version);
});

test('every dependency is pinned to one version', () => {
  const all = [offerlet.dependencies, offerlet.devDependencies ?? {}, sandbox.dependencies].flatMap(Object.entries);
  expect(all.filter(([, version]) => !/^(npm:\w+@)?\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
});

test('neither package runs a script when it is installed', () => {
  for (const { scripts } of [offerlet, sandbox])
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
