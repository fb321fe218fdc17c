// Runs Vitest and Playwright, and returns what failed: for run.mjs once, for repeat.mjs many times.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const FOLDER = join('node_modules', '.offerlet');
const VITEST = join(FOLDER, 'vitest.json');
const PLAYWRIGHT = join(FOLDER, 'playwright.json');

/** What `npm test` runs: everything that one machine can run without a network, another browser or a server, but for pictures. */
export const USUAL = {
  vitest: ['unit', 'pure', 'house', 'servers'],
  playwright: ['chromium'],
};

/**
 * Runs the tests whose files contain one of the names, or all: Vitest beside Playwright, or `inTurn`. Playwright prints as
 * it goes, Vitest when it has ended. Returns the failed tests, each with its message, and the test-seconds of each folder.
 */
export async function runSuites({ vitest, playwright, names = [], inTurn = false }) {
  mkdirSync(FOLDER, { recursive: true });
  for (const path of [VITEST, PLAYWRIGHT]) rmSync(path, { force: true });
  const projects = (option, of) => of.flatMap((name) => [option, name]);
  const ofVitest = () =>
    start(
      ['vitest', 'run', ...names, ...projects('--project', vitest), '--passWithNoTests', '--reporter=default'],
      ['--reporter=json', `--outputFile.json=${VITEST}`],
      { isHeld: !inTurn },
    );
  const ofPlaywright = () =>
    start(
      ['playwright', 'test', '-c', 'test/playwright.config.ts', ...names, ...projects('--project', playwright)],
      ['--pass-with-no-tests', '--reporter=list,json'],
      { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: join(process.cwd(), PLAYWRIGHT) } },
    );
  const ended = inTurn
    ? [await ofVitest(), await ofPlaywright()]
    : await Promise.all([vitest && ofVitest(), playwright && ofPlaywright()]);
  const tests = [...readVitest(), ...readPlaywright()];
  const failures = tests.filter(({ message }) => message !== undefined);
  // What fails outside of any test, such as a server that does not start, is in the output only.
  for (const { command, code } of ended.filter(Boolean))
    if (code !== 0 && !failures.some(({ file }) => file.endsWith('.spec.ts') === (command === 'playwright')))
      failures.push({ file: command, title: `ended with ${code}`, message: 'Its output above says why.' });
  const seconds = {};
  for (const { file, ms } of tests) {
    const folder = /^test\/(?:line\/)?[^/]+/.exec(file)?.[0] ?? file;
    seconds[folder] = (seconds[folder] ?? 0) + ms / 1_000;
  }
  for (const folder of Object.keys(seconds)) seconds[folder] = Math.round(seconds[folder]);
  return { failures, seconds, count: tests.length };
}

/** Returns the processor-seconds of this process and of every process that it or a child waited for; 0 where Linux is not. */
export function processorSeconds() {
  if (!existsSync('/proc/self/stat')) return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Starts a command of node_modules; one that is held prints when it has ended, so that two outputs do not mix. */
function start([command, ...words], more, { isHeld = false, env = {} }) {
  const child = spawn('npx', [command, ...words, ...more], {
    stdio: ['ignore', isHeld ? 'pipe' : 'inherit', isHeld ? 'pipe' : 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32',
  });
  const held = [];
  for (const stream of isHeld ? [child.stdout, child.stderr] : []) stream.on('data', (chunk) => held.push(chunk));
  return new Promise((resolve) =>
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(held));
      resolve({ command, code });
    }),
  );
}

function* readVitest() {
  for (const { name, status, message, assertionResults } of read(VITEST)?.testResults ?? []) {
    const file = relative(process.cwd(), name).replaceAll('\\', '/');
    if (status === 'failed' && message) yield { file, title: 'the file', ms: 0, message };
    for (const { status, fullName, duration, failureMessages } of assertionResults)
      yield {
        file,
        title: fullName,
        ms: duration ?? 0,
        message:
          status === 'failed'
            ? (failureMessages[0]?.replace(/\n +at (.*node_modules.*|new Promise .*)/g, '') ?? 'failed')
            : undefined,
      };
  }
}

function readPlaywright() {
  const specsOf = (suite) => [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)];
  return (read(PLAYWRIGHT)?.suites ?? []).flatMap(specsOf).flatMap(({ file, title, tests }) =>
    tests.map(({ projectName, status, results }) => ({
      file: `test/${file}`,
      title: projectName === 'chromium' ? title : `${title} (${projectName})`,
      ms: results.reduce((sum, { duration }) => sum + duration, 0),
      message: status === 'unexpected' ? messageOf(results.at(-1)) : undefined,
    })),
  );
}

/** What failed, with its place and the lines around it. */
function messageOf(result) {
  const { error, status } = result ?? {};
  if (!error) return status ?? 'failed';
  const { file = '', line } = error.location ?? {};
  return [error.message, error.snippet, file && `    at ${relative(process.cwd(), file)}:${line}`]
    .filter(Boolean)
    .join('\n');
}

function read(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
