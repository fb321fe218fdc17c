// Builds docs/site/playground into a folder: one page with its own scripts, which works from a disk as well. It is here
// because the site has another Vite.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, runnerImport } from 'vite';
import { build as buildPackages } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HERE = join(ROOT, 'docs/site/playground');

/** Writes the playground into a folder. */
export async function buildPlayground(folder) {
  buildPackages();
  mkdirSync(folder, { recursive: true });
  const src = (name) => join(ROOT, 'src', `${name}.ts`);
  await build({
    configFile: false,
    logLevel: 'error',
    root: HERE,
    resolve: { alias: { 'offerlet/testing': src('testing'), offerlet: src('index') } },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      // A page from a disk may run no modules.
      lib: { entry: 'playground.ts', formats: ['iife'], name: 'playground', fileName: () => 'playground.js' },
    },
  });
  const { module } = await runnerImport(join(ROOT, 'demo/views/themeEditor.ts'));
  const editor = module.themeEditor({ look: 'shop' }).text;
  const page = readFileSync(join(HERE, 'index.html'), 'utf8').replace('<!-- theme editor -->', () => editor);
  writeFileSync(join(folder, 'index.html'), page);
  copyFileSync(join(HERE, 'playground.css'), join(folder, 'playground.css'));
  copyFileSync(join(ROOT, 'dist/offerlet.js'), join(folder, 'offerlet.js'));
  const images = join(ROOT, 'src/network/pages/images');
  for (const name of [
    'pictures/dinner-table',
    'pictures/coffee-bag',
    'pictures/espresso-cup',
    'logos/tidewell-kitchen',
    'logos/morrow-and-bean',
  ])
    copyFileSync(join(images, `${name}.svg`), join(folder, `${basename(name)}.svg`));
}
