// What `npm start` and `npm test` need first: dependencies and a build, each only when something changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MARKS = join(ROOT, 'node_modules', '.offerlet');
const SOURCES = ['src', 'demo', 'vite.config.ts', 'tsconfig.json', 'package.json'];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`offerlet needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

/** Installs the dependencies that package-lock.json names, unless they are there. */
export function install() {
  const hash = hashOf(['package-lock.json']);
  // Not `npm ci`: it refuses a lock file that was made where some other platform's optional binary was not to be had.
  if (isMarked('installed', hash)) return;
  console.log('Installing dependencies (npm install) …');
  run('npm', 'install', '--no-save', '--no-audit', '--no-fund');
  mark('installed', hash);
}

/** Builds dist/, unless it is built from these sources. */
export function build() {
  const missing = !existsSync(join(ROOT, 'dist', 'cli.js')) || !existsSync(join(ROOT, 'dist', 'offerlet.js'));
  if (!missing && isMarked('built', hashOf(SOURCES))) return;
  console.log('Building …');
  run('npm', 'run', '--silent', 'build');
}

/** Runs a command in the project's folder and ends this process when it fails. */
export function run(command, ...args) {
  const { status, signal } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(signal === 'SIGINT' ? 130 : (status ?? 1));
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
  for (const path of paths) addTo(hash, join(ROOT, path));
  return hash.digest('hex');
}

function addTo(hash, path) {
  if (!existsSync(path)) return;
  const entries = readEntries(path);
  if (entries === undefined) hash.update(path).update(readFileSync(path));
  else for (const entry of entries) addTo(hash, join(path, entry));
}

function readEntries(path) {
  try {
    return readdirSync(path).sort();
  } catch {
    return undefined; // a file
  }
}

// `npm run build` calls it for its first and its last step.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'install') install();
  if (process.argv[2] === 'built') mark('built', hashOf(SOURCES));
}
