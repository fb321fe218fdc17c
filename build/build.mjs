// `npm run build`: fills dist/ (the package offerlet, and everything that a clone runs) and sandbox/dist/ (the package
// offerlet-sandbox). The same sources and lock file give the same bytes.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkPackages } from './linkPackages.mjs';
import { install, markBuilt } from './prepare.mjs';
import { pruneDeclarations } from './pruneDeclarations.mjs';
import { writeIntegrity } from './writeIntegrity.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
process.chdir(ROOT);
install();
process.env.NODE_ENV = 'production'; // with any other value that the shell may have, Vite compiles JSX for debugging
for (const folder of ['dist', 'sandbox/dist']) rmSync(folder, { recursive: true, force: true });

// Declarations and the embedded database depend on nothing that Vite writes, so they are made meanwhile.
const others = Promise.all([
  node('build/freshDatabase.mjs'),
  node(binary('typescript', 'tsc'), '-p', 'src/tsconfig.json').then(() =>
    node(binary('typescript', 'tsc'), '-p', 'sandbox/tsconfig.json'),
  ),
]);
const { build } = await import('vite');
for (const mode of ['esm', 'console', 'script', 'inspector', 'demo', 'pages', 'sandbox']) await build({ mode });
writeIntegrity('dist', JSON.parse(readFileSync('package.json', 'utf8')).version);
await others;

for (const path of ['demo', 'fresh-database.tar.br'])
  cpSync(join('dist', path), join('sandbox/dist', path), { recursive: true });
// The compiler writes no declaration for a file that is one.
cpSync('src/page/elementTypes.d.ts', 'dist/page/elementTypes.d.ts');
for (const folder of ['.', 'sandbox']) pruneDeclarations(folder);
linkPackages();
markBuilt();

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
