import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { isOfWidget, leanPreact, leanPreactModule } from './tools/leanPreact.ts';
import { styleHash } from './tools/styleHash.ts';

/** Every entry of the three packages and their commands. Each is one file in src/ at the same path. */
const ENTRIES = [
  'index',
  'element',
  'inspector',
  'react',
  'session',
  'consent',
  'shopify',
  'queue',
  'relay',
  'client',
  'relay-redis',
  'relay-shopify',
  'testing',
  'testing/jsdom',
  'testing/playwright',
  'cli',
  'network',
  'sandbox',
  'sandbox/commands',
  'operator',
  'operator/cli',
  'operator/commands',
];

/** Browsers that support `light-dark()`: for older targets the CSS minifier replaces it with CSS that does not work here. */
const CSS_TARGET = ['chrome123', 'safari17.5', 'firefox128'];

/** Fields of objects that never leave the script: they get short names. */
export const INTERNAL_FIELDS =
  /^(_[a-z]\w+|is(InFlight|Title|Withdrawn|Claimed|Coming|Wanted|Eager|First)|on(Withdrawn|Destroyed|Back|Withdrawal|Disconnect|Dismissed|Deletion|Dismiss|Broken|Seen)|withdraw|ignores?Input|emit|gatherMs|startMs|clearOrders|reporter|sweep|newConsent|pulled(Down|Up)|closeSource|dismissal|conclude|tapped|acted|fates|placement|consentTexts|whenActive|reopenQueue|isOption|warnings|trueTime|schedule|written|recall|access|noteKeys|orders|latest|clock|allowLoopback|problems|passed|reached|clamp|left_out)$/;

/** terser, which removes more of what can't be reached in the reduced Preact, and then the bundler's own minifier. */
const MINIFIED_TWICE = {
  minify: 'terser',
  terserOptions: {
    ecma: 2020,
    compress: { passes: 2, pure_getters: true },
    // Preact's own fields, as in its own build, and those of ours that nothing outside the file has: no text, no page, no stored row.
    mangle: { properties: { regex: INTERNAL_FIELDS } },
  },
  rolldownOptions: { output: { minify: true }, checks: { pluginTimings: false } },
} as const;
/** Has Chromium compile every function while the script arrives, off the main thread, and not one by one when it is called. */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

const TESTS = ['test/**/*.test.{ts,tsx}'];
/** Tests that weigh or replace modules of their process, or need the build. */
const SERVER_TESTS = [
  'test/{budget,lock,simulation}/**/*.test.ts',
  'test/{cli/openRecordsFile,docs/reference}.test.ts',
];
/** Tests that leave nothing behind and close what they open. One process runs many: one for each file took half of their time. */
const PURE_TESTS = [
  'test/{audit,cli,client,consent,demo,docs,html,http,inspector,network,operator,page,program,queue,react,relay,sandbox,session,testing,text,trust,verify,widget,wire}/**/*.test.{ts,tsx}',
];
/**
 * Tests that kill, start or flood processes, or compare thousands of values, and tests of whole commands, whose parts have
 * tests of their own: `npm run test:all`, or a file by its name, only.
 */
const LONG_TESTS = [
  'test/network/start/{backup,environments,fullDisk,kill,lockLost,migrations,start}.test.ts',
  'test/network/database/freshDatabase.test.ts',
  'test/network/badInput/{addresses,bodies}.test.ts',
  'test/network/seed/seed.test.ts',
  'test/sandbox/{conformance,networkCommand}.test.ts',
  'test/audit/hostileNetwork.test.ts',
  'test/relay/{clocks,command,trueTime}.test.ts',
  'test/relay/dedupe/memory.test.ts',
  'test/{demo/records,docs/prefetch}.test.ts',
  'test/lock/lockDirectory.test.ts',
  'test/operator/command/{add,commands,numbers,statement,streams}.test.ts',
  'test/operator/watch/command.test.ts',
  'test/simulation/{apart,sabotages}.test.ts',
  'test/{client,session}/killed.test.ts',
  'test/verify/{broken,hostile,verifyCommand}.test.ts',
];
/** Tests of what is published, and of the house's rules: those read files only, and `npm test` runs them. */
const HOUSE_TESTS = ['test/package/{imports,manifests,names,examples,customElements,lock}.test.ts'];
const PACKAGE_TESTS = ['test/{package,examples}/**/*.test.ts'];

