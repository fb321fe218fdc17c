// `npm run build`: fills dist/ (the package offerlet, and everything that a clone runs), and operator/dist/ and sandbox/dist/
// (the packages offerlet-operator and offerlet-sandbox). The same sources and lock file give the same bytes.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkPackages } from './linkPackages.mjs';
import { install, markBuilt } from './prepare.mjs';
import { createProgress } from './progress.mjs';
import { pruneDeclarations } from './pruneDeclarations.mjs';
import { writeIntegrity } from './writeIntegrity.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
process.chdir(ROOT);
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
writeIntegrity('dist', JSON.parse(readFileSync('package.json', 'utf8')).version);
await others;

cpSync('src/network/pages/images', 'dist/network/pages/images', { recursive: true });
for (const path of ['demo', 'fresh-database.tar.br', 'network/pages/images'])
  cpSync(join('dist', path), join('sandbox/dist', path), { recursive: true });
for (const name of ['console.js.br', 'console.css.br'])
  cpSync(`dist/operator/console/page/${name}`, `operator/dist/operator/console/page/${name}`);
// The compiler writes no declaration for a file that is one.
cpSync('src/page/elementTypes.d.ts', 'dist/page/elementTypes.d.ts');
for (const folder of ['.', 'operator', 'sandbox']) pruneDeclarations(folder);
linkPackages();
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
