import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A tarball as npm would publish it. */
export interface Packed {
  readonly tarball: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
  readonly unpackedBytes: number;
}

/** What publint and attw say about a tarball. `scripts`: the entries that are no modules. */
export function publishedProblems(tarball: string, scripts: readonly string[] = []): string[] {
  const excluded = scripts.length > 0 ? ['--exclude-entrypoints', ...scripts] : [];
  return [
    spawnSync('npx', ['publint', '--strict', tarball], { encoding: 'utf8' }),
    spawnSync('npx', ['attw', '--profile', 'esm-only', ...excluded, '--', tarball], { encoding: 'utf8' }),
  ].flatMap(({ status, stdout, stderr }) => (status === 0 ? [] : [stdout + stderr]));
}

/** Returns a new folder that is removed by `remove`. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'offerlet-package-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Packs the package in `source` (built already) into `folder`. */
export function pack(source: string, folder: string): Packed {
  const output = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], source);
  const [packed] = JSON.parse(output) as { filename: string; files: { path: string }[]; unpackedSize: number }[];
  if (!packed) throw new Error(`npm pack printed ${output}`);
  return {
    tarball: join(folder, packed.filename),
    files: packed.files.map(({ path }) => path),
    unpackedBytes: packed.unpackedSize,
  };
}

/** Creates an empty project in `folder` and installs the tarballs there, as a merchant would. */
export function installInto(folder: string, tarballs: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'merchant', private: true, type: 'module' }));
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs], folder);
}

/** Packs the packages in these folders and installs them into an empty project, for the tests of a file. `packed` is the first. */
export function installPackages(sources: readonly string[]): { project: string; packed(): Packed } {
  const folder = temporaryFolder();
  const project = join(folder.path, 'project');
  let packages: Packed[] = [];
  beforeAll(() => {
    packages = sources.map((source) => pack(source, folder.path));
    installInto(
      project,
      packages.map(({ tarball }) => tarball),
    );
  });
  afterAll(() => folder.remove());
  return {
    project,
    packed() {
      const [first] = packages;
      if (!first) throw new Error('The packages are installed before the first test, not before.');
      return first;
    },
  };
}

/** Type-checks a file of a project strictly, declarations of dependencies included; returns what the compiler prints. */
export function typeCheck(folder: string, code: string): string {
  // The one thing that a server's project has besides: the types of Node itself.
  for (const name of ['@types/node', 'undici-types'])
    cpSync(join('node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'use.ts'), code);
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable', '--types', 'node'];
  options.push('--skipLibCheck', 'false', '--module', 'nodenext', '--moduleResolution', 'nodenext', 'use.ts');
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, ...options], { cwd: folder, encoding: 'utf8' }).stdout;
}

/** Runs an ES module in a project and returns what it prints. */
export function runModule(folder: string, code: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** Runs a command that is installed in a project, to its end. */
export function runCommand(
  folder: string,
  [name = '', ...args]: readonly string[],
): {
  status: number | null;
  stdout: string;
  stderr: string;
} {
  return spawnSync(commandPath(folder, name), args, { cwd: folder, encoding: 'utf8', timeout: 30_000 });
}

/** The JSON object that a command prints first: the part of it that the tests use. */
export interface Started {
  readonly url: string;
  readonly shop: string;
  readonly relay: string;
  readonly network: string;
  readonly keys: { readonly integration: string };
}

/** Starts a command that is installed in a project; `work` gets the JSON object of its first line. */
export async function whileRunning(
  folder: string,
  [name = '', ...args]: readonly string[],
  work: (started: Started) => Promise<void>,
): Promise<void> {
  const child = spawn(commandPath(folder, name), args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    await work(JSON.parse(await firstLine(child)) as Started);
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    child.once('exit', (code) => reject(new Error(`It ended with exit code ${code}: ${errors}`)));
  });
}

function commandPath(folder: string, name: string): string {
  return join(folder, 'node_modules/.bin', name);
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