// tools/build.mjs says where each writes to, and which package gets which of the files.
const builds: Record<string, UserConfig> = {
  esm: modules(ENTRIES),
  script: {
    plugins: [leanPreact(), asciiOnly()],
    build: {
      ...MINIFIED_TWICE,
      rolldownOptions: { output: { minify: true, postBanner: COMPILE_HINT } },
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: 'src/script-tag.ts', formats: ['iife'], name: 'offerletScript', fileName: () => 'offerlet.js' },
    },
  },
  // For servers: one module that includes Preact and its renderer.
  html: {
    plugins: [styleHash('offerlet.css')],
    build: {
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: 'src/html.ts', formats: ['es'], fileName: () => 'html.js' },
      rolldownOptions: { output: { minify: true } },
    },
  },
  // Loaded in sandbox mode only: one module that includes everything it needs.
  inspector: {
    build: {
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: 'src/inspector/openInspector.tsx', formats: ['es'], fileName: () => 'offerlet-inspector.js' },
      // By default, libraries keep their white space; this one is for a browser.
      rolldownOptions: { output: { minify: true } },
    },
  },
  // Loaded only when a tag or an element names a consent platform.
  consent: {
    build: {
      target: 'es2022',
      lib: { entry: 'src/consent/byName.ts', formats: ['es'], fileName: () => 'offerlet-consent.js' },
      rolldownOptions: { output: { minify: true } },
    },
  },
  // The operators' console: one script and one style sheet, which its process serves beside itself.
  console: {
    plugins: [compressPage()],
    build: {
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: {
        entry: 'src/operator/console/page/console.tsx',
        formats: ['es'],
        fileName: () => 'console.js',
        cssFileName: 'console',
      },
      rolldownOptions: { output: { minify: true } },
    },
  },
  // The demo shop's backend is a module that the sandbox command loads; its pages have their own scripts.
  demo: {
    build: {
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
    plugins: [fromSources()],
    build: {
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
  plugins: [styleHash()], // for tests; a build has its own
  ...withoutTimings(builds[mode]),
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // Tests run the source of the public entries; what is published is tested by test/package.
  test: {
    alias: [
      { find: /^offerlet-sandbox$/, replacement: `${import.meta.dirname}/src/network.ts` },
      { find: /^offerlet-operator$/, replacement: `${import.meta.dirname}/src/operator.ts` },
      { find: /^offerlet\/(.*)$/, replacement: `${import.meta.dirname}/src/$1.ts` },
      { find: /^offerlet$/, replacement: `${import.meta.dirname}/src/index.ts` },
    ],
    // It imports the extension under test, which has JSX and our own entries.
    server: { deps: { inline: ['@shopify/ui-extensions-tester'] } },
    css: true, // a style sheet that is imported as text has its text
    setupFiles: ['test/fixtures/patience.ts'],
    unstubGlobals: true, // files that share a process share its globals
    expect: { poll: { timeout: 60_000 } }, // it says that something comes, not how soon
    coverage: { include: ['src/**/*.{ts,tsx}'], reporter: ['text-summary', 'html'], reportOnFailure: true },
    testTimeout: 300_000, // ends what hangs, and measures nothing
    hookTimeout: 300_000,
    maxWorkers: 3, // on two cores, beside the browsers: many tests wait more than they compute
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          pool: 'threads',
          include: TESTS,
          exclude: [...PACKAGE_TESTS, ...SERVER_TESTS, ...PURE_TESTS, ...LONG_TESTS],
        },
      },
      {
        extends: true,
        test: {
          name: 'pure',
          pool: 'threads',
          include: PURE_TESTS,
          exclude: [...SERVER_TESTS, ...LONG_TESTS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'servers', include: SERVER_TESTS, exclude: LONG_TESTS } },
      { extends: true, test: { name: 'long', include: LONG_TESTS } },
      { extends: true, test: { name: 'house', include: HOUSE_TESTS } },
      { extends: true, test: { name: 'package', include: PACKAGE_TESTS, exclude: HOUSE_TESTS } },
      // Extensions bring their own Preact: this is the oldest. The widget contains the reduced one.
      {
        extends: true,
        test: {
          name: 'preact10',
          include: ['test/shopify/**/*.test.{ts,tsx}'],
          alias: [{ find: /^preact(?=$|\/)/, replacement: 'preact-10' }],
        },
      },
    ],
  },
}));

