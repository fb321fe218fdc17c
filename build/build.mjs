// `npm run build`: fills dist/ (the package offerlet, and everything that a clone runs), and operator/dist/ and sandbox/dist/
// (the packages offerlet-operator and offerlet-sandbox). The same sources and lock file give the same bytes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, markBuilt } from './prepare.mjs';
import { createProgress } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await install();
process.env.NODE_ENV = 'production'; // with any other value that the shell may have, Vite compiles JSX for debugging
for (const folder of ['dist', 'operator/dist', 'sandbox/dist']) rmSync(folder, { recursive: true, force: true });

const STEPS = {
  esm: 'modules of the packages',
  console: "the operators' console",
  script: 'the script for pages',
  inspector: 'the inspector',
  demo: "the demo shop's backend",
  pages: "the demo shop's pages",
  operator: 'offerlet-operator',
  sandbox: 'offerlet-sandbox',
};
const progress = createProgress('Building', Object.keys(STEPS).length + 1);

// Declarations and the embedded database depend on nothing that Vite writes, so they are made meanwhile.
const others = Promise.all([
  node('build/freshDatabase.mjs'),
  ['src', 'operator', 'sandbox'].reduce(
    (before, folder) => before.then(() => node(binary('typescript', 'tsc'), '-p', `${folder}/tsconfig.json`)),
    Promise.resolve(),
  ),
]);
const { build } = await import('vite');
for (const [mode, name] of Object.entries(STEPS)) {
  progress.step(name);
  await build({ mode }).catch((error) => {
    progress.fail();
    throw error;
  });
}
progress.step('declarations and the embedded database');
writeIntegrity();
await others;

cpSync('src/network/pages/images', 'dist/network/pages/images', { recursive: true });
for (const path of ['demo', 'fresh-database.tar.br', 'network/pages/images'])
  cpSync(join('dist', path), join('sandbox/dist', path), { recursive: true });
for (const name of ['console.js.br', 'console.css.br'])
  cpSync(`dist/operator/console/page/${name}`, `operator/dist/operator/console/page/${name}`);
// The compiler writes no declaration for a file that is one.
cpSync('src/page/elementTypes.d.ts', 'dist/page/elementTypes.d.ts');
for (const folder of ['.', 'operator', 'sandbox']) pruneDeclarations(folder);
// Makes the packages importable by name inside a clone, as where all are installed.
linkPackage('offerlet', '.');
linkPackage('offerlet-operator', 'operator');
linkPackage('offerlet-sandbox', 'sandbox');
markBuilt();
progress.end('Built');

/** Runs a Node script; rejects when it fails. */
function node(...args) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with exit code ${code}.`)),
    );
  });
}

/** The file of a command in node_modules. */
function binary(name, command) {
  return join('node_modules', name, 'bin', command);
}

/** Writes the SRI value of each file that pages load, for build tools and `offerlet integrity`. */
function writeIntegrity() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const files = {};
  for (const name of ['offerlet.js', 'offerlet-inspector.js'])
    files[name] = `sha384-${createHash('sha384')
      .update(readFileSync(join('dist', name)))
      .digest('base64')}`;
  writeFileSync('dist/integrity.json', `${JSON.stringify({ version, files }, undefined, 2)}\n`);
}

/** Removes the declarations that no entry of a package leads to: half of them, and nobody can import those. */
function pruneDeclarations(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const reached = new Set();
  for (const { types } of Object.values(exports)) if (types) visit(join(folder, types));
  for (const entry of readdirSync(join(folder, 'dist'), { recursive: true })) {
    const path = join(folder, 'dist', entry);
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
  }

  function visit(path) {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, , specifier] of text.matchAll(/(from|import|path=)\s*\(?["'](\.[^"']+)["']/g)) {
      if (/\.(css|json)\b/.test(specifier)) continue;
      visit(join(dirname(path), specifier.replace(/(\.d)?\.[jt]sx?$/, '') + '.d.ts'));
    }
  }
}

/** Links a folder of the clone into its node_modules, or replaces the link. */
function linkPackage(name, folder) {
  const path = join('node_modules', name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  symlinkSync(resolve(folder), path, 'junction'); // on Windows, a junction needs no special rights
}
