import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** Packages that a bench alone needs, in a separate folder outside the project. */
export interface Peers {
  /** False where the registry is out of reach: then only what needs none of them can be bundled. */
  readonly areThere: boolean;
  /** One script for a page of this module, made alike for everybody. */
  bundle(name: string, source: string): Promise<string>;
  close(): void;
}

/** Installs packages on demand. */
export function openPeers(packages: Readonly<Record<string, string>>): Peers {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-bench-'));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: packages }),
  );
  console.log(`installing ${Object.keys(packages).join(', ')} …`);
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  return {
    areThere: status === 0,
    async bundle(name, source) {
      const entry = join(folder, `${name.replaceAll(/\W/g, '-')}.js`);
      writeFileSync(entry, source);
      const output = (await build({
        configFile: false,
        logLevel: 'error',
        root: folder,
        define: { 'process.env.NODE_ENV': '"production"' },
        build: { write: false, target: 'es2022', lib: { entry, formats: ['iife'], name: 'peer' } },
      })) as Rolldown.RolldownOutput[];
      return output[0]?.output[0].code ?? '';
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
