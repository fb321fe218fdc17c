import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

/** Every `exports` entry of package.json and the command. Each is one file at the top of src/. */
const ENTRIES = ['index', 'element', 'queue', 'relay', 'relay-redis', 'clients', 'network', 'cli'];

/** Browsers that know `light-dark()`: for older targets the CSS minifier would replace it by something that breaks. */
const CSS_TARGET = ['chrome123', 'safari17.5', 'firefox128'];

// One folder for all: readable ES modules for bundlers and servers, one small file for the script tag, the inspector, the demo shop.
const builds: Record<string, UserConfig> = {
  esm: {
    build: {
      emptyOutDir: false,
      minify: false, // minified ES modules would mangle the names that people debug with
      cssMinify: true,
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: Object.fromEntries(ENTRIES.map((name) => [name, `src/${name}.ts`])), formats: ['es'] },
      rolldownOptions: {
        external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Z]:/.test(id),
        output: { preserveModules: true, preserveModulesRoot: 'src', entryFileNames: '[name].js' },
      },
    },
  },
  script: {
    plugins: [printIntegrity('dist/offerlet.js')],
    build: {
      emptyOutDir: false,
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: 'src/script-tag.ts', formats: ['iife'], name: 'offerletScript', fileName: () => 'offerlet.js' },
    },
  },
  // Loaded beside it in sandbox alone: one module that brings all it needs.
  inspector: {
    build: {
      emptyOutDir: false,
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: 'src/inspector/inspect.tsx', formats: ['es'], fileName: () => 'offerlet-inspector.js' },
      // Libraries keep their white space unless told otherwise; this one is for a browser.
      rolldownOptions: { output: { minify: true } },
    },
  },
  // The shop's backend is a module that the command loads; its pages have scripts of their own.
  demo: {
    build: {
      outDir: 'dist/demo',
      target: 'es2022',
      ssr: true,
      minify: false,
      rolldownOptions: {
        input: { shop: 'demo/shop.ts' },
        external: /^offerlet/,
        output: { entryFileNames: '[name].js' },
      },
    },
  },
  pages: {
    build: {
      outDir: 'dist/demo',
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: Object.fromEntries(readdirSync('demo/pages').map((file) => [urlName(file), `demo/pages/${file}`])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'shared-[hash].js' },
      },
    },
  },
};

export default defineConfig(({ mode }) => ({
  ...builds[mode],
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Tests run the source of the public entries; what is published is tested by test/package.
  test: {
    alias: [
      { find: /^offerlet\/(.*)$/, replacement: `${import.meta.dirname}/src/$1.ts` },
      { find: /^offerlet$/, replacement: `${import.meta.dirname}/src/index.ts` },
    ],
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
}));

/** The name of a page's script in its URL: `withNpm.ts` is served as `/with-npm.js`. */
function urlName(file: string): string {
  return parse(file).name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Prints what a merchant pins: the file's size and its `integrity` value. */
function printIntegrity(file: string): Plugin {
  return {
    name: 'print-integrity',
    closeBundle(): void {
      const bytes = readFileSync(file);
      const hash = createHash('sha384').update(bytes).digest('base64');
      console.log(`${file}  ${brotliCompressSync(bytes).length} bytes brotli  integrity="sha384-${hash}"`);
    },
  };
}
