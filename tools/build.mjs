// `npm run build`: fills dist/ of the three packages: of the repository (offerlet), of packages/operator and of
// packages/sandbox. The same sources and lock file give the same bytes. Everything is made in a separate folder and renamed
// at the end, so that what runs meanwhile, such as `npm start`, always finds whole packages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCustomElements } from './customElements.mjs';
import { install, markBuilt, PACKAGES } from './prepare.mjs';
import { createProgress } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await install();
process.env.NODE_ENV = 'production'; // with any other value that the shell may have, Vite compiles JSX for debugging

const WORK = 'node_modules/.offerlet/build';
const ALL = `${WORK}/all`;
/** What a package contains beside the modules and declarations that its entries lead to. */
const ASSETS = {
  offerlet: [
    'offerlet.js',
    'offerlet.css',
    'offerlet-consent.js',
    'offerlet-inspector.js',
    'integrity.json',
    'custom-elements.json',
  ],
  'offerlet-operator': ['operator/console/page/console.js.br', 'operator/console/page/console.css.br'],
  'offerlet-sandbox': ['demo', 'fresh-database.tar.br', 'network/pages/images'],
};
/** The modules of servers and tests: who debugs them is helped by a source map. Pages' modules are bundled anyway. */
const WITH_MAP = /^(http|lock|network|operator|relay|sandbox|testing)[./-]/;
/** Vite's builds, and the folder that each writes to. */
const STEPS = [
  ['esm', '.', 'modules of the packages'],
  ['console', 'operator/console/page', "the operators' console"],
  ['script', '.', 'the script for pages'],
  ['consent', '.', 'sources of consent by name'],
  ['inspector', '.', 'the inspector'],
  ['html', '.', 'offers in HTML'],
  ['demo', 'demo', "the demo shop's backend"],
  ['pages', 'demo', "the demo shop's pages"],
];

rmSync(WORK, { recursive: true, force: true });
mkdirSync(ALL, { recursive: true });
const progress = createProgress('Building', STEPS.length + 1);

// Declarations and the embedded database depend on nothing that Vite writes, so they are made meanwhile.
const others = Promise.all([
  node('tools/freshDatabase.mjs', `${ALL}/fresh-database.tar.br`),
  node('node_modules/typescript/bin/tsc', '-p', 'src/tsconfig.json', '--outDir', ALL),
]);
const { build } = await import('vite');
for (const [mode, folder, name] of STEPS) {
  progress.step(name);
  await build({ mode, build: { outDir: join(ALL, folder), emptyOutDir: false } }).catch((error) => {
    progress.fail();
    throw error;
  });
}
progress.step('declarations and the embedded database');
writeIntegrity();
await others;
await writeCustomElements(ALL);
cpSync('src/network/pages/images', `${ALL}/network/pages/images`, { recursive: true });

for (const [name, folder] of Object.entries(PACKAGES)) fill(name, folder);
for (const [name, folder] of Object.entries(PACKAGES)) {
  rmSync(`${WORK}/old`, { recursive: true, force: true });
  if (existsSync(`${folder}/dist`)) renameSync(`${folder}/dist`, `${WORK}/old`);
  renameSync(`${WORK}/${name}`, `${folder}/dist`);
  linkPackage(name, folder);
}
rmSync(WORK, { recursive: true });
markBuilt();
progress.end('Built');

/**
 * Runs a Node script; rejects when it fails.
 * @returns {Promise<void>}
 */
function node(...args) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with exit code ${code}.`)),
    );
  });
}

/** Writes the SRI value of each file that pages load, for build tools and `offerlet integrity`. */
function writeIntegrity() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const files = {};
  for (const name of ['offerlet.js', 'offerlet-consent.js', 'offerlet-inspector.js'])
    files[name] = `sha384-${createHash('sha384')
      .update(readFileSync(join(ALL, name)))
      .digest('base64')}`;
  writeFileSync(`${ALL}/integrity.json`, `${JSON.stringify({ version, files }, undefined, 2)}\n`);
}

/** Copies the modules and declarations that the entries and commands of a package lead to, and its assets. */
function fill(name, folder) {
  const { exports, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const seen = new Set();
  for (const path of [...Object.values(exports).flatMap(Object.values), ...Object.values(bin)].flat()) visit(path);
  for (const path of ASSETS[name]) cpSync(join(ALL, path), join(WORK, name, path), { recursive: true });

  function visit(entry) {
    const path = normalize(entry).replace(/^dist[\\/]/, '');
    if (seen.has(path) || !/\.(js|d\.ts)$/.test(path) || ASSETS[name].includes(path)) return;
    seen.add(path);
    let text = readFileSync(join(ALL, path), 'utf8');
    for (const [, specifier] of text.matchAll(/(?:from|import|path=)\s*\(?["'`](\.[^"'`\s]+)["'`]/g)) {
      const target = join(dirname(path), specifier);
      if (!path.endsWith('.d.ts')) visit(target);
      else if (!/\.(css|json)\b/.test(target)) visit(`${target.replace(/(\.d)?\.[jt]sx?$/, '')}.d.ts`);
    }
    const copy = join(WORK, name, path);
    mkdirSync(dirname(copy), { recursive: true });
    // A module that only re-exports has none.
    if (WITH_MAP.test(path) && existsSync(join(ALL, `${path}.map`))) cpSync(join(ALL, `${path}.map`), `${copy}.map`);
    else text = text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    writeFileSync(copy, text);
  }
}

/** Makes a package importable by name inside the clone, as where it is installed. A relative link is right in a copy as well. */
function linkPackage(name, folder) {
  const path = join('node_modules', name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  symlinkSync(join('..', folder), path, 'junction'); // on Windows, a junction needs no special rights
}
