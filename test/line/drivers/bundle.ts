import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Sources that are published as one built file. */
const BUILT: Readonly<Record<string, string>> = {
  'src/script-tag.ts': 'dist/offerlet.js',
  'src/consent/byName.ts': 'dist/offerlet-consent.js',
  'src/inspector/openInspector.tsx': 'dist/offerlet-inspector.js',
};

/** A worker runs many files of tests, and most of them need the same bundles. */
const bundles = new Map<string, Promise<string>>();

/**
 * Returns a source file as browsers get it: one script that defines `name`, or one module. What is published as a file is
 * that file; everything else is bundled from the published modules in dist/. Each is built once per worker.
 */
export function bundle(entry: string, format: 'iife' | 'es', name = 'offerletScript'): Promise<string> {
  const key = [entry, format, name].join(' ');
  const built = BUILT[entry.slice(ROOT.length)];
  const known =
    bundles.get(key) ??
    (built ? Promise.resolve(readFileSync(ROOT + built, 'utf8')) : bundleAnew({ entry, formats: [format], name }));
  bundles.set(key, known);
  return known;
}

async function bundleAnew(lib: { entry: string; formats: ('iife' | 'es')[]; name: string }): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [published()],
    define: { 'process.env.NODE_ENV': '"development"' }, // for React, which then mounts twice
    build: {
      write: false,
      target: 'es2022',
      lib,
      // Modules that are loaded lazily are included: a test serves one file.
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput[];
  return output[0]?.output[0].code ?? '';
}

/** Puts the published module in the place of its source. */
function published(): Plugin {
  return {
    name: 'published',
    enforce: 'pre',
    resolveId(id, from) {
      const path = from && id.startsWith('.') ? resolve(dirname(from), id) : id;
      if (!path.startsWith(`${ROOT}src/`)) return undefined;
      const file = path.replace(`${ROOT}src/`, `${ROOT}dist/`).replace(/\.tsx?$/, '.js');
      if (!existsSync(file)) this.error(`${file} is missing. Run npm run build.`);
      return file;
    },
  };
}
