// `npm test`: what a newcomer's machine can do, in a few minutes. `npm run test:all` adds the other engines,
// PostgreSQL, Redis, chaos and the packed tarball. Each step says what it is; the first failure ends the run.
import { existsSync } from 'node:fs';
import { build, install, run } from '../build/prepare.mjs';

const all = process.argv.includes('--all');

step('Dependencies and build');
install();
build();
const { ensure, install: installPackages, onPath } = await import('./browsers.mjs');

step('Browsers');
for (const kind of all ? ['chromium', 'firefox', 'webkit'] : ['chromium']) need(kind, ensure(kind));

if (all) {
  step('Servers');
  if (!onPath(['redis-server'])) installPackages(['redis-server']);
  if (!postgres()) installPackages(['postgresql']);
  need('redis-server', onPath(['redis-server']));
  need('PostgreSQL 15 or newer (initdb)', postgres());
  Object.assign(process.env, { OFFERLET_TEST_POSTGRES: '1', OFFERLET_TEST_REDIS: '1', OFFERLET_LONG: '1' });
}

if (!all) {
  step('Lint');
  run('npm', 'run', '--silent', 'lint');
  step('Types');
  run('npm', 'run', '--silent', 'types');
}
step(all ? 'Unit, component and server tests, with PostgreSQL and Redis' : 'Unit, component and server tests');
run('npx', 'vitest', 'run', ...(all ? [] : ['--exclude', 'test/package/**']));
step(all ? 'Real browsers: Firefox, WebKit, chaos' : 'Real browsers: Chromium');
run('npx', 'playwright', 'test', '-c', 'test/playwright.config.ts', ...(all ? [] : ['--project', 'chromium']));
step('Pictures');
run('npm', 'run', '--silent', 'pictures');
if (all) {
  step('Unused code and dependencies');
  run('npx', 'knip', '--no-progress');
}
console.log(`\n${all ? 'npm run test:all' : 'npm test'}: all passed.`);

function step(title) {
  console.log(`\n— ${title}`);
}

function need(what, found) {
  if (found) return;
  console.error(`${what} is missing and could not be installed here. Install it, then run this again.`);
  process.exit(1);
}

function postgres() {
  const debian = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin/initdb`);
  return onPath(['initdb']) ?? debian.find((path) => existsSync(path));
}
