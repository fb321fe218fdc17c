// Finds what no test would notice:  npm run test:mutants -- PATH…
// Changes each file of the paths in small ways, one at a time, runs the unit tests of its room and those that import it, and prints
// each change that they let pass. After 20 minutes it begins no further file, and names those that are left. Stryker's reports of the files are in
// .offerlet/mutants.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { install } from '../tools/prepare.mjs';

const ROOMS = ['queue', 'session', 'wire', 'relay', 'operator/reports'];
const FOLDER = join('.offerlet', 'mutants');

const files = process.argv
  .slice(2)
  .flatMap((path) =>
    statSync(path).isFile() ? [path] : readdirSync(path, { recursive: true }).map((name) => join(path, String(name))),
  );
const todo = files.filter((file) => /(?<!\.d)\.ts$/.test(file) && roomOf(file));
if (todo.length === 0) {
  console.error(`Usage: npm run test:mutants -- PATH… (of ${ROOMS.map((room) => `src/${room}`).join(', ')})`);
  process.exit(2);
}
await install();
const { Stryker } = await import('@stryker-mutator/core');
const ends = performance.now() + 20 * 60_000;
const sum = { killed: 0, all: 0 };
while (todo[0] && performance.now() < ends) {
  const file = todo.shift();
  await change(file).catch((error) => console.log(`${file}: ${error.message}`));
}
console.log(`\n${sum.killed} of ${sum.all} mutants were killed.`);
if (todo.length > 0) console.log(`Go on with: npm run test:mutants -- ${todo.join(' ')}`);

async function change(file) {
  process.env.OFFERLET_TESTS = testsOf(file).join();
  const mutants = await new Stryker({
    mutate: [file],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutants.config.ts' },
    tempDirName: join(FOLDER, 'copies'),
    ignorePatterns: ['dist', 'docs/images', 'packages/*/dist', 'test/pictures', 'test-results', 'examples'],
    tsconfigFile: 'none', // it would read ours with a part of TypeScript that version 7 does not have
    reporters: ['progress', 'json'],
    jsonReporter: { fileName: join(FOLDER, `${file.replaceAll('/', '.')}.json`) },
    logLevel: /** @type {any} */ ('off'),
  }).runMutationTest();
  const counted = mutants.filter(({ status }) => status !== 'Ignored');
  const left = counted.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  sum.all += counted.length;
  sum.killed += counted.length - left.length;
  console.log(`${file}: ${counted.length - left.length} of ${counted.length}`);
  const lineOf = ({ location }) => location.start.line;
  const unread = new Set(left.filter(({ status }) => status === 'NoCoverage').map(lineOf));
  if (unread.size > 0) console.log(`  no test runs line ${[...unread].join(', ')}`);
  for (const mutant of left)
    if (mutant.status === 'Survived')
      console.log(`  line ${lineOf(mutant)} can be ${mutant.replacement?.replace(/\s+/g, ' ').slice(0, 100)}`);
}

function testsOf(file) {
  const room = roomOf(file);
  // Reports are compared by the client, and its tests ask a server.
  const folders =
    room === 'operator/reports' ? ['clients', 'console', 'reports'].map((name) => `operator/${name}`) : [room];
  const importing = readdirSync('test', { recursive: true })
    .map((name) => join('test', String(name)))
    .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes(`/${file}'`));
  return [...folders.map((folder) => `test/${folder}/**/*.test.ts`), ...importing];
}

function roomOf(file) {
  return ROOMS.find((room) => file.startsWith(`src/${room}/`));
}