/** Resolves the public entries to sources, all of which keep their side effects: package.json names those of built modules. */
function fromSources(): Plugin {
  return {
    name: 'from-sources',
    enforce: 'pre',
    resolveId(specifier) {
      const named = /^offerlet(?:\/(.*))?$/.exec(specifier);
      return named && { id: `${import.meta.dirname}/src/${named[1] ?? 'index'}.ts`, moduleSideEffects: true };
    },
  };
}

/** A build that prints nothing about how long its plugins took: terser is slow, and known to be. */
function withoutTimings(config: UserConfig = {}): UserConfig {
  const options = config.build?.rolldownOptions;
  const checks = { ...options?.checks, pluginTimings: false };
  return { ...config, build: { ...config.build, rolldownOptions: { ...options, checks } } };
}

/** Readable ES modules, one file for each source file, for bundlers and servers. */
function modules(entries: readonly string[]): UserConfig {
  return {
    plugins: [leanPreactModule(MINIFIED_TWICE), inspectorOnce()],
    build: {
      sourcemap: true,
      minify: false, // minified ES modules would mangle the names that people debug with
      cssMinify: true,
      target: 'es2022',
      cssTarget: CSS_TARGET,
      lib: { entry: Object.fromEntries(entries.map((name) => [name, `src/${name}.ts`])), formats: ['es'] },
      rolldownOptions: {
        experimental: { attachDebugInfo: 'none' },
        external: (id, from) => !/^(\.|\/|[A-Z]:)/.test(id) && !isOfWidget(id, from),
        output: {
          preserveModules: true,
          preserveModulesRoot: 'src',
          entryFileNames: '[name].js',
          // As seen from dist/, where the build puts them.
          sourcemapPathTransform: (source) =>
            source.replace(/^.*?src\/(.*)$/, (_, path: string) => `${'../'.repeat(path.split('/').length)}src/${path}`),
          comments: { jsdoc: false }, // the declarations have them
        },
        // Each file stays a file, so 'use client' stays at its top: a test of the package sees to it.
        onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
      },
    },
  };
}

/** Lets `offerlet/inspector` load the inspector's built file, which is published for the script tag anyway. */
function inspectorOnce(): Plugin {
  return {
    name: 'inspector-once',
    enforce: 'pre',
    resolveId: (id) =>
      id.endsWith('/inspector/openInspector.tsx') ? { id: './offerlet-inspector.js', external: true } : undefined,
  };
}

/** Writes every other character as an escape: a classic script has the encoding of its page, which need not be UTF-8. */
function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle: {
      order: 'post',
      handler(_, files): void {
        for (const file of Object.values(files))
          if (file.type === 'chunk')
            file.code = file.code.replace(
              /[^\0-\x7f]/g,
              (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
            );
      },
    },
  };
}

/** The name of a page's script in its URL: `withNpm.ts` is served as `/with-npm.js`. */
function urlName(file: string): string {
  return parse(file).name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Stores what the console's page loads as brotli only: its process unpacks it, and the package is a third smaller. */
function compressPage(): Plugin {
  return {
    name: 'compress-page',
    generateBundle: {
      order: 'post',
      handler(_, files): void {
        for (const [name, file] of Object.entries(files)) {
          const source = brotliCompressSync(file.type === 'chunk' ? file.code : file.source);
          delete files[name];
          this.emitFile({ type: 'asset', fileName: `${name}.br`, source });
        }
      },
    },
  };
}
