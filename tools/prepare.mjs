// Prepares a clone for `npm start`, `npm test` and `npm pack`: installs the locked dependencies and builds the packages. Each
// step is skipped while nothing that it depends on has changed.
import { spawn as spawnChild, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createProgress } from './progress.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MARKS = join(ROOT, 'node_modules', '.offerlet');
/** The folder of each published package. */
export const PACKAGES = {
  offerlet: '.',
  'offerlet-operator': 'packages/operator',
  'offerlet-sandbox': 'packages/sandbox',
};
const SOURCES = [
  'src',
  'demo',
  'tools',
  'docs/reference/page.md', // custom-elements.json has parts of it
  'vite.config.ts',
  'tsconfig.json',
  ...Object.values(PACKAGES).map((folder) => join(folder, 'package.json')),
];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`offerlet requires Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

/** Installs exactly what package-lock.json pins, unless it is already installed. */
export async function install() {
  const hash = hashOf(['package-lock.json']);
  if (isMarked('installed', hash)) return;
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const folders = Object.keys(packages).filter((path) => path !== '' && !packages[path].optional);
  const readNote = () =>
    `${folders.filter((path) => existsSync(join(ROOT, path, 'package.json'))).length} of ${folders.length}`;
  const progress = createProgress('Installing', 1);
  progress.step(`${folders.length} packages`, readNote);
  const options = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const first = await quietly('npm', 'ci', ...options);
  if (first.status !== 0) {
    progress.fail();
    console.error(
      `${first.output}\nnpm ci failed. Trying npm install, which may choose versions that are not locked …`,
    );
    run('npm', 'install', '--no-save', ...options);
  }
  progress.end(`Installed ${folders.length} packages`);
  mark('installed', hash);
}

/** Builds the packages, unless they were built from the current sources. */
export function build() {
  const isThere = Object.values(PACKAGES).every((folder) => existsSync(join(ROOT, folder, 'dist')));
  if (isThere && isMarked('built', hashOf(SOURCES))) return;
  run('node', join('tools', 'build.mjs'));
}

/** Records that the packages were built from the current sources. */
export function markBuilt() {
  mark('built', hashOf(SOURCES));
}

/** Runs a command in the project's folder and ends this process when it fails. */
export function run(command, ...args) {
  const options = { cwd: ROOT, stdio: /** @type {const} */ ('inherit'), shell: process.platform === 'win32' };
  const { status, signal } = spawnSync(command, args, options);
  if (signal === 'SIGINT') process.exit(130);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a command without showing its output; resolves to its exit code and that output. */
export function quietly(command, ...args) {
  return new Promise((resolve) => {
    const child = spawnChild(command, args, { cwd: ROOT, shell: process.platform === 'win32' });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ status: 1, output: String(error) }));
    child.on('close', (status, signal) => (signal === 'SIGINT' ? process.exit(130) : resolve({ status, output })));
  });
}

function isMarked(name, hash) {
  return existsSync(join(MARKS, name)) && readFileSync(join(MARKS, name), 'utf8') === hash;
}

function mark(name, hash) {
  mkdirSync(MARKS, { recursive: true });
  writeFileSync(join(MARKS, name), hash);
}

function hashOf(paths) {
  const hash = createHash('sha256').update(process.versions.node);
  for (const path of paths.flatMap(filesIn)) hash.update(path).update(readFileSync(join(ROOT, path)));
  return hash.digest('hex');
}

function filesIn(path) {
  const stats = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats ? path : [];
  return readdirSync(join(ROOT, path))
    .sort()
    .flatMap((entry) => filesIn(`${path}/${entry}`));
}

// As a command, for `npm pack`.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await install();
  build();
}
