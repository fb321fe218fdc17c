// Installs and builds the projects of examples/ with the packed tarball. Each has its own temporary folder, which later
// runs reuse. `node test/examples/prepare.mjs` prepares all of them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// Not below node_modules: bundlers treat what is there as somebody else's.
const FOLDER = join(tmpdir(), `offerlet-examples-${hashOf(ROOT).slice(0, 8)}`);
const QUIET = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

/** Every example, and the NODE_ENV that it is built for. React's development build mounts everything twice. */
export const BUILDS = [
  ['react-vite', 'production'],
  ['react-vite', 'development'],
  ['node', 'production'],
  ['next', 'production'],
  ['react-router', 'production'],
  ['vue', 'production'],
  ['nuxt', 'production'],
  ['svelte-kit', 'production'],
  ['solid-start', 'production'],
  ['angular', 'production'],
];

/** Returns the folder of an installed and built example. */
export async function prepareExample(name, mode) {
  const folder = join(FOLDER, mode === 'production' ? name : `${name}-${mode}`);
  const source = join(ROOT, 'examples', name);
  const mark = hashOf(
    process.version,
    hashOfFolder(source),
    hashOfFolder(join(ROOT, 'dist')),
    readFileSync(join(ROOT, 'package.json')),
  );
  const marked = join(FOLDER, `${name}-${mode}.mark`);
  if (existsSync(marked) && readFileSync(marked, 'utf8') === mark) return folder;
  rmSync(marked, { force: true });

  // What is installed stays, and npm changes only what is different.
  mkdirSync(folder, { recursive: true });
  for (const entry of readdirSync(folder))
    if (!/^(node_modules|package-lock.json)$/.test(entry)) rmSync(join(folder, entry), { recursive: true });
  cpSync(source, folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const tarball = pack(folder);
  manifest.dependencies.offerlet = `file:${tarball}`;
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await run(
    folder,
    {},
    'npm',
    'install',
    '--include=dev',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  );
  await run(folder, { NODE_ENV: mode }, ...npmIn(folder), 'run', 'build');
  writeFileSync(marked, mark);
  return folder;
}

/** The command `npm` in a project, with the Node that its manifest asks for. */
export function npmIn(folder) {
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return withNode(engines?.node ?? '0', 'npm');
}

/** A command with the major version of Node that it needs: a framework may need a newer one than this, and than ours does. */
export function withNode(range, command) {
  const needed = /\d+/.exec(range)[0];
  const has = process.versions.node.split('.')[0];
  return Number(has) < Number(needed) ? ['npx', '--yes', `--package=node@${needed}`, '--', command] : [command];
}

/** Packs the tarball as npm would publish it. Its name has its hash: of the same name, npm would keep what it has installed. */
function pack(folder) {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (!stdout) throw new Error(stderr);
  const packed = join(folder, JSON.parse(stdout)[0].filename);
  const named = join(folder, `offerlet-${hashOf(readFileSync(packed)).slice(0, 12)}.tgz`);
  renameSync(packed, named);
  return named;
}

/**
 * Runs a command. Its output is shown only if it fails.
 * @returns {Promise<void>}
 */
function run(folder, env, command, ...args) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...QUIET, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', fail);
    child.on('exit', (code) =>
      code === 0 ? done() : fail(new Error(`${command} ${args.join(' ')} in ${folder}:\n${output}`)),
    );
  });
}

function hashOfFolder(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return hashOf(
    ...files.flatMap(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]),
  );
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, mode] of BUILDS) {
    const started = performance.now();
    await prepareExample(name, mode);
    console.log(
      `examples/${name} (${mode}): installed and built in ${Math.round((performance.now() - started) / 1_000)} s.`,
    );
  }
}
