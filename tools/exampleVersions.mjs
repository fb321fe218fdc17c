// `npm run examples`: which packages of the examples, and of the tests of routers and templates, are behind their newest release.
// Ends with exit code 1 if one is a major behind: generators write the newest, so that is what readers have.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
/** Adapters that are tested from the repository itself. */
const OF_TESTS =
  /^(express|fastify|koa|hono|@nestjs\/core|@hotwired\/turbo|react|preact|@iab\w+\/cmpapi|@shopify\/ui-extensions-tester)$/;

/** Which versions are used where: name → version → places. */
const used = new Map();
const use = (name, version, place) => {
  if (!/^\d/.test(version) || name === 'offerlet') return;
  const versions = used.get(name) ?? used.set(name, new Map()).get(name);
  versions.set(version, [...(versions.get(version) ?? []), place]);
};
for (const place of readdirSync('examples').map((name) => `examples/${name}`)) {
  if (!existsSync(`${place}/package.json`)) continue;
  const { dependencies, devDependencies } = json(`${place}/package.json`);
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) use(name, version, place);
}
const navigation = 'test/examples/navigation.spec.ts';
for (const [, name, version] of readFileSync(navigation, 'utf8').matchAll(/(?:npm:)?([@a-z][\w./-]*)@(\d+\.\d+\.\d+)/g))
  use(name, version, navigation);
for (const [name, version] of Object.entries(json('package.json').devDependencies))
  if (OF_TESTS.test(name)) use(name, version, 'package.json');

let lags = false;
const names = [...used.keys()].sort((a, b) => (a < b ? -1 : 1));
const newestOf = async (name) => (await promisify(execFile)('npm', ['view', name, 'version'])).stdout.trim();
for (const [at, result] of (await Promise.allSettled(names.map(newestOf))).entries()) {
  const name = names[at];
  const versions = used.get(name);
  if (result.status === 'rejected') {
    console.error(`${name}: ${result.reason.message}`);
    lags = true;
    continue;
  }
  const newest = result.value;
  for (const [version, places] of versions) {
    if (version === newest) continue;
    const isMajor = version.split('.')[0] !== newest.split('.')[0];
    // What is tested on purpose in an older major is beside the newest.
    const isBeside = isMajor && [...versions.keys()].some((other) => other.split('.')[0] === newest.split('.')[0]);
    lags ||= isMajor && !isBeside;
    console.log(
      `${isMajor && !isBeside ? 'MAJOR' : '     '} ${name} ${version}, newest ${newest}: ${places.join(', ')}`,
    );
  }
}
process.exitCode = lags ? 1 : 0;
