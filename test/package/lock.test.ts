import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  version: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}
const { packages } = lockFile('package-lock.json');
const locked = lockedIn(packages);

test.each(['package-lock.json', 'docs/site/package-lock.json'])(
  '%s pins every package by its hash and names no registry',
  (path) => {
    const entries = lockedIn(lockFile(path).packages);
    expect(entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name)).toEqual([]);
    expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
  },
);

// `npm ci` refuses a lock file in which one of them is missing, whatever machine it runs on.
test.each(['package-lock.json', 'docs/site/package-lock.json'])(
  '%s holds every optional package of another platform',
  (file) => {
    const all = lockFile(file).packages;
    const missing = lockedIn(all).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !all[`${path}/node_modules/${name}`] && !all[`node_modules/${name}`],
      ),
    );
    expect(missing).toEqual([]);
  },
);

test('the tools with native code have a binary for Linux, macOS and Windows on x64 and arm64', () => {
  const tools = ['oxlint', 'oxfmt', 'oxlint-tsgolint', 'oxc-parser', 'rolldown', 'typescript', 'lightningcss'];
  const platforms = ['linux', 'darwin', 'win32'].flatMap((os) => ['x64', 'arm64'].map((cpu) => ({ os, cpu })));
  for (const tool of tools) {
    const names = Object.keys(packages[`node_modules/${tool}`]?.optionalDependencies ?? {});
    const binaries = names.map((name) => packages[`node_modules/${name}`]);
    for (const { os, cpu } of platforms)
      for (const libc of os === 'linux' ? ['glibc', 'musl'] : [undefined])
        expect(
          binaries.some(
            (binary) =>
              binary?.os?.includes(os) &&
              binary.cpu?.includes(cpu) &&
              (libc === undefined || !binary.libc || binary.libc.includes(libc)),
          ),
          `${tool} on ${os} ${cpu} ${libc ?? ''}`,
        ).toBe(true);
  }
});

test('no package that is installed with offerlet runs a script at install', () => {
  const scripts = locked.filter(([, { hasInstallScript, dev }]) => hasInstallScript === true && dev !== true);
  expect(scripts.map(([path]) => path)).toEqual([]);
});

function lockFile(path: string): { packages: Record<string, Locked> } {
  return JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Locked> };
}

function lockedIn(all: Record<string, Locked>): [path: string, package_: Locked][] {
  return Object.entries(all).filter(([path]) => path !== '');
}
