// Prepares a clone for `npm start` and `npm test`: installs the locked dependencies and builds dist/. Each step is
// skipped while nothing that it depends on has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MARKS = join(ROOT, 'node_modules', '.offerlet');
const SOURCES = [
  'src',
  'demo',
  'build',
  'operator/tsconfig.json',
  'sandbox/tsconfig.json',
  'vite.config.ts',
  'tsconfig.json',
  'package.json',
];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`offerlet requires Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

/** Installs exactly what package-lock.json pins, unless it is already installed. */
export function install() {
  const hash = hashOf(['package-lock.json']);
  if (isMarked('installed', hash)) return;
  console.log('Installing dependencies (npm ci) …');
  if (spawn('npm', 'ci', '--include=dev', '--no-audit', '--no-fund').status !== 0) {
    console.log(
      'npm ci failed (its errors are above). Trying npm install, which may choose versions that are not locked …',
    );
    run('npm', 'install', '--no-save', '--include=dev', '--no-audit', '--no-fund');
  }
  mark('installed', hash);
}

/** Builds dist/, unless it was built from the current sources. */
export function build() {
  const missing = !existsSync(join(ROOT, 'dist', 'cli.js')) || !existsSync(join(ROOT, 'dist', 'offerlet.js'));
  if (!missing && isMarked('built', hashOf(SOURCES))) return;
  console.log('Building …');
  run('npm', 'run', '--silent', 'build');
}

/** Records that dist/ was built from the current sources. */
export function markBuilt() {
  mark('built', hashOf(SOURCES));
}

/** Runs a command in the project's folder and ends this process when it fails. */
export function run(command, ...args) {
  const { status } = spawn(command, ...args);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a command and returns whether it succeeded. */
export function succeeds(command, ...args) {
  return spawn(command, ...args).status === 0;
}

function spawn(command, ...args) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
  if (result.signal === 'SIGINT') process.exit(130);
  return result;
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
  for (const path of paths) addTo(hash, path);
  return hash.digest('hex');
}

function addTo(hash, path) {
  const file = join(ROOT, path);
  if (!existsSync(file)) return;
  const entries = readEntries(file);
  if (entries === undefined) hash.update(path).update(readFileSync(file));
  else for (const entry of entries) addTo(hash, `${path}/${entry}`);
}

function readEntries(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return undefined; // a file
  }
}
