// One place for a version: package.json.  node tools/version.mjs [VERSION] [--check]
// Writes the version, and the dependencies' versions of package.json, into every other file that names one; prints what it changed.
// `--check` only lists the files that differ, and ends with 1 if there is one.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Returns each file that names a version, with what it should contain. */
function listPlaces(version = read('package.json', JSON.parse).version) {
  const { dependencies, devDependencies } = read('package.json', JSON.parse);
  // The example of a merchant's CI has newer ones, which don't run on the oldest Node that we support.
  const newer = { msw: undefined, vitest: undefined };
  const pins = { ...dependencies, ...devDependencies, ...newer, offerlet: version, 'offerlet-operator': version };
  const manifests = ['packages', 'examples']
    .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/package.json`))
    .filter((path) => existsSync(join(ROOT, path)));
  /** @type {Record<string, (text: string) => string>} */
  const changes = {
    'package.json': (text) => own(text, version),
    'package-lock.json': (text) => text.replaceAll(/("name": "offerlet",\s+"version": ")[^"]+/g, `$1${version}`),
    'src/inspector/writeReport.ts': (text) => text.replace(/(VERSION = ')[^']+/, `$1${version}`),
    'examples/deploy/Dockerfile': (text) =>
      text.replace(/(offerlet@)\S+/, `$1${version}`).replace(/(redis@)\S+/, `$1${pins['redis']}`),
  };
  for (const path of manifests)
    changes[path] = (text) => pin(path.startsWith('packages') ? own(text, version) : text, pins);
  return Object.entries(changes).map(([path, change]) => ({ path, text: read(path), wanted: change(read(path)) }));
}

/** A manifest with another version of its own. */
function own(text, version) {
  return text.replace(/("version": ")[^"]+/, `$1${version}`);
}

/** A manifest whose exact versions are those of package.json. */
function pin(text, pins) {
  return text.replaceAll(/"([^"\s]+)": "\d+\.\d+\.\d+"/g, (line, name) =>
    pins[name] ? `"${name}": "${pins[name]}"` : line,
  );
}

function read(path, parse = (text) => text) {
  return parse(readFileSync(join(ROOT, path), 'utf8'));
}

const words = process.argv.slice(2);
const [version] = words.filter((word) => word !== '--check');
if (version !== undefined && !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('Usage: node tools/version.mjs [VERSION] [--check]. A version is three numbers, such as 0.2.0.');
  process.exit(2);
}
const isChecking = words.includes('--check');
const differing = listPlaces(version).filter(({ text, wanted }) => text !== wanted);
for (const { path, wanted } of differing) {
  if (!isChecking) writeFileSync(join(ROOT, path), wanted);
  console.log(`${isChecking ? 'differs' : 'written'}: ${path}`);
}
process.exit(isChecking && differing.length > 0 ? 1 : 0);
