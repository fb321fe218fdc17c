// Runs the tests. Each step prints what it is and how long the one before took. A failed step ends the run, but all tests
// run to their end, and the failures are printed once more: many logs show only the end.
//
//   npm test                          what a change must pass: lint, types, all tests that one machine can run, Chromium
//   npm run test:all                  all of that and pictures, Firefox, WebKit, PostgreSQL, Redis, chaos, the packages, examples/, unused code, the site
//   npm run test:unit -- [NAME…]      tests that need no build, no database and no browser
//   npm run test:browser -- [NAME…]   Chromium; with names, the files whose path contains one of them
//   npm run test:repeat -- TIMES …    finds tests that fail now and then: repeat.mjs
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, quietly, run } from '../tools/prepare.mjs';
import { processorSeconds, runSuites, USUAL } from './suites.mjs';

const [mode = '--usual', ...names] = process.argv.slice(2);
const all = mode === '--all';
const started = performance.now();
/** What failed: `file`, `title` and `message`. */
const failures = [];
let stepStarted;
let stepTitle;

step('Dependencies');
await install();
if (mode === '--unit') {
  run('npx', 'vitest', 'run', '--project', 'unit', '--project', 'pure', ...names);
  process.exit(0);
}
// A browser is mostly downloaded, and each of the others computes on one processor.
const isWhole = mode !== '--browser';
step(isWhole ? 'Build, browsers, lint and types' : 'Build and browsers');
const built = inBackground('node', 'tools/prepare.mjs');
const checked = isWhole ? ['lint', 'types'].map((name) => inBackground('npm', 'run', '--silent', name)) : [];
const { ensure, ensureShell } = await import('./browsers.mjs');
const { ensureServers, listMissing } = await import('./servers.mjs');
/** @type {import('./browsers.mjs').BrowserKind[]} */
const kinds = all ? ['chromium', 'firefox', 'webkit'] : ['chromium'];
for (const kind of kinds) need(kind, ensure(kind));
ensureShell();
await Promise.all([built, ...checked]);
if (!isWhole) {
  const projects = ['chromium', ...(names.length > 0 ? ['long'] : [])].map((project) => `--project=${project}`);
  run('npx', 'playwright', 'test', '-c', 'test/playwright.config.ts', ...projects, ...names);
  process.exit(0);
}

// Mostly downloads: it runs beside the steps that need no exact times.
const examples = all && inBackground('node', 'test/examples/prepare.mjs');
if (all) {
  step('Servers');
  const missing = ensureServers();
  need(missing.join(', '), missing.length === 0);
  Object.assign(process.env, {
    OFFERLET_TEST_POSTGRES: '1',
    OFFERLET_TEST_REDIS: '1',
    OFFERLET_TEST_PHP: '1',
    OFFERLET_LONG: '1',
  });
}

if (all) {
  step('Unused code and dependencies');
  run('npx', 'knip', '-c', 'tools/knip.json', '--no-progress');
  step('The documentation as a site, and the workflows');
  process.env['OFFERLET_SITE_BASE'] ??= '/offerlet/main/'; // in a folder, as it is published
  for (const file of ['docs/site/build.mjs', 'docs/site/lintWorkflows.mjs']) await attempt('node', file);
  step('Examples: installed and built');
  await examples;
}
step(
  all ? 'Tests: everything, with Firefox, WebKit, PostgreSQL, Redis and the packages' : 'Tests: Vitest beside Chromium',
);
const suites = await runSuites(all ? { vitest: [], playwright: [], inTurn: true } : USUAL);
failures.push(...suites.failures);
const took = {
  'npm test': seconds(started),
  'processor-seconds': Math.round(processorSeconds()),
  ...sorted(suites.seconds),
};
if (!all && failures.length === 0)
  writeFileSync(join('node_modules', '.offerlet', 'seconds.json'), JSON.stringify(took));
if (names.length === 0) {
  step('Weight');
  const { runnerImport } = await import('vite');
  const { module: house } = await runnerImport(join(import.meta.dirname, 'budget', 'house.ts'));
  await house.printDifference();
  step('Not tested here');
  const skips = all
    ? listMissing()
    : [...listMissing(), 'Firefox, WebKit, pictures, the packages, examples, chaos: npm run test:all'];
  for (const line of skips) console.log(line);
}
for (const { file, title, message } of failures) console.log(`\nFAILED ${file}: ${title}\n${message}`);
step(
  `npm ${all ? 'run test:all' : 'test'}: ${failures.length ? `${failures.length} failed` : 'all passed'} in ${seconds(started)} s, of the processors ${took['processor-seconds']} s.`,
);
process.exit(failures.length ? 1 : 0);

function sorted(figures) {
  return Object.fromEntries(Object.entries(figures).toSorted(([, a], [, b]) => b - a));
}

/** Runs a step's command, and remembers what it printed when it fails. */
async function attempt(command, file) {
  const { status, output } = await quietly(command, file);
  console.log(output);
  if (status !== 0) failures.push({ file, title: stepTitle, message: output });
}

function step(title) {
  if (stepStarted !== undefined) console.log(`(${seconds(stepStarted)} s)`);
  stepStarted = performance.now();
  stepTitle = title;
  console.log(`\n— ${title}`);
}

/**
 * Starts a command; resolves when it has succeeded, and ends this process if it fails.
 * @returns {Promise<void>}
 */
function inBackground(command, ...args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    process.once('exit', () => child.kill()); // what failed here should be the last line
    child.on('exit', (code) => (code === 0 ? resolve() : process.exit(code ?? 1)));
  });
}

function seconds(since) {
  return Math.round((performance.now() - since) / 1_000);
}

function need(what, found) {
  if (found) return;
  console.error(`${what} is missing and could not be installed here. Install it, then run this again.`);
  process.exit(1);
}
