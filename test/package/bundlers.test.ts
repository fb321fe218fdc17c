import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brotli } from './bytes.ts';
import { installInto, pack, temporaryFolder } from './packages.ts';

// The tarball in a project with the tools that merchants use, each with as little configuration as possible.
const TOOLS = {
  esbuild: '0.28.2',
  rollup: '4.68.7',
  '@rollup/plugin-node-resolve': '16.0.3',
  webpack: '5.112.2',
  parcel: '2.16.4',
  'metro-resolver': '0.84.6',
  // The last one with `moduleResolution: node`.
  typescript: '5.9.3',
  preact: '10.10.0',
  'solid-js': '1.9.19',
  jest: '30.5.2',
  'jest-environment-jsdom': '30.5.2',
  '@babel/preset-env': '7.28.5',
};
/** A heading of the inspector. */
const INSPECTOR = 'Requests to the relay';
/** The entries for browsers, `element` and `inspector` by their side effects. */
const BROWSER = ['element', 'inspector', 'session', 'consent', 'queue', 'react'];

const folder = temporaryFolder();
const project = join(folder.path, 'project');

beforeAll(() => {
  const { tarball } = pack('.', folder.path);
  installInto(project, [tarball, ...Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`)]);
}, 600_000);

afterAll(() => folder.remove());

const ONE = `import { showOffers } from 'offerlet';
showOffers({}).outcome.then(({ code }) => console.log(code));`;
const MANY = `${ONE}
import 'offerlet/element';
import { googleConsentMode } from 'offerlet/consent';
import { openQueue } from 'offerlet/queue';
import { openSession } from 'offerlet/session';
console.log([openSession, googleConsentMode, openQueue].map((value) => typeof value).join(' '));`;

const WEBPACK = `require('webpack')({ mode: 'production', entry: './ENTRY', output: { path: process.cwd(), filename: 'OUT' } },
  (error, stats) => { if (error || stats.hasErrors()) throw error ?? stats.toString(); });`;

/** Commands that write a bundle of ENTRY into the file OUT. */
const BUNDLERS: Readonly<Record<string, readonly string[]>> = {
  esbuild: ['esbuild', 'ENTRY', '--bundle', '--minify', '--format=esm', '--outfile=OUT'],
  'Rollup with one output file': ['rollup', 'ENTRY', '-p', 'node-resolve', '-o', 'OUT'],
  webpack: ['node', '-e', WEBPACK],
  Parcel: ['parcel', 'build', 'ENTRY', '--dist-dir', 'DIR', '--no-cache', '--no-source-maps'],
};

test.each(Object.keys(BUNDLERS))('%s bundles showOffers into one file, without the inspector', (name) => {
  const code = bundleWith(name, ONE);
  expect([INSPECTOR, 'import('].filter((text) => code.includes(text))).toEqual([]);
  // test/budget/budget.json has the limits; with the inspector, it would be twice as much. Rollup does not minify.
  if (!name.startsWith('Rollup')) expect(brotli(code)).toBeLessThan(32_000);
  expect(runBundle(code)).toBe('invalid_config\n');
});

test.each(Object.keys(BUNDLERS))('%s finds every entry for browsers without configuration', (name) => {
  const code = bundleWith(name, `import 'offerlet/inspector';\n${MANY}`);
  expect(code.includes(INSPECTOR)).toBe(true);
  expect(runBundle(code)).toBe('function function function\ninvalid_config\n');
});

test('the extension of examples/shopify is as large as its page says, with the flags of Shopify’s command', () => {
  cpSync('examples/shopify', join(project, 'shopify'), { recursive: true });
  const targets = ['purchase.thank-you.block.render', 'customer-account.order-status.block.render'];
  const imports = targets.map(
    (target, at) =>
      `import Target_${at} from './src/offers.jsx';shopify.extend('${target}', (...args) => Target_${at}(...args));`,
  );
  write('shopify/entry.tsx', imports.join('\n'));
  const flags = [
    '--bundle',
    '--minify',
    '--target=es6',
    '--jsx=automatic',
    '--legal-comments=none',
    '--loader:.js=jsx',
  ];
  run(['esbuild', 'entry.tsx', ...flags, '--define:process.env.NODE_ENV="production"', '--outfile=out.js'], 'shopify');
  const [, said] = /the example takes (\d+) kB/.exec(readFileSync('docs/start/shopify.md', 'utf8')) ?? [];
  expect(Math.abs(brotli(readFileSync(join(project, 'shopify/out.js'))) / 1_000 - Number(said))).toBeLessThan(1);
});

test.each([true, false])(
  'the resolver of Metro finds every entry, with "exports": %s',
  (unstable_enablePackageExports) => {
    write(
      'metro.cjs',
      `const { resolve } = require('metro-resolver');
const { existsSync, readFileSync, statSync, realpathSync } = require('node:fs');
const { dirname, join } = require('node:path');
const stat = (path) => statSync(path, { throwIfNoEntry: false });
const packageOf = (path) => {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return { rootPath: folder, packageJson: JSON.parse(readFileSync(file, 'utf8')), packageRelativePath: path.slice(folder.length + 1) };
  }
  return null;
};
const context = {
  allowHaste: false, assetExts: new Set(), sourceExts: ['js', 'json'], customResolverOptions: {}, disableHierarchicalLookup: false,
  doesFileExist: (path) => stat(path)?.isFile() ?? false, extraNodeModules: null, mainFields: ['react-native', 'browser', 'main'],
  dev: false, nodeModulesPaths: [], preferNativePlatform: false, resolveAsset: () => null, resolveHasteModule: () => null,
  resolveHastePackage: () => null, originModulePath: join(process.cwd(), 'index.js'), isESMImport: true,
  fileSystemLookup: (path) => { const found = stat(path); return found ? { exists: true, type: found.isFile() ? 'f' : 'd', realPath: realpathSync(path) } : { exists: false }; },
  getPackage: (path) => existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null, getPackageForModule: packageOf,
  redirectModulePath: (path) => {
    const found = packageOf(path);
    const mapped = found?.packageJson.browser?.['./' + found.packageRelativePath];
    return mapped ? join(found.rootPath, mapped) : path;
  },
  unstable_conditionNames: ['default', 'import'], unstable_conditionsByPlatform: {}, unstable_logWarning: (text) => { throw Error(text); },
  unstable_enablePackageExports: ${String(unstable_enablePackageExports)},
};
for (const name of process.argv.slice(2)) console.log(resolve(context, name, null).filePath);`,
    );
    const names = ['offerlet', ...BROWSER.map((name) => `offerlet/${name}`)];
    expect(
      run(['node', 'metro.cjs', ...names])
        .trim()
        .split('\n'),
    ).toEqual(['index', ...BROWSER].map((name) => expect.stringMatching(new RegExp(`/offerlet/dist/${name}\\.js$`))));
  },
);

test.each(['node10', 'bundler'])('the types are found with moduleResolution %s', (moduleResolution) => {
  write(
    'use.ts',
    `import { showOffers } from 'offerlet';
import 'offerlet/element';
import { openSession } from 'offerlet/session';
import { openQueue } from 'offerlet/queue';
import { createRelay, toNode } from 'offerlet/relay';
import { fakeRelay } from 'offerlet/testing';
// @ts-expect-error: not any
export const wrong: number = showOffers;
// @ts-expect-error: a view that does not exist
showOffers({ relay: '/offers', request: { user_details: {}, placement_details: { view: 'HOME', display_mode: 'INLINE' } } });
export const right = [openSession, openQueue, createRelay, toNode, fakeRelay];`,
  );
  expect(typeCheck({ moduleResolution, files: ['use.ts'] })).toBe('');
});

test('the component for extensions has types with the oldest Preact', () => {
  write(
    'extension.tsx',
    `import { Offers, type ShopifySession } from 'offerlet/shopify';
export const offers = (session: ShopifySession) => <Offers session={session} />;
// @ts-expect-error: without a session
export const wrong = <Offers />;`,
  );
  expect(typeCheck({ jsx: 'react-jsx', jsxImportSource: 'preact', files: ['extension.tsx'] })).toBe('');
});

test('<offer-let> has types in Solid', () => {
  write(
    'solid.tsx',
    `import 'offerlet/element';
export const offers = <offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" max-offers={2} class="offers"
  on:offerlet={(event) => event.detail.type} />;
// @ts-expect-error: a view that does not exist
export const wrong = <offer-let relay="/offers" view="NOWHERE" display-mode="INLINE" />;`,
  );
  // Solid's own declarations need more than a strict check allows.
  expect(typeCheck({ jsx: 'preserve', jsxImportSource: 'solid-js', skipLibCheck: true, files: ['solid.tsx'] })).toBe(
    '',
  );
});

test('Jest with jsdom shows offers with the three lines of docs/guides/testing.md', () => {
  const section =
    readFileSync('docs/guides/testing.md', 'utf8').split('\n## Jest with jsdom\n')[1]?.split('\n## ')[0] ?? '';
  const [config = '', offers = ''] = [...section.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(config.match(/^ {2}\w+:.*$/gm)).toHaveLength(3);
  write('jest/package.json', '{}');
  write('jest/jest.config.js', config);
  write(
    'jest/babel.config.js',
    "module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] };",
  );
  write('jest/offers.test.js', offers);
  expect(run(['jest', '--colors=false'], 'jest')).toMatch(/Tests: +1 passed, 1 total/);
});

/** Bundles code in a separate folder and returns the only resulting file. */
function bundleWith(name: string, code: string): Buffer {
  const dir = `bundle-${name.replace(/\W/g, '')}-${code.length}`;
  write(`${dir}/entry.mjs`, code);
  const values: Record<string, string> = { ENTRY: 'entry.mjs', OUT: 'out/bundle.js', DIR: 'out' };
  run(
    (BUNDLERS[name] ?? []).map((part) => part.replace(/ENTRY|OUT|DIR/g, (word) => values[word] ?? word)),
    dir,
  );
  const files = readdirSync(join(project, dir, 'out'));
  expect(files).toHaveLength(1);
  return readFileSync(join(project, dir, 'out', files[0] ?? ''));
}

/** Runs a bundle without a page and returns what it prints. */
function runBundle(code: Buffer): string {
  write('bundle.mjs', String(code));
  return run(['node', 'bundle.mjs']);
}

function typeCheck({ files, ...options }: { files: string[]; [option: string]: unknown }): string {
  const moduleResolution = options.moduleResolution ?? 'bundler';
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    module: moduleResolution === 'node10' ? 'commonjs' : 'esnext',
    ...options,
    moduleResolution,
  };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
  return spawnSync('node_modules/.bin/tsc', ['-p', '.'], { cwd: project, encoding: 'utf8' }).stdout;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** Runs a program, or a tool of the project, to its end; returns what it printed. */
function run([name = '', ...args]: readonly string[], cwd = '.'): string {
  const command = name === 'node' ? process.execPath : join(project, 'node_modules/.bin', name);
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: join(project, cwd),
    encoding: 'utf8',
    timeout: 120_000,
  });
  expect(status, stdout + stderr).toBe(0);
  return name === 'jest' ? stderr : stdout;
}
